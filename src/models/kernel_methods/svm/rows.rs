//! Kernel rows of the points of one problem: all that were asked for if the points are few, else those that were used last,
//! as many as the bytes allow.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use super::lazy::Lazy;
use crate::kernel::GramRows;
use crate::matrix::Points;
use crate::ops::gram_vec;
use crate::{Device, Error, Kernel, Matrix, Result};

/// Most points whose rows are all kept, once they were asked for.
const FEW: usize = 2048;
/// Columns of a sum of rows that one task adds up.
const WIDTH: usize = 1024;

/// Rows of the Gram matrix of `x`.
pub(super) struct Rows<'k> {
    kernel: &'k Kernel,
    op: &'static str,
    x: Array2<f64>,
    gram: GramRows,
    diagonal: Vec<f64>,
    bytes: usize,
    /// Rows of few points.
    pub all: Option<Lazy>,
    /// Rows of many points, and when each was used last.
    kept: Vec<Option<Vec<f64>>>,
    used: Vec<u64>,
    resident: Vec<usize>,
    clock: u64,
    /// Where sums of rows can be made, if not here.
    there: Option<Points>,
    /// Whether they are made here all the same.
    home: bool,
}

impl<'k> Rows<'k> {
    /// Rows of these points; of many points as many are kept as the bytes allow.
    pub fn new(op: &'static str, kernel: &'k Kernel, x: Array2<f64>, bytes: usize) -> Result<Self> {
        let gram = GramRows::new(op, kernel, x.view())?;
        let (n, diagonal) = (x.nrows(), gram.diagonal());
        let all = (n <= FEW).then(|| Lazy::new(n));
        let (kept, used) = if all.is_some() { Default::default() } else { (vec![None; n], vec![0; n]) };
        Ok(Rows {
            kernel,
            op,
            x,
            gram,
            diagonal,
            bytes,
            all,
            kept,
            used,
            resident: Vec::new(),
            clock: 0,
            there: None,
            home: false,
        })
    }

    /// The same, with sums of rows made on this device if the points are many and f32 holds them.
    pub fn on(mut self, device: &Device) -> Result<Self> {
        if self.all.is_none() && device.is_gpu() {
            // About a block of sums for each thousand points.
            let flops = (self.len() as f64).powi(2) * (self.x.ncols() + 8) as f64;
            let points = Points::new(self.op, device, self.x.view(), self.kernel.origin(), flops)?;
            self.there = Some(points).filter(|points| points.device().is_gpu());
        }
        Ok(self)
    }

    /// Goes to the device, if there is one: every machine begins there.
    pub fn set_out(&mut self) {
        self.home = false;
    }

    /// Goes on in f64 on the CPU.
    pub fn come_home(&mut self) {
        self.home = true;
    }

    /// Rows of some of the points, on the same device.
    pub fn some(&self, points: &[usize]) -> Result<Self> {
        let some = Self::new(self.op, self.kernel, self.x.select(Axis(0), points), self.bytes)?;
        if let Some(there) = &self.there { some.on(there.device()) } else { Ok(some) }
    }

    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// `k(x_i, x_i)`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    /// What computes rows of some of the points among each other.
    pub fn among(&self, points: &[usize]) -> GramRows {
        self.gram.some(points)
    }

    /// All rows that few points have been asked for, and what computes more of them.
    pub fn whole(&mut self) -> Option<(&mut Lazy, &GramRows)> {
        self.all.as_mut().map(|all| (all, &self.gram))
    }

    /// `f_j += Σ_i c_i k(x_i, x_j)` for every j, over pairs `(i, c_i)`.
    ///
    /// On a GPU one launch makes the rows and their sum in f32, which is added in f64 here: the changed points go up, n
    /// numbers come down, and no row is stored.
    pub fn add(&mut self, changes: &[(usize, f64)], f: &mut [f64]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        if let Some(there) = self.there.as_ref().filter(|_| !self.home) {
            match self.sum_there(there, changes) {
                Ok(sum) if sum.iter().all(|v| v.is_finite()) => {
                    f.iter_mut().zip(&sum).for_each(|(f, s)| *f += s);
                    return Ok(());
                }
                Ok(_) | Err(Error::Unsupported { .. } | Error::TooLarge { .. }) => self.there = None,
                Err(e) => return Err(e),
            }
        }
        // Parts of the changes, so that their rows fit the memory that was granted.
        let room = (self.bytes / (8 * self.len())).max(64);
        for part in changes.chunks(room) {
            self.fetch(part, room);
            let rows: Vec<(&[f64], f64)> =
                part.iter().filter_map(|&(i, c)| Some((self.kept[i].as_deref()?, c))).collect();
            f.par_chunks_mut(WIDTH).enumerate().for_each(|(at, f)| {
                let columns = at * WIDTH..at * WIDTH + f.len();
                super::lanes::add_rows(f, &rows, columns);
            });
        }
        Ok(())
    }

