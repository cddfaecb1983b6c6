//! A process conditioned on data: what was learned, and what happened.

use std::marker::PhantomData;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Ix2};

use super::evidence::{Conditioned, Posterior, gradient};
use super::model::GpRegressor;
use crate::learn::configure::getters;
use crate::learn::plan::{Method, Plan};
use crate::learn::ranks::Meeting;
use crate::linalg::{Certificate, CgInfo, Fallback, LogDet, Noise, SpdFactor};
use crate::matrix::Points;
use crate::models::gp::mean::{Mean, Trend};
use crate::optim::Minimum;
use crate::{Device, Kernel, Result};

/// A [`GpRegressor`] conditioned on data: `f(x) ~ N(m(x) + k(x, X)α, k(x, x) - k(x, X)C⁻¹k(X, x))`, with or without a stored
/// covariance C. [`FittedGp::method`] says which.
///
/// Without one, [`FittedGp::factor`] and what is made of it are [`Error::OverBudget`](crate::Error::OverBudget), and the
/// evidence is an estimate with a [standard error](GpReport::standard_error). A clone shares the factor.
#[derive(Debug, Clone)]
pub struct FittedGp<D = Ix2> {
    /// With the hyper-parameters that were learned.
    pub(super) model: GpRegressor,
    pub(super) points: Points,
    pub(super) y: Array2<f64>,
    pub(super) plan: Plan,
    pub(super) conditioned: Arc<Conditioned>,
    pub(super) report: GpReport,
    pub(super) targets: PhantomData<D>,
}

/// How the fit of a process went: the solve, what was estimated, and the search for hyper-parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GpReport {
    /// How good α is. On the CPU its condition is NaN: see [`FittedGp::condition`]. Of conjugate gradients the steps are
    /// the iterations, and the backward error is a bound.
    pub certificate: Certificate,
    /// How conjugate gradients went; none if the covariance was stored.
    pub conjugate_gradients: Option<CgInfo>,
    /// How `log det C` was estimated; none if the covariance was stored.
    pub log_det: Option<LogDet>,
    /// The standard error of [`FittedGp::log_evidence`]: zero if the covariance was stored.
    pub standard_error: f64,
    /// The search for the hyper-parameters, of the negative log posterior: its trace, and why it stopped. None if they
    /// stayed as given.
    pub search: Option<Minimum>,
}

impl GpReport {
    fn new(conditioned: &Conditioned, search: Option<Minimum>) -> Self {
        let (certificate, standard_error) = (conditioned.certificate, conditioned.standard_error());
        let (conjugate_gradients, log_det) = match &conditioned.posterior {
            Posterior::Dense(_) => (None, None),
            Posterior::MatrixFree(free) => (Some(free.info.clone()), Some(free.log_det.clone())),
        };
        GpReport { certificate, conjugate_gradients, log_det, standard_error, search }
    }
}

getters!(FittedGp<D> {
    /// The model, with the hyper-parameters that were learned.
    model: &GpRegressor,
    /// The kernel, with the hyper-parameters that were learned.
    kernel => model.kernel: &Kernel,
    /// The noise that was given or learned.
    noise => model.noise: &Noise,
    /// The mean function.
    mean => model.mean: Mean,
    /// The coefficients β of the mean function, `p x q`: the constant first. There are no rows for a mean of zero.
    coefficients => conditioned.trend.coefficients: &Array2<f64>,
    /// The weights `α = C⁻¹(y - m(X))`, `n x q`: the mean of the posterior is `m(x) + k(x, X)α`.
    alpha => conditioned.alpha: &Array2<f64>,
    /// The log evidence `log p(y | X, θ)`, the sum over all targets. Of a fit in f32 on a device it has the determinant of
    /// that factor, some 1e-4 off for each observation where the condition is large;
    /// [`GpRegressor::log_evidence`] is f64 everywhere.
    log_evidence => conditioned.log_evidence: f64,
    /// What was done, and what it took.
    plan: &Plan,
    /// The method: whether the covariance was stored, and what was done if not.
    method => plan.method: Method,
    /// How the fit went.
    report: &GpReport,
});

impl<D> FittedGp<D> {
    pub(super) fn new(
        all: &Meeting,
        model: GpRegressor,
        points: Points,
        y: ArrayView2<f64>,
        plan: Plan,
        search: Option<Minimum>,
    ) -> Result<Self> {
        let mut conditioned = Conditioned::new(all, &model, &points, y, plan.method)?;
        if points.unfit() {
            conditioned.certificate.fallback = Some(Fallback::Inputs);
        }
        Ok(Self::of(model, points, y.to_owned(), plan, conditioned, search))
    }

    pub(super) fn of(
        model: GpRegressor,
        points: Points,
        y: Array2<f64>,
        plan: Plan,
        conditioned: Conditioned,
        search: Option<Minimum>,
    ) -> Self {
        let report = GpReport::new(&conditioned, search);
        let conditioned = Arc::new(conditioned);
        FittedGp { model, points, y, plan, conditioned, report, targets: PhantomData }
    }

    pub(super) fn trend(&self) -> &Trend {
        &self.conditioned.trend
    }

    /// The device that the fit ran on: the one it was given, or the CPU for what was too small or of units that f32 does
    /// not hold. The certificate of [`FittedGp::report`] says if f32 was not enough there.
    pub fn device(&self) -> &Device {
        self.points.device()
    }

    /// The inputs, `n x d`.
    pub fn x(&self) -> ArrayView2<'_, f64> {
        self.points.host()
    }

    /// The targets, one a column: `n x q`.
    pub fn y(&self) -> ArrayView2<'_, f64> {
        self.y.view()
    }

    /// The factored covariance `C = K + noise`.
    ///
    /// # Errors
    /// [`Error::OverBudget`](crate::Error::OverBudget) if it was not stored;
    /// [`Error::TooLarge`](crate::Error::TooLarge) if that was for the adapter's sake.
    pub fn factor(&self) -> Result<&SpdFactor> {
        self.stored("FittedGp::factor", "ask for means and variances only")
    }

    /// The factor for `op`, or why there is none and what to do `instead`.
    pub(super) fn stored(&self, op: &'static str, instead: &'static str) -> Result<&SpdFactor> {
        match &self.conditioned.posterior {
            Posterior::Dense(dense) => Ok(&dense.factor),
            Posterior::MatrixFree(_) => {
                let size = (self.y.nrows(), self.x().ncols(), self.y.ncols());
                Err(self.model.refusal(op, self.device(), size, instead))
            }
        }
    }

    /// The gradient of the log evidence by [`GpRegressor::theta`] of [`FittedGp::model`], in f64 on the CPU whatever the
    /// device: it is a difference of large sums, of which f32 keeps three digits. A factor in f32 is made again for it.
    ///
    /// # Errors
    /// As [`FittedGp::factor`]; those of the device.
    pub fn log_evidence_gradient(&self) -> Result<Vec<f64>> {
        let factor = self.stored("FittedGp::log_evidence_gradient", "use `stochastic_evidence`")?;
        gradient(&self.model, &self.points, self.alpha(), factor.exact_inverse_lower()?)
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
        self.report.certificate.jitter
    }

    /// Names of the hyper-parameters that the search left at a bound and would have taken further: bounds to be widened,
    /// or parameters of which the data say nothing.
    pub fn at_bounds(&self) -> Vec<String> {
        let names = self.model.names();
        let held = self.report.search.iter().flat_map(|m| &m.at_bounds);
        // Noise that was one and is now known for each point has no name any more.
        held.filter_map(|i| names.get(*i).cloned()).collect()
    }
}
