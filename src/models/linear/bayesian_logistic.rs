//! Bayesian logistic regression by Laplace's approximation. Checked in `tests/classify/bayesian.rs` against the Gaussian
//! process with a linear kernel.

use std::f64::consts::FRAC_PI_8;

use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::logistic::solve;
#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{inputs, parameter, positive, require, zeros};
use crate::learn::classify::{Body, Probable, Task, classifier_fits, fitted_classifier, sigmoid, softplus};
use crate::learn::configure::{getters, setters};
use crate::learn::{Inputs, Report, Reported};
use crate::linalg::small_cholesky::{Small, cholesky};
use crate::probability::normal::density;
use crate::{Device, Progress, Result};

/// How `p(y | x) = ∫ σ(a) N(a; μ, v) da` is computed from the posterior of the score a.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PosteriorAverage {
    /// The integral itself, by the trapezoidal rule.
    #[default]
    Quadrature,
    /// `σ(μ/√(1 + πv/8))`, wrong by at most 0.02.
    ProbitFormula,
    /// The mean over draws of the weights, the same for all rows.
    MonteCarlo {
        /// How many draws there are.
        samples: usize,
        /// Seed of the draws.
        seed: u64,
    },
}

/// `p(w | data) ≈ N(w; ŵ, H⁻¹)` for `p(second | x) = σ(wᵀx̃)`, `x̃ = (x, 1)` and the prior `w ~ N(0, I/α)`: ŵ is the mode,
/// `H = αI + Σ s_i σ'(a_i) x̃_i x̃_iᵀ` the curvature there.
///
/// It is the Gaussian process with the kernel `(xᵀx' + 1)/α` in weight space, `O(n d²)` instead of `O(n³)`. The intercept
/// has the prior of the weights. Two classes alone; computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
/// let fit = BayesianLogisticRegression::new(1.0).fit(&Device::cpu(), &x, [-1, -1, 1, -1, 1, 1])?;
/// assert!((fit.mean()[0] - 0.4123753392).abs() < 1e-9 && (fit.mean()[1] + 0.5869746091).abs() < 1e-9);
/// assert!((fit.log_evidence() + 4.874612447).abs() < 1e-8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianLogisticRegression {
    precision: f64,
    intercept: bool,
    max_iterations: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl BayesianLogisticRegression {
    /// With the precision α > 0 of the prior, and an intercept.
    pub fn new(precision: f64) -> Self {
        let progress = Progress::none();
        BayesianLogisticRegression { precision, intercept: true, max_iterations: 100, progress }
    }
}

setters!(BayesianLogisticRegression {
    /// The precision α > 0 of the prior.
    precision: f64,
    /// Whether there is an intercept.
    intercept: bool,
    /// Most Newton steps; 100 by default.
    max_iterations: usize,
    /// Called after every step with minus the log-posterior, up to a constant; it can cancel.
    progress: Progress,
});

classifier_fits!(BayesianLogisticRegression: FittedBayesianLogisticRegression);

/// `(x, 1)`, or x.
fn extended(x: ArrayView2<f64>, intercept: bool) -> Array2<f64> {
    if !intercept {
        return x.to_owned();
    }
    let ones = Array2::ones((x.nrows(), 1));
    concatenate(Axis(1), &[x, ones.view()]).expect("as many rows")
}

impl BayesianLogisticRegression {
    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        let op = "BayesianLogisticRegression::fit";
        positive("precision", self.precision)?;
        require(op, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        let phi = extended(task.x.view(), self.intercept);
        let (p, alpha) = (phi.ncols(), self.precision);
        let sign = |i: usize| if task.index[i] == 1 { 1.0 } else { -1.0 };
        let objective = |w: &Array1<f64>| {
            let a = phi.dot(w);
            let loss: f64 = (0..a.len()).map(|i| task.weights[i] * softplus(-sign(i) * a[i])).sum();
            loss + 0.5 * alpha * w.dot(w)
        };
        let curvature = |w: &Array1<f64>| {
            let a = phi.dot(w);
            let r = Array1::from_shape_fn(a.len(), |i| task.weights[i] * sigmoid(a[i]) * sigmoid(-a[i]));
            let mut h = (&phi * &r.insert_axis(Axis(1))).t().dot(&phi);
            h.diag_mut().mapv_inplace(|v| v + alpha);
            h
        };
        let mut w = Array1::zeros(p);
        let (mut trace, mut converged) = (vec![objective(&w)], false);
        while trace.len() <= self.max_iterations && !converged {
            let a = phi.dot(&w);
            let slope =
                Array1::from_shape_fn(a.len(), |i| -sign(i) * task.weights[i] * sigmoid(-sign(i) * a[i]));
            let g = phi.t().dot(&slope) + alpha * &w;
            let step = solve(curvature(&w).view(), g.view())?.0;
            let (gain, value, mut size) = (g.dot(&step), trace[trace.len() - 1], 1.0);
            converged = gain <= 1e-14 * (1.0 + value.abs());
            while objective(&(&w - &(size * &step))) > value - 1e-4 * size * gain && size > 1e-10 {
                size *= 0.5;
            }
            if size > 1e-10 {
                w.scaled_add(-size, &step);
            } else {
                converged = true;
            }
            trace.push(objective(&w));
            self.progress.report(op, trace.len() - 1, self.max_iterations, trace[trace.len() - 1])?;
        }
        if w.iter().any(|v| !v.is_finite()) {
            return Err(crate::check::blame(op, task.x.view()));
        }
        let h = Small::new(op, curvature(&w).view())?;
        let covariance = h.inverse(p);
        let value = trace[trace.len() - 1];
        let log_evidence = -value + 0.5 * p as f64 * alpha.ln() - 0.5 * h.log_det;
        let report = Report::new(trace.clone(), trace.len() - 1, converged, vec![value]);
        Ok(Found { mean: w, covariance, intercept: self.intercept, log_evidence, report })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    covariance: Array2<f64>,
    intercept: bool,
    log_evidence: f64,
    report: Report,
}

impl Found {
    /// The mean and the variance of the score of each row.
    fn latent(&self, x: ArrayView2<f64>) -> (Array1<f64>, Array1<f64>) {
        let phi = extended(x, self.intercept);
        let variance = (phi.dot(&self.covariance) * &phi).sum_axis(Axis(1)).mapv(|v| v.max(0.0));
        (phi.dot(&self.mean), variance)
    }

