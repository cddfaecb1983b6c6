//! A process conditioned on data: what was learned, and what happened.

use ndarray::{Array2, ArrayView2};

use super::evidence::Conditioned;
use super::mean::Mean;
use super::regressor::GpRegressor;
use crate::linalg::{Certificate, Noise, SpdFactor};
use crate::optim::Minimum;
use crate::{Device, Kernel, Matrix, Result};

/// A [`GpRegressor`] conditioned on data.
#[derive(Debug)]
pub struct FittedGp {
    /// With the hyper-parameters that were learned.
    pub(super) model: GpRegressor,
    /// On the host.
    pub(super) x: Matrix,
    /// Where the factor lives.
    pub(super) resident: Matrix,
    pub(super) y: Array2<f64>,
    pub(super) conditioned: Conditioned,
    pub(super) minimum: Option<Minimum>,
}

impl FittedGp {
    pub(super) fn new(
        model: GpRegressor,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        minimum: Option<Minimum>,
    ) -> Result<Self> {
        let conditioned = Conditioned::new(&model, device, x, y)?;
        Self::around(model, x.to_owned(), y.to_owned(), conditioned, minimum)
    }

    pub(super) fn around(
        model: GpRegressor,
        x: Array2<f64>,
        y: Array2<f64>,
        conditioned: Conditioned,
        minimum: Option<Minimum>,
    ) -> Result<Self> {
        let x = Matrix::from_host(x);
        let resident = x.to_device(&conditioned.factor.factor().device())?;
        Ok(FittedGp { model, x, resident, y, conditioned, minimum })
    }

    /// The model, with the hyper-parameters that were learned.
    pub fn model(&self) -> &GpRegressor {
        &self.model
    }

    /// The kernel, with the hyper-parameters that were learned.
    pub fn kernel(&self) -> &Kernel {
        &self.model.kernel
    }

    /// The noise that was given or learned.
    pub fn noise(&self) -> &Noise {
        &self.model.noise
    }

    /// The mean function.
    pub fn mean(&self) -> Mean {
        self.model.mean
    }

    /// β of the mean function, `p x q`: the constant first. It has no rows for a mean of zero.
    pub fn coefficients(&self) -> &Array2<f64> {
        &self.conditioned.trend.coefficients
    }

    /// The inputs, `n x d`.
    pub fn x(&self) -> ArrayView2<'_, f64> {
        self.x.cpu().view()
    }

    /// The targets, `n x q`.
    pub fn y(&self) -> ArrayView2<'_, f64> {
        self.y.view()
    }

    /// `α = C⁻¹(y - m(X))`, `n x q`: the mean of the posterior is `m(x) + k(x, X)α`.
    pub fn alpha(&self) -> &Array2<f64> {
        &self.conditioned.alpha
    }

    /// The factored covariance `C = K + noise`.
    pub fn factor(&self) -> &SpdFactor {
        &self.conditioned.factor
    }

    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.conditioned.log_marginal_likelihood
    }

    /// The gradient of the log marginal likelihood by [`GpRegressor::theta`] of [`FittedGp::model`].
    ///
    /// # Errors
    /// Those of the device.
    pub fn log_marginal_likelihood_gradient(&self) -> Result<Vec<f64>> {
        self.conditioned.gradient(&self.model, self.x())
    }

    /// How good α is. On the CPU its condition is NaN: see [`FittedGp::condition`].
    pub fn certificate(&self) -> &Certificate {
        &self.conditioned.certificate
    }

    /// An estimate of the condition number of C. A fit on the CPU has no use for it, and leaves its dozen triangular
    /// solves to whoever asks.
    ///
    /// # Errors
    /// Those of the device.
    pub fn condition(&self) -> Result<f64> {
        self.conditioned.factor.estimate_condition()
    }

    /// What was added to the diagonal of C besides the noise; zero unless it was allowed and needed.
    pub fn jitter(&self) -> f64 {
        self.conditioned.factor.jitter()
    }

    /// The search for the hyper-parameters, of the negative log posterior: its trace, and why it stopped. None if they
    /// stayed as given.
    pub fn optimisation(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }
}
