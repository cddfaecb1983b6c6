//! Automatic relevance: a precision for each column of the loadings, estimated with them.
//!
//! The prior is `p(W, α) ∝ Π_j α_j^{d/2} exp(-α_j (‖w_j‖²/2 + b))`. Without b the objective has no bound as a column
//! vanishes; b is small beside any variance of the data.

use ndarray::{Array1, Array2, Axis};

use crate::Result;
use crate::linalg::eigh;

/// b, relative to the mean variance of a column of the data.
const FLOOR: f64 = 1e-9;
/// A column whose square is below this share of the largest one, has gone.
const GONE: f64 = 1e-6;

/// The hyper-prior of the precisions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ard {
    b: f64,
}

impl Ard {
    pub fn new(variance: f64) -> Self {
        Ard { b: FLOOR * variance }
    }

    /// The precisions that are most probable given W.
    pub fn precisions(self, w: &Array2<f64>) -> Array1<f64> {
        squares(w).mapv(|s| w.nrows() as f64 / (s + 2.0 * self.b))
    }

    /// `log p(W, α)`, but for constants.
    pub fn log_prior(self, w: &Array2<f64>, alpha: &Array1<f64>) -> f64 {
        let d = w.nrows() as f64;
        let each = |(s, a): (&f64, &f64)| 0.5 * d * a.ln() - a * (0.5 * s + self.b);
        squares(w).iter().zip(alpha).map(each).sum()
    }
}

/// The loadings turned to orthogonal columns, and their precisions; as they were, if there is no prior.
///
/// The likelihood does not notice a rotation, and of all rotations this one has the least `Π ‖w_j‖²`, so the largest
/// prior: two columns never share what one of them could carry.
pub(super) fn update(ard: Option<Ard>, w: Array2<f64>) -> Result<(Array2<f64>, Option<Array1<f64>>)> {
    let Some(ard) = ard else { return Ok((w, None)) };
    let w = w.dot(&eigh(w.t().dot(&w).view())?.vectors);
    let alpha = ard.precisions(&w);
    Ok((w, Some(alpha)))
}

/// The columns that are left, the first at least, with their precisions.
pub(super) fn relevant(w: Array2<f64>, alpha: Option<Array1<f64>>) -> (Array2<f64>, Option<Array1<f64>>) {
    let Some(alpha) = alpha else { return (w, None) };
    let sizes = squares(&w);
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let mut kept: Vec<usize> = (0..w.ncols()).filter(|&j| sizes[j] > GONE * largest).collect();
    if kept.is_empty() {
        kept.push(0);
    }
    kept.sort_by(|&i, &j| sizes[j].total_cmp(&sizes[i]));
    (w.select(Axis(1), &kept), Some(alpha.select(Axis(0), &kept)))
}

fn squares(w: &Array2<f64>) -> Array1<f64> {
    w.map_axis(Axis(0), |column| column.dot(&column))
}
