//! A process conditioned on data: what was learned, and what happened.

use ndarray::{Array2, ArrayView2};

use super::evidence::Conditioned;
use super::matrix_free::Parts;
use super::mean::{Mean, Trend};
use super::regressor::GpRegressor;
use super::dense::Stored;
use crate::linalg::{Certificate, CgInfo, LogDet, Noise, SpdFactor};
use crate::learn::plan::{Method, Plan};
use crate::optim::Minimum;
use crate::{Device, Kernel, Matrix, Result};

/// A [`GpRegressor`] conditioned on data, with or without a stored covariance: [`FittedGp::method`] says which.
///
/// Without one, [`FittedGp::factor`] and what is made of it are [`Error::OverBudget`](crate::Error::OverBudget), and the
/// likelihood is an estimate with a [standard error](FittedGp::standard_error).
#[derive(Debug)]
pub struct FittedGp {
    /// With the hyper-parameters that were learned.
    pub(super) model: GpRegressor,
    /// What the fit was asked to run on.
    pub(super) device: Device,
    /// On the host.
    pub(super) x: Matrix,
    pub(super) y: Array2<f64>,
    pub(super) plan: Plan,
    pub(super) posterior: Posterior,
    pub(super) minimum: Option<Minimum>,
}

/// What predictions are made of.
#[derive(Debug)]
pub(super) enum Posterior {
    Stored(Box<Stored>),
    MatrixFree(Box<Parts>),
}

impl FittedGp {
    pub(super) fn new(
        model: GpRegressor,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        plan: Plan,
        minimum: Option<Minimum>,
    ) -> Result<Self> {
        let (posterior, x) = if let Method::MatrixFree { rank } = plan.method {
            let parts = Parts::new(&model, device, x, y, rank, &model.large)?;
            let x = parts.points().clone();
            (Posterior::MatrixFree(Box::new(parts)), x)
        } else {
            let conditioned = Conditioned::new(&model, device, x, y)?;
            let x = Matrix::from_host(x.to_owned());
            (Posterior::Stored(Box::new(Stored::new(model.kernel(), &x, conditioned)?)), x)
        };
        Ok(FittedGp { model, device: device.clone(), x, y: y.to_owned(), plan, posterior, minimum })
    }

    /// What only a stored covariance has, or why there is none.
    pub(super) fn stored(&self, op: &'static str, instead: &'static str) -> Result<&Stored> {
        match &self.posterior {
            Posterior::Stored(stored) => Ok(stored),
            Posterior::MatrixFree(_) => {
                let size = (self.x.rows(), self.x.cols(), self.y.ncols());
                Err(self.model.refusal(op, &self.device, size, instead))
            }
        }
    }

    pub(super) fn trend(&self) -> &Trend {
        match &self.posterior {
            Posterior::Stored(stored) => &stored.conditioned.trend,
            Posterior::MatrixFree(parts) => &parts.trend,
        }
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
        &self.trend().coefficients
    }

    /// The inputs, `n x d`.
    pub fn x(&self) -> ArrayView2<'_, f64> {
        self.x.cpu().view()
    }

    /// The targets, `n x q`.
    pub fn y(&self) -> ArrayView2<'_, f64> {
        self.y.view()
    }

    /// What was done, and what it took.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether the covariance was stored, and what was done if not.
    pub fn method(&self) -> Method {
        self.plan.method
    }

    /// `α = C⁻¹(y - m(X))`, `n x q`: the mean of the posterior is `m(x) + k(x, X)α`.
    pub fn alpha(&self) -> &Array2<f64> {
        match &self.posterior {
            Posterior::Stored(stored) => &stored.conditioned.alpha,
            Posterior::MatrixFree(parts) => &parts.alpha,
        }
    }

    /// The factored covariance `C = K + noise`.
    ///
    /// # Errors
    /// [`Error::OverBudget`](crate::Error::OverBudget) if it was not stored;
    /// [`Error::TooLarge`](crate::Error::TooLarge) if that was for the adapter's sake.
    pub fn factor(&self) -> Result<&SpdFactor> {
        let stored = self.stored("FittedGp::factor", "ask for means and variances only")?;
        Ok(&stored.conditioned.factor)
    }

    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub fn log_marginal_likelihood(&self) -> f64 {
        match &self.posterior {
            Posterior::Stored(stored) => stored.conditioned.log_marginal_likelihood,
            Posterior::MatrixFree(parts) => parts.value,
        }
    }

    /// The standard error of [`FittedGp::log_marginal_likelihood`]: zero if the covariance was stored.
    pub fn standard_error(&self) -> f64 {
        match &self.posterior {
            Posterior::Stored(_) => 0.0,
            Posterior::MatrixFree(parts) => parts.standard_error(),
        }
    }

    /// The gradient of the log marginal likelihood by [`GpRegressor::theta`] of [`FittedGp::model`].
    ///
    /// # Errors
    /// As [`FittedGp::factor`]; those of the device.
    pub fn log_marginal_likelihood_gradient(&self) -> Result<Vec<f64>> {
        let stored =
            self.stored("FittedGp::log_marginal_likelihood_gradient", "use `stochastic_evidence`")?;
        stored.conditioned.gradient(&self.model, self.x())
    }

    /// How good α is. On the CPU its condition is NaN: see [`FittedGp::condition`]. Of conjugate gradients the steps are
    /// the iterations, and the backward error is a bound.
    pub fn certificate(&self) -> &Certificate {
        match &self.posterior {
            Posterior::Stored(stored) => &stored.conditioned.certificate,
            Posterior::MatrixFree(parts) => &parts.certificate,
        }
    }

    /// How conjugate gradients went; none if the covariance was stored.
    pub fn conjugate_gradients(&self) -> Option<&CgInfo> {
        match &self.posterior {
            Posterior::Stored(_) => None,
            Posterior::MatrixFree(parts) => Some(&parts.info),
        }
    }

    /// How `log det C` was estimated; none if the covariance was stored.
    pub fn log_det(&self) -> Option<&LogDet> {
        match &self.posterior {
            Posterior::Stored(_) => None,
            Posterior::MatrixFree(parts) => Some(&parts.log_det),
        }
    }

    /// An estimate of the condition number of C. A fit on the CPU has no use for it, and leaves its dozen triangular
    /// solves to whoever asks.
    ///
    /// # Errors
    /// As [`FittedGp::factor`]; those of the device.
    pub fn condition(&self) -> Result<f64> {
        self.factor()?.estimate_condition()
    }

    /// What was added to the diagonal of C besides the noise; zero unless it was allowed and needed.
    pub fn jitter(&self) -> f64 {
        self.certificate().jitter
    }

    /// The search for the hyper-parameters, of the negative log posterior: its trace, and why it stopped. None if they
    /// stayed as given.
    pub fn optimisation(&self) -> Option<&Minimum> {
        self.minimum.as_ref()
    }

    /// Names of the hyper-parameters that the search left at a bound and would have taken further: bounds to be widened,
    /// or parameters of which the data say nothing.
    pub fn at_bounds(&self) -> Vec<String> {
        let names = self.model.names();
        // Noise that was one and is now known for each point has no name any more.
        self.minimum.iter().flat_map(|m| &m.at_bounds).filter_map(|i| names.get(*i).cloned()).collect()
    }
}
