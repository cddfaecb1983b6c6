//! Laplace's approximation to the posterior of logistic weights, each with a prior of its own.

use ndarray::{Array1, Array2, Axis};

use crate::learn::classify::{Task, sigmoid, softplus};
use crate::linalg::{SpdFactor, SpdParams};
use crate::{Device, Result};

/// Most Newton steps to a mode: the problem is convex, and a few do.
const STEPS: usize = 100;

/// The posterior of the weights of the columns that are in, by Laplace's approximation.
pub(super) struct Laplace {
    pub mean: Array1<f64>,
    pub covariance: Array2<f64>,
    pub log_evidence: f64,
    /// The gradient of the log-likelihood by the scores, and minus its curvature.
    pub slope: Array1<f64>,
    pub curvature: Array1<f64>,
}

/// The mode of `Σ s_i ln σ(±φ_iw) - ½wᵀAw` by Newton's method, from `start`, and what is around it.
pub(super) fn laplace(phi: &Array2<f64>, task: &Task, alpha: &[f64], start: &Array1<f64>) -> Result<Laplace> {
    let k = phi.ncols();
    let sign = |i: usize| if task.index[i] == 1 { 1.0 } else { -1.0 };
    let root: Array1<f64> = alpha.iter().map(|a| a.sqrt()).collect();
    // In units of the prior the curvature is I + A^-½ΦᵀBΦA^-½, whose eigenvalues are at least one.
    let scaled = phi / &root;
    let objective = |v: &Array1<f64>, a: &Array1<f64>| {
        let loss: f64 = (0..a.len()).map(|i| task.weights[i] * softplus(-sign(i) * a[i])).sum();
        loss + 0.5 * v.dot(v)
    };
    let mut v = start * &root;
    let mut scores = scaled.dot(&v);
    let mut value = objective(&v, &scores);
    let mut steps = 0;
    loop {
        let each = |f: &dyn Fn(usize) -> f64| Array1::from_shape_fn(scores.len(), |i| task.weights[i] * f(i));
        let slope = each(&|i| sign(i) * sigmoid(-sign(i) * scores[i]));
        let curvature = each(&|i| sigmoid(scores[i]) * sigmoid(-scores[i]));
        let around =
            (&scaled * &curvature.view().insert_axis(Axis(1))).t().dot(&scaled) + Array2::<f64>::eye(k);
        let factor = SpdFactor::new(&Device::cpu(), around.view(), &SpdParams::default())?;
        let gradient = scaled.t().dot(&slope) - &v;
        let step = factor.solve(gradient.view().insert_axis(Axis(1)))?.x.column(0).to_owned();
        let gain = gradient.dot(&step);
        steps += 1;
        if gain <= 1e-18 * (1.0 + value) || steps == STEPS {
            let inverse = factor.inverse()?.x;
            let covariance = &inverse / &root / root.view().insert_axis(Axis(1));
            let log_evidence = -value - 0.5 * factor.log_det()?;
            return Ok(Laplace { mean: v / root, covariance, log_evidence, slope, curvature });
        }
        let mut size = 1.0;
        loop {
            let next = &v + &(size * &step);
            let there = scaled.dot(&next);
            let lower = objective(&next, &there);
            if lower <= value - 1e-4 * size * gain || size < 1e-9 {
                // At the end rounding hides what a step gains; it is taken all the same, and the search ends.
                steps = if size < 1e-9 { STEPS - 1 } else { steps };
                (v, scores, value) = (next, there, lower.min(value));
                break;
            }
            size *= 0.5;
        }
    }
}
