//! `p_ij`: how much each point is another's neighbour, with as many neighbours as the perplexity says.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::Result;
use crate::check::{blame, parameter};

/// Halvings of the interval that the precision of a Gaussian lies in.
const HALVINGS: usize = 200;
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

/// `p_ij = (p_{j|i} + p_{i|j}) / (2 n)`: stored if that fits the budget, else made again from n precisions.
pub(super) struct Affinities<'a> {
    x: ArrayView2<'a, f64>,
    bells: Vec<Bell>,
    stored: Option<Vec<f64>>,
}

impl<'a> Affinities<'a> {
    pub fn new(op: &'static str, x: ArrayView2<'a, f64>, perplexity: f64, budget: u64) -> Result<Self> {
        let n = x.nrows();
        let holds = perplexity > 1.0 && perplexity <= n as f64 - 1.0;
        parameter("perplexity", perplexity, holds, "must be above 1 and below the number of points")?;
        let bells = (0..n).into_par_iter().map(|i| {
            let others: Vec<f64> = (0..n).filter(|&j| j != i).map(|j| square(x.row(i), x.row(j))).collect();
            let finite = others.iter().all(|d| d.is_finite());
            finite.then(|| Bell::new(&others, perplexity))
        });
        let bells: Option<Vec<Bell>> = bells.collect();
        let Some(bells) = bells else { return Err(blame(op, x)) };
        let mut all = Affinities { x, bells, stored: None };
        let fits = 8.0 * (n as f64).powi(2) <= budget as f64;
        if fits {
            let mut stored = Vec::new();
            if stored.try_reserve_exact(n * n).is_ok() {
                stored.resize(n * n, 0.0);
                stored.par_chunks_mut(n).enumerate().for_each(|(i, row)| all.fill(i, row));
                all.stored = Some(stored);
            }
        }
        Ok(all)
    }

    pub fn len(&self) -> usize {
        self.bells.len()
    }

    /// Whether all of them are held in memory.
    pub fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Row i of the matrix, in `scratch` if it is not stored.
    pub fn row<'s>(&'s self, i: usize, scratch: &'s mut Vec<f64>) -> &'s [f64] {
        let n = self.len();
        if let Some(all) = &self.stored {
            return &all[i * n..(i + 1) * n];
        }
        scratch.resize(n, 0.0);
        self.fill(i, scratch);
        scratch
    }

    fn fill(&self, i: usize, row: &mut [f64]) {
        let share = 0.5 / self.len() as f64;
        for (j, p) in row.iter_mut().enumerate() {
            let d = square(self.x.row(i), self.x.row(j));
            *p = if i == j { 0.0 } else { share * (self.bells[i].at(d) + self.bells[j].at(d)) };
        }
    }
}

pub(super) fn square(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
