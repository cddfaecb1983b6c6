//! One small system a row, by the thousand: upper triangles whose rows are whole vectors of the machine.

use std::array::from_fn;

use pulp::Arch;

use super::half::{Half, Partner};
use crate::{Error, Result};

/// Rows of a system are padded to a multiple of this: one vector of AVX-512, two of AVX2.
const LANES: usize = 8;
/// Partners whose products are added at once: an entry of the system is read and written once for all of them.
const AT_ONCE: usize = 8;

/// What all rows of a side are solved against, padded.
pub(super) struct Padded {
    k: usize,
    wide: usize,
    other: Vec<f64>,
    /// The system of a row without partners.
    shared: Vec<f64>,
}

/// Room for one system, used again and again.
pub(super) struct Scratch {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Padded {
    pub fn new(half: &Half) -> Self {
        let k = half.other.ncols();
        let wide = k.next_multiple_of(LANES);
        let mut other = vec![0.0; half.other.nrows() * wide];
        for (to, from) in other.chunks_exact_mut(wide).zip(half.other.rows()) {
            to.iter_mut().zip(from).for_each(|(t, f)| *t = *f);
        }
        let mut shared = vec![0.0; wide * wide];
        for i in 0..k {
            for j in 0..k {
                shared[i * wide + j] = half.shared.map_or(0.0, |s| s[[i, j]]);
            }
            shared[i * wide + i] += half.penalty;
        }
        Padded { k, wide, other, shared }
    }

    pub fn scratch(&self) -> Scratch {
        Scratch { a: vec![0.0; self.wide * self.wide], b: vec![0.0; self.wide] }
    }

    /// `out` becomes the solution of the system of these partners; zero if none of them counts.
    pub fn solve(&self, partners: &[Partner], room: &mut Scratch, out: &mut [f64]) -> Result<()> {
        if partners.iter().all(|p| p.1 == 0.0) {
            out.fill(0.0);
            return Ok(());
        }
        room.a.copy_from_slice(&self.shared);
        room.b.fill(0.0);
        Arch::new().dispatch(|| {
            for some in partners.chunks(AT_ONCE) {
                self.add(some, room);
            }
        });
        let found = Arch::new().dispatch(|| self.factor_and_solve(room));
        let op = "least squares of one user or item";
        found.map_err(|(pivot, value)| Error::NotPositiveDefinite { op, pivot, value })?;
        out.copy_from_slice(&room.b[..self.k]);
        Ok(())
    }

    /// `A += Σ w φφᵀ` in the upper triangle, `b += Σ w y φ`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn add(&self, some: &[Partner], room: &mut Scratch) {
        let wide = self.wide;
        // Those that are missing from the last eight count nothing.
        let at: [Partner; AT_ONCE] = from_fn(|p| some.get(p).copied().unwrap_or((some[0].0, 0.0, 0.0)));
        let phi: [&[f64]; AT_ONCE] = from_fn(|p| &self.other[at[p].0 * wide..(at[p].0 + 1) * wide]);
        for (i, row) in room.a.chunks_exact_mut(wide).take(self.k).enumerate() {
            let scaled: [f64; AT_ONCE] = from_fn(|p| at[p].1 * phi[p][i]);
            room.b[i] += (0..AT_ONCE).map(|p| scaled[p] * at[p].2).sum::<f64>();
            for first in (i / LANES * LANES..wide).step_by(LANES) {
                let mut sums: [f64; LANES] = from_fn(|l| row[first + l]);
                for p in 0..AT_ONCE {
                    let own = &phi[p][first..first + LANES];
                    for l in 0..LANES {
                        sums[l] += scaled[p] * own[l];
                    }
                }
                row[first..first + LANES].copy_from_slice(&sums);
            }
        }
    }

    /// `A = UᵀU`, then `b` becomes `A⁻¹ b`; the first pivot that is not positive, if there is one.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
    fn factor_and_solve(&self, room: &mut Scratch) -> std::result::Result<(), (usize, f64)> {
        let (k, wide) = (self.k, self.wide);
        let b = &mut room.b;
        for j in 0..k {
            let (done, below) = room.a.split_at_mut((j + 1) * wide);
            let row = &mut done[j * wide..];
            let pivot = row[j];
            // Written so that a NaN is refused.
            let positive = pivot > 0.0;
            if !positive {
                return Err((j, pivot));
            }
            let scale = 1.0 / pivot.sqrt();
            row[j / LANES * LANES..].iter_mut().for_each(|v| *v *= scale);
            for (i, to) in (j + 1..k).zip(below.chunks_exact_mut(wide)) {
                let (factor, first) = (row[i], i / LANES * LANES);
                let each = to[first..].chunks_exact_mut(LANES).zip(row[first..].chunks_exact(LANES));
                each.for_each(|(to, row)| {
                    for l in 0..LANES {
                        to[l] -= factor * row[l];
                    }
                });
            }
            b[j] *= scale;
            let own = b[j];
            b[j + 1..k].iter_mut().zip(&row[j + 1..k]).for_each(|(b, u)| *b -= own * u);
        }
        for j in (0..k).rev() {
            let row = &room.a[j * wide..(j + 1) * wide];
            let mut lanes = [0.0; LANES];
            for first in (j / LANES * LANES..wide).step_by(LANES) {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    let at = first + l;
                    *lane += if at > j && at < k { row[at] * b[at] } else { 0.0 };
                }
            }
            b[j] = (b[j] - lanes.iter().sum::<f64>()) / row[j];
        }
        Ok(())
    }
}
