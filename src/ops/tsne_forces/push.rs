//! What pushes points of a picture apart: sums over all pairs, each pair once, in the vector registers of the machine.

#![allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]

use ndarray::{Array2, ArrayView2};
use pulp::Arch;
use rayon::prelude::*;

/// Points that a point meets at a time.
const CHUNK: usize = 64;
/// Points of one vector register.
const LANES: usize = 8;
/// Separate sums: enough to keep threads busy; they are added in order, so that threads do not change the result.
const SUMS: usize = 8;

/// `Σ_{i≠j} w_ij` and `Σ_j w_ij² (y_i - y_j)` with `w_ij = 1 / (1 + |y_i - y_j|²)`.
pub(super) struct Push {
    /// k x n.
    pub force: Array2<f64>,
    pub total: f64,
}

impl Push {
    /// Of the rows of `y`, n x k.
    pub fn of(y: ArrayView2<f64>) -> Self {
        let (n, k) = y.dim();
        // Coordinate by coordinate, so that loops run along points.
        let flat = y.t().as_standard_layout().into_owned();
        let flat = flat.as_slice().unwrap_or_default();
        let parts: Vec<(Vec<f64>, f64)> = (0..SUMS)
            .into_par_iter()
            .map(|first| {
                let (mut force, mut total) = (vec![0.0; n * k], 0.0);
                let mut own = vec![0.0; k];
                for i in (first..n).step_by(SUMS) {
                    own.fill(0.0);
                    total += Arch::new().dispatch(
                        #[inline(always)]
                        || match k {
                            1 => short_row::<1>(flat, n, i, &mut force, &mut own),
                            2 => short_row::<2>(flat, n, i, &mut force, &mut own),
                            3 => short_row::<3>(flat, n, i, &mut force, &mut own),
                            _ => row(flat, n, k, i, &mut force, &mut own),
                        },
                    );
                    own.iter().enumerate().for_each(|(c, o)| force[c * n + i] += o);
                }
                (force, total)
            })
            .collect();
        let mut force = Array2::zeros((k, n));
        let mut total = 0.0;
        for (part, sum) in parts {
            force.iter_mut().zip(part).for_each(|(f, p)| *f += p);
            // Each pair was met once.
            total += 2.0 * sum;
        }
        Push { force, total }
    }
}

/// Point i against all after it: the sum of w, its own force to `own`, and what it does to the others to `force`.
///
/// Of a picture of K coordinates: a pair stays in registers from its distance to its force.
#[inline(always)]
fn short_row<const K: usize>(y: &[f64], n: usize, i: usize, force: &mut [f64], own: &mut [f64]) -> f64 {
    let here: [f64; K] = std::array::from_fn(|c| y[c * n + i]);
    let there: [&[f64]; K] = std::array::from_fn(|c| &y[c * n + i + 1..(c + 1) * n]);
    let mut columns = force.chunks_exact_mut(n);
    let force: [&mut [f64]; K] =
        std::array::from_fn(|_| columns.next().map_or(&mut [][..], |column| &mut column[i + 1..]));
    let whole = (n - i - 1) / LANES * LANES;
    let (mut sums, mut owns) = ([0.0; LANES], [[0.0; LANES]; K]);
    for at in (0..whole).step_by(LANES) {
        let mut apart = [[0.0; LANES]; K];
        let mut square = [1.0; LANES];
        for c in 0..K {
            let there = &there[c][at..at + LANES];
            for l in 0..LANES {
                apart[c][l] = here[c] - there[l];
                square[l] += apart[c][l] * apart[c][l];
            }
        }
        for l in 0..LANES {
            square[l] = reciprocal(square[l]);
            sums[l] += square[l];
            square[l] *= square[l];
        }
        for c in 0..K {
            let force = &mut force[c][at..at + LANES];
            for l in 0..LANES {
                let push = square[l] * apart[c][l];
                force[l] -= push;
                owns[c][l] += push;
            }
        }
    }
    let mut total = sums.iter().sum();
    for c in 0..K {
        own[c] += owns[c].iter().sum::<f64>();
    }
    for at in whole..n - i - 1 {
        let apart: [f64; K] = std::array::from_fn(|c| here[c] - there[c][at]);
        let w = reciprocal(1.0 + apart.iter().map(|d| d * d).sum::<f64>());
        total += w;
        for c in 0..K {
            force[c][at] -= w * w * apart[c];
            own[c] += w * w * apart[c];
        }
    }
    total
}

/// The same for any number of coordinates.
#[inline(always)]
fn row(y: &[f64], n: usize, k: usize, i: usize, force: &mut [f64], own: &mut [f64]) -> f64 {
    let (mut square, mut sums) = ([0.0; CHUNK], [0.0; CHUNK]);
    let mut start = i + 1;
    while start < n {
        let len = CHUNK.min(n - start);
        let square = &mut square[..len];
        square.fill(1.0);
        for c in 0..k {
            let here = y[c * n + i];
            for (s, there) in square.iter_mut().zip(&y[c * n + start..][..len]) {
                *s += (here - there) * (here - there);
            }
        }
        for (s, sum) in square.iter_mut().zip(&mut sums) {
            let w = reciprocal(*s);
            *sum += w;
            *s = w * w;
        }
        for c in 0..k {
            let here = y[c * n + i];
            let mut lanes = [0.0; CHUNK];
            let there = &y[c * n + start..][..len];
            let force = &mut force[c * n + start..][..len];
            for (((w2, there), f), lane) in square.iter().zip(there).zip(force).zip(&mut lanes) {
                let push = w2 * (here - there);
                *f -= push;
                *lane = push;
            }
            own[c] += added(&lanes);
        }
        start += len;
    }
    added(&sums)
}

/// `1 / s` for s ≥ 1, to 1e-14: from f32, whose division is cheap, by a step of Newton's method.
#[inline(always)]
fn reciprocal(s: f64) -> f64 {
    let rough = f64::from(1.0 / s as f32);
    rough * (2.0 - s * rough)
}

#[inline(always)]
fn added(values: &[f64; CHUNK]) -> f64 {
    let mut sums = [0.0; 8];
    for part in values.as_chunks::<8>().0 {
        for l in 0..8 {
            sums[l] += part[l];
        }
    }
    sums.iter().sum()
}
