//! A process conditioned on data that may be large: what was learned, what happened, and predictions.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::LargeParams;
pub(super) use super::evidence::Parts;
use crate::linalg::{CgInfo, LogDet, Noise};
use crate::models::check::inputs;
use crate::models::gp::FittedGp;
use crate::models::gp::predict::{Prediction, Predictive, noise_of};
use crate::models::gp::regressor::GpRegressor;
use crate::models::plan::Plan;
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::optim::Minimum;
use crate::{Kernel, Matrix, Result};

/// Inputs whose variances are solved for together.
const BLOCK: usize = 64;

/// A process by whichever method fits the memory.
#[derive(Debug)]
pub enum LargeGp {
    /// With a stored and factored covariance.
    Dense(Box<FittedGp>),
    /// Without one.
    MatrixFree(Box<MatrixFreeGp>),
}

impl LargeGp {
    /// The mean at each row of `x`, `m x q`.
    ///
    /// # Errors
    /// As [`FittedGp::predict`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        match self {
            LargeGp::Dense(gp) => gp.predict(x),
            LargeGp::MatrixFree(gp) => gp.predict(x),
        }
    }

    /// Mean and variance at each row of `x`.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`] and [`MatrixFreeGp::predict_variance`].
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<Prediction> {
        match self {
            LargeGp::Dense(gp) => gp.predict_variance(x, what),
            LargeGp::MatrixFree(gp) => gp.predict_variance(x, what).map(|found| found.prediction),
        }
    }

    /// `log p(y | X, θ)`, and its standard error: zero if the matrix is stored.
    pub fn log_marginal_likelihood(&self) -> (f64, f64) {
        match self {
            LargeGp::Dense(gp) => (gp.log_marginal_likelihood(), 0.0),
            LargeGp::MatrixFree(gp) => (gp.log_marginal_likelihood(), gp.standard_error()),
        }
    }

    /// The kernel, with the hyper-parameters that were learned.
    pub fn kernel(&self) -> &Kernel {
        match self {
            LargeGp::Dense(gp) => gp.kernel(),
            LargeGp::MatrixFree(gp) => gp.kernel(),
        }
    }

    /// The noise that was given or learned.
    pub fn noise(&self) -> &Noise {
        match self {
            LargeGp::Dense(gp) => gp.noise(),
            LargeGp::MatrixFree(gp) => gp.noise(),
        }
    }

    /// Whether the covariance was stored.
    pub fn is_dense(&self) -> bool {
        matches!(self, LargeGp::Dense(_))
    }
}

/// A process whose covariance is never stored.
#[derive(Debug)]
pub struct MatrixFreeGp {
    model: GpRegressor,
    params: LargeParams,
    plan: Plan,
    parts: Parts,
    minimum: Option<Minimum>,
}

/// Means and variances, and how much too large the variances may be.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundedPrediction {
    /// Means and variances.
    pub prediction: Prediction,
    /// A bound of `variance - exact variance`, which is never negative: `|r|² / noise` for the residual r of the
    /// solve that the variance was made of.
    pub excess: Array1<f64>,
}

impl MatrixFreeGp {
    pub(super) fn around(
        model: &GpRegressor,
        params: &LargeParams,
        plan: Plan,
        parts: Parts,
        minimum: Option<Minimum>,
    ) -> Self {
        MatrixFreeGp { model: model.clone(), params: params.clone(), plan, parts, minimum }
    }

    /// The mean at each row of `x`: `m(x) + k(x, X)α`, `m x q`, summed in f64 on the CPU.
    ///
    /// # Errors
    /// As [`FittedGp::predict`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let host = &self.parts.system.x_host;
        inputs("MatrixFreeGp::predict", x, host.cols())?;
        let alpha = Matrix::from_host(self.parts.alpha.clone());
        let spread =
            gram_vec(self.kernel(), &Matrix::from_host(x.to_owned()), Some(host), &alpha)?.into_array()?;
        Ok(spread + self.model.mean.at(x, &self.parts.trend.coefficients))
    }

    /// Mean and variance at each row of `x`: one solve by conjugate gradients for each of them, 64 at a time.
    ///
    /// With w the solution reached and r its residual, `2k(x, X)w - wᵀCw` falls short of `k(x, X)C⁻¹k(X, x)` by
    /// `rᵀC⁻¹r`: the variance is never too small, and too large by at most `|r|² / noise`.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`]; [`Error::NoConvergence`](crate::Error::NoConvergence).
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<BoundedPrediction> {
        let noise = noise_of(&self.model.noise, what)?;
        let mean = self.predict(x)?;
        let system = &self.parts.system;
        let floor = system.noise().fold(f64::INFINITY, |m, v| m.min(*v));
        let (mut variance, mut excess) = (Vec::with_capacity(x.nrows()), Vec::with_capacity(x.nrows()));
        for some in x.axis_chunks_iter(Axis(0), BLOCK) {
            let at = Matrix::from_host(some.to_owned());
            let prior = gram_diagonal(self.kernel(), &at)?.into_array()?;
            let across = gram(self.kernel(), &system.x_host, Some(&at))?.into_array()?;
            let w = system.solve(across.view(), self.params.variance_tolerance, &self.params)?.x;
            let image = system.apply(w.view())?;
            for j in 0..some.nrows() {
                let (k, w, image) = (across.column(j), w.column(j), image.column(j));
                let explained = 2.0 * k.dot(&w) - w.dot(&image);
                let rest = &k - &image;
                variance.push((prior[[j, 0]] - explained).max(0.0) + noise);
                excess.push(rest.dot(&rest) / floor);
            }
        }
        let prediction = Prediction { mean, variance: Array1::from(variance) };
        Ok(BoundedPrediction { prediction, excess: Array1::from(excess) })
    }

    /// `log p(y | X, θ)`, estimated.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.parts.value
    }

    /// The standard error of [`log_marginal_likelihood`](Self::log_marginal_likelihood).
    pub fn standard_error(&self) -> f64 {
        self.parts.standard_error()
    }

    /// How the log-determinant was found.
    pub fn log_det(&self) -> &LogDet {
        &self.parts.log_det
    }

    /// How α was found.
    pub fn info(&self) -> &CgInfo {
        &self.parts.info
    }

    /// What was done, and what it took.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// `α = C⁻¹(y - m(X))`, `n x q`.
    pub fn alpha(&self) -> &Array2<f64> {
        &self.parts.alpha
    }

    /// β of the mean function; it has no rows for a mean of zero.
    pub fn coefficients(&self) -> &Array2<f64> {
        &self.parts.trend.coefficients
    }

    /// The kernel, with the hyper-parameters that were learned.
    pub fn kernel(&self) -> &Kernel {
        self.model.kernel()
    }

    /// The noise that was given or learned.
    pub fn noise(&self) -> &Noise {
        &self.model.noise
    }

    /// The search for the hyper-parameters, if there was one.
    pub fn optimisation(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }
}