    fn sum_there(&self, there: &Points, changes: &[(usize, f64)]) -> Result<Array1<f64>> {
        let which: Vec<usize> = changes.iter().map(|c| c.0).collect();
        let some = there.like(self.op, self.x.select(Axis(0), &which).view())?;
        let weights = Array2::from_shape_fn((which.len(), 1), |(j, _)| changes[j].1);
        let weights = Matrix::from_array(there.device(), weights.view())?;
        let made = gram_vec(self.kernel, there.matrix()?, Some(&some), &weights)?.to_array()?;
        let mut made = made.index_axis_move(Axis(1), 0);
        self.add_noise(changes.iter().copied(), made.as_slice_mut().unwrap_or_default())?;
        Ok(made)
    }

    /// The white noise of points with themselves, which sums over two sets of points leave out.
    fn add_noise(&self, changes: impl Iterator<Item = (usize, f64)>, out: &mut [f64]) -> Result<()> {
        if self.kernel.has_white_noise() {
            for (j, by) in changes {
                let x: Vec<f64> = self.x.row(j).iter().copied().collect();
                out[j] += by * (self.diagonal[j] - self.kernel.value(&x, &x)?);
            }
        }
        Ok(())
    }

    /// Computes the rows of these points that are not kept, in the place of those that were used longest ago.
    fn fetch(&mut self, changes: &[(usize, f64)], room: usize) {
        self.clock += 1;
        for &(i, _) in changes {
            self.used[i] = self.clock;
        }
        let missing: Vec<usize> = changes.iter().map(|c| c.0).filter(|&i| self.kept[i].is_none()).collect();
        let (kept, used) = (&mut self.kept, &self.used);
        self.resident.sort_unstable_by_key(|&i| (std::cmp::Reverse(used[i]), i));
        let mut made = Vec::with_capacity(missing.len());
        while self.resident.len() + missing.len() > room
            && made.len() < missing.len()
            && let Some(old) = self.resident.pop()
        {
            made.extend(kept[old].take());
        }
        made.resize_with(missing.len(), || vec![0.0; self.diagonal.len()]);
        self.gram.fill_many(&missing, &mut made);
        for (&i, row) in missing.iter().zip(made) {
            kept[i] = Some(row);
            self.resident.push(i);
        }
    }

    /// `k(x_i, x_j)` for every j.
    pub fn row(&mut self, i: usize, out: &mut [f64]) {
        let n = self.len();
        if let Some(all) = &mut self.all {
            out.copy_from_slice(all.row(i, |row| self.gram.fill(i, 0..n, row)));
        } else {
            self.gram.fill(i, 0..n, out);
        }
    }

    /// `Σ_j k(x_i, x_j) v_j` for every i, from the definition.
    pub fn product(&mut self, v: &[f64]) -> Result<Vec<f64>> {
        let used: Vec<usize> = (0..v.len()).filter(|&j| v[j] != 0.0).collect();
        let n = self.len();
        if used.is_empty() {
            return Ok(vec![0.0; n]);
        }
        if let Some(all) = &mut self.all {
            let mut out = vec![0.0; n];
            for &j in &used {
                let row = all.row(j, |row| self.gram.fill(j, 0..n, row));
                super::lanes::add_rows(&mut out, &[(row, v[j])], 0..n);
            }
            return Ok(out);
        }
        let some = Matrix::from_host(self.x.select(Axis(0), &used));
        let weights = Matrix::from_host(Array2::from_shape_fn((used.len(), 1), |(j, _)| v[used[j]]));
        let all = Matrix::from_host(std::mem::take(&mut self.x));
        let made = gram_vec(self.kernel, &all, Some(&some), &weights);
        self.x = all.into_array()?;
        let mut out: Vec<f64> = made?.into_array()?.into_iter().collect();
        self.add_noise(used.iter().map(|&j| (j, v[j])), &mut out)?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Never more rows than the bytes have room for, or the 64 that a sum is made of at least.
    #[test]
    fn a_cache_keeps_to_its_bytes() {
        let n = FEW + 52;
        let x = Array2::from_shape_fn((n, 2), |(i, j)| ((3 * i + 7 * j) as f64).sin());
        let kernel = Kernel::rbf(0.5);
        let changes: Vec<(usize, f64)> = (0..300).map(|i| (7 * i, (i as f64).cos())).collect();
        let mut sums = Vec::new();
        for (bytes, most) in [(1, 64), (100 * 8 * n, 100), (1 << 30, 300)] {
            let mut rows = Rows::new("test", &kernel, x.clone(), bytes).expect("points");
            let mut f = vec![0.0; n];
            for part in [&changes[..80], &changes[40..], &changes[..200]] {
                rows.add(part, &mut f).expect("sums");
                let kept = rows.kept.iter().flatten().count();
                assert!(kept <= most && kept == rows.resident.len(), "{kept} rows in {bytes} bytes");
            }
            assert_eq!(rows.kept.iter().flatten().count(), most);
            sums.push(f);
        }
        let off = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(off(&sums[0], &sums[2]) < 1e-11 && off(&sums[1], &sums[2]) < 1e-11);
    }
}