    fn draws(&self, op: &'static str, count: usize, seed: u64) -> Result<Array2<f64>> {
        parameter("samples", count as f64, count > 0, "must be at least 1")?;
        let p = self.mean.len();
        let mut l: Vec<f64> = self.covariance.iter().copied().collect();
        cholesky(&mut l, p).map_err(|pivot| pivot.error(op))?;
        let l = Array2::from_shape_fn((p, p), |(i, j)| if j <= i { l[i * p + j] } else { 0.0 });
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut z = zeros("samples", count, p)?;
        z.iter_mut().for_each(|v| *v = StandardNormal.sample(&mut rng));
        Ok(z.dot(&l.t()) + &self.mean)
    }

    fn probabilities(&self, x: ArrayView2<f64>, by: PosteriorAverage) -> Result<Array2<f64>> {
        let (mean, variance) = self.latent(x);
        let second: Array1<f64> = match by {
            PosteriorAverage::ProbitFormula => {
                mean.iter().zip(&variance).map(|(m, v)| sigmoid(m / (1.0 + FRAC_PI_8 * v).sqrt())).collect()
            }
            PosteriorAverage::Quadrature => {
                mean.iter().zip(&variance).map(|(m, v)| mean_sigmoid(*m, v.sqrt())).collect()
            }
            PosteriorAverage::MonteCarlo { samples, seed } => {
                let w = self.draws("FittedBayesianLogisticRegression::predict_proba", samples, seed)?;
                let scores = extended(x, self.intercept).dot(&w.t());
                scores.mapv(sigmoid).sum_axis(Axis(1)) / samples as f64
            }
        };
        Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second])
    }
}

/// `∫ σ(a) N(a; mean, sd²) da` by the trapezoidal rule, whose error falls geometrically: σ is analytic where |Im a| < π.
fn mean_sigmoid(mean: f64, sd: f64) -> f64 {
    if sd == 0.0 {
        return sigmoid(mean);
    }
    let step = 0.5f64.min(0.5 / sd).max(1e-4);
    let steps = (8.5 / step).ceil() as i64;
    // The smaller of the two probabilities is summed, and keeps its digits.
    let below = -mean.abs();
    let sum = |k: i64| {
        let z = k as f64 * step;
        sigmoid(below + sd * z) * density(z)
    };
    let small = step * (-steps..=steps).map(sum).sum::<f64>();
    if mean > 0.0 { 1.0 - small } else { small }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.mean.len() - usize::from(self.intercept)
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.latent(x).0.insert_axis(Axis(1)))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let p = self.mean.len();
        let fits = classes == 2 && self.covariance.dim() == (p, p) && p > usize::from(self.intercept);
        require(op, fits, || "a mean and a covariance that do not fit".to_owned())?;
        finite(op, "the mean", self.mean.view().insert_axis(Axis(1)))?;
        finite(op, "the covariance", self.covariance.view())
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.probabilities(x, PosteriorAverage::Quadrature)
    }
}

fitted_classifier! {
    /// The posterior of [`BayesianLogisticRegression`]. `predict_proba` averages by quadrature.
    FittedBayesianLogisticRegression(Found): Probable
}

getters!(FittedBayesianLogisticRegression<L> {
    /// The mode ŵ: the coefficients, then the intercept if there is one.
    mean => found.mean: &Array1<f64>,
    /// The covariance `H⁻¹` of the weights.
    covariance => found.covariance: &Array2<f64>,
    /// `ln p(data)`, by Laplace's approximation.
    log_evidence => found.log_evidence: f64,
    /// How the search for the mode went; its objectives are minus log-posteriors, up to a constant.
    report => found.report: &Report,
});

impl<L: Ord + Clone> FittedBayesianLogisticRegression<L> {
    /// The mean and the variance of the score `wᵀx̃` of each row of `x`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn latent(&self, x: impl Inputs) -> Result<(Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        inputs("FittedBayesianLogisticRegression::latent", x.view(), self.found.features())?;
        Ok(self.found.latent(x.view()))
    }

    /// Probabilities of both classes, averaged over the posterior in this way.
    ///
    /// # Errors
    /// As `predict`; [`Error::Parameter`](crate::Error::Parameter) for no draws, or more than memory has room for.
    pub fn predict_proba_by(&self, x: impl Inputs, by: PosteriorAverage) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs("FittedBayesianLogisticRegression::predict_proba_by", x.view(), self.found.features())?;
        self.found.probabilities(x.view(), by)
    }

    /// Draws of the weights from their posterior, one a row; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for none, or more than memory has room for.
    pub fn sample_weights(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        self.found.draws("FittedBayesianLogisticRegression::sample_weights", count, seed)
    }
}

impl<L> Reported for FittedBayesianLogisticRegression<L> {
    fn report(&self) -> &Report {
        &self.found.report
    }
}
