//! `p_ij`: how much each point is another's neighbour, with as many neighbours as the perplexity says.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::check::{blame, parameter};
use crate::matrix::{Origin, Points, SparseMatrix};
use crate::ops::nearest_k;
use crate::{Device, Result};

/// Halvings of the interval that the precision of a Gaussian lies in.
const HALVINGS: usize = 200;
/// Most points of which all are neighbours.
const FEW: usize = 1000;
/// Error of the entropy that is small enough.
const EXACT: f64 = 1e-10;

/// The Gaussian around one point: `p_j = exp(-β (d_j² - nearest)) / sum`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bell {
    beta: f64,
    nearest: f64,
    sum: f64,
}

impl Bell {
    /// The one whose distribution over these squared distances has this perplexity, by bisection.
    pub fn new(squares: &[f64], perplexity: f64) -> Self {
        let nearest = squares.iter().copied().fold(f64::INFINITY, f64::min);
        let unit = squares.iter().map(|d| d - nearest).sum::<f64>() / squares.len() as f64;
        let entropy = |beta: f64| {
            let (mut sum, mut mean) = (0.0, 0.0);
            for d in squares {
                let w = (-beta * (d - nearest)).exp();
                sum += w;
                mean += w * (d - nearest);
            }
            (sum.ln() + beta * mean / sum, sum)
        };
        let wanted = perplexity.ln();
        // All at one distance: every precision says the same.
        if unit <= 0.0 || !unit.is_finite() {
            return Bell { beta: 0.0, nearest, sum: squares.len() as f64 };
        }
        let (mut low, mut high, mut beta) = (0.0, f64::INFINITY, 1.0 / unit);
        for _ in 0..HALVINGS {
            let off = entropy(beta).0 - wanted;
            if off.abs() <= EXACT {
                break;
            }
            if off > 0.0 {
                low = beta;
                beta = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * beta };
            } else {
                high = beta;
                beta = 0.5 * (low + high);
            }
            // Many points at the least distance hold the entropy above what is wanted: the limit is uniform over them.
            if !(beta * unit).is_finite() || beta * unit > 1e300 {
                beta = low;
                break;
            }
        }
        Bell { beta, nearest, sum: entropy(beta).1 }
    }

    pub fn at(&self, square: f64) -> f64 {
        (-self.beta * (square - self.nearest)).exp() / self.sum
    }
}

/// `p_ij = (p_{j|i} + p_{i|j}) / (2 n)` where either is among the nearest of the other; all other pairs have none.
///
/// Of few points all are neighbours. Of more a point has three for each of its perplexity: what lies beyond them has next to
/// no affinity. They are searched on the device; distances between them are computed in f64.
pub(super) fn affinities(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    perplexity: f64,
) -> Result<SparseMatrix> {
    let (n, d) = x.dim();
    let holds = perplexity > 1.0 && perplexity <= n as f64 - 1.0;
    parameter("perplexity", perplexity, holds, "must be above 1 and below the number of points")?;
    let count = if n <= FEW { n - 1 } else { ((3.0 * perplexity) as usize + 1).min(n - 1) };
    // Where all are neighbours there is nothing to search.
    let flops = if n <= FEW { 0.0 } else { 3.0 * (n * n) as f64 * d as f64 };
    let points = Points::new(op, device, x, Origin::Free, flops)?;
    let near = nearest_k(points.matrix()?, points.matrix()?, count + 1)?;
    let share = 0.5 / n as f64;
    let half = |i: usize| {
        // The point itself is not its neighbour; of too many that equal it, it may be missing.
        let others: Vec<usize> = near.index.row(i).iter().copied().filter(|j| *j != i).take(count).collect();
        let squares: Vec<f64> = others.iter().map(|&j| square(x.row(i), x.row(j))).collect();
        let bell = Bell::new(&squares, perplexity);
        let known = squares.iter().all(|d| d.is_finite());
        known.then(|| others.into_iter().zip(squares).map(|(j, d)| (j, share * bell.at(d))).collect())
    };
    let halves: Option<Vec<Vec<(usize, f64)>>> = (0..n).into_par_iter().map(half).collect();
    let halves = halves.ok_or_else(|| blame(op, x))?;
    let mut rows = halves.clone();
    for (i, half) in halves.iter().enumerate() {
        for &(j, p) in half {
            rows[j].push((i, p));
        }
    }
    rows.par_iter_mut().for_each(|row| {
        row.sort_by_key(|entry| entry.0);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    });
    let ends = rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    });
    let offsets = std::iter::once(0).chain(ends).collect();
    let (columns, values) = rows.into_iter().flatten().unzip();
    SparseMatrix::from_rows(n, n, offsets, columns, values)
}

pub(super) fn square(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
