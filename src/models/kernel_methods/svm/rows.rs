//! Kernel rows of the points of one problem: all that were asked for if the points are few, else those that were used last,
//! as many as the bytes allow.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::lazy::Lazy;
use crate::kernel::GramRows;
use crate::ops::gram_vec;
use crate::{Kernel, Matrix, Result};

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
}

impl<'k> Rows<'k> {
    /// Rows of these points; of many points as many are kept as the bytes allow.
    pub fn new(op: &'static str, kernel: &'k Kernel, x: Array2<f64>, bytes: usize) -> Result<Self> {
        let gram = GramRows::new(op, kernel, x.view())?;
        let (n, diagonal) = (x.nrows(), gram.diagonal());
        let all = (n <= FEW).then(|| Lazy::new(n));
        let (kept, used) = if all.is_some() { Default::default() } else { (vec![None; n], vec![0; n]) };
        Ok(Rows { kernel, op, x, gram, diagonal, bytes, all, kept, used, resident: Vec::new(), clock: 0 })
    }

    /// Rows of some of the points.
    pub fn some(&self, points: &[usize]) -> Result<Self> {
        Self::new(self.op, self.kernel, self.x.select(Axis(0), points), self.bytes)
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
    pub fn add(&mut self, changes: &[(usize, f64)], f: &mut [f64]) {
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
        if self.kernel.has_white_noise() {
            for &j in &used {
                let x: Vec<f64> = self.x.row(j).iter().copied().collect();
                out[j] += v[j] * (self.diagonal[j] - self.kernel.value(&x, &x)?);
            }
        }
        Ok(out)
    }
}
