//! Gaussian processes whose covariance does not fit the memory: nothing n x n is stored.
//!
//! `C = K + noise` is applied by evaluating the kernel anew, and solved with by conjugate gradients under a low-rank
//! preconditioner M: O(n) memory, O(n²) operations an iteration. What takes a factorisation otherwise is estimated:
//!
//! | quantity | how | error |
//! |---|---|---|
//! | α, the mean | conjugate gradients, residual in f64 | the tolerance asked for |
//! | variance | conjugate gradients on `k(X, x)` | too large, by at most what is reported |
//! | `log det C` | stochastic Lanczos quadrature under M | a standard error is reported |
//! | gradient | Hutchinson's trace with the same probes, less as much of `tr(M⁻¹ ∂C)`'s as lowers its variance | near zero if M leaves less of K than the noise, that of the plain trace if not: then raise the rank |
//!
//! Checked in `tests/gp/large.rs` against the stored factor.

mod control;
mod evidence;
mod fitted;
mod params;
mod plan;
mod system;

pub use evidence::StochasticEvidence;
pub use fitted::{BoundedPrediction, LargeGp, MatrixFreeGp};
pub use params::LargeParams;

use ndarray::ArrayView2;

use super::regressor::GpRegressor;
use crate::models::check::pairs;
use crate::models::plan::{Method, Plan};
use crate::{Device, Result};
use fitted::Parts;

const OP: &str = "GpRegressor::fit_large";

/// Data that may be large.
impl GpRegressor {
    /// [`fit`](GpRegressor::fit) if the matrix fits the [memory budget](GpRegressor::memory_budget), else the same model
    /// without it.
    ///
    /// What is done is what [`plan_large`](GpRegressor::plan_large) says. Hyper-parameters are searched here too if
    /// that is asked for: with the same probes for all of them, so that the objective is a function, but one whose
    /// gradient is as exact as the probes are many. A search then ends where steps no longer gain; give the minimiser
    /// a tolerance of 1e-3 or so, and few iterations.
    ///
    /// # Errors
    /// As [`fit`](GpRegressor::fit); without a stored matrix also [`Error::Parameter`](crate::Error::Parameter) for
    /// noise that is not positive, and [`Error::NoConvergence`](crate::Error::NoConvergence).
    ///
    /// ```
    /// use mercer::models::gp::{GpRegressor, LargeParams};
    /// use mercer::{Device, Kernel};
    /// use ndarray::{Array2, array};
    ///
    /// let x = Array2::from_shape_fn((300, 1), |(i, _)| i as f64 / 30.0);
    /// let y = x.mapv(f64::sin);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01).memory_budget(1 << 19);
    /// let params = LargeParams::default();
    /// println!("{}", gp.plan_large(&Device::cpu(), 300, 1, 1, &params));
    /// let fitted = gp.fit_large(&Device::cpu(), x.view(), y.view(), &params)?;
    /// assert!(!fitted.is_dense()); // and `fit` would say what it needs, and refuse
    /// assert!((fitted.predict(array![[2.5]].view())?[[0, 0]] - 2.5f64.sin()).abs() < 1e-3);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit_large(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        params: &LargeParams,
    ) -> Result<LargeGp> {
        pairs(OP, x, y)?;
        params.check()?;
        let plan = self.plan_large(device, x.nrows(), x.ncols(), y.ncols(), params);
        let Method::MatrixFree { rank } = plan.method else {
            return self.fit(device, x, y).map(|fitted| LargeGp::Dense(Box::new(fitted)));
        };
        let space = self.space(x.nrows())?;
        let start = self.theta();
        let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) else {
            let parts = Parts::new(self, device, x, y, rank, params)?;
            return Ok(LargeGp::MatrixFree(Box::new(MatrixFreeGp::around(self, params, plan, parts, None))));
        };
        let minimum = minimiser.run(&start, &space.bounds, |theta| {
            let model = self.with_theta(theta)?;
            let parts = Parts::new(&model, device, x, y, rank, params)?;
            let (prior, slope) = space.log_prior(theta);
            let gradient = parts.gradient(&model, params)?;
            Ok((-parts.value - prior, gradient.iter().zip(slope).map(|(e, p)| -e - p).collect()))
        })?;
        let model = self.with_theta(&minimum.point)?;
        let parts = Parts::new(&model, device, x, y, rank, params)?;
        Ok(LargeGp::MatrixFree(Box::new(MatrixFreeGp::around(&model, params, plan, parts, Some(minimum)))))
    }

    /// The log marginal likelihood without a stored matrix, whatever the budget, with its standard error and gradient.
    ///
    /// # Errors
    /// As [`fit_large`](GpRegressor::fit_large).
    pub fn stochastic_evidence(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        params: &LargeParams,
    ) -> Result<StochasticEvidence> {
        pairs(OP, x, y)?;
        params.check()?;
        self.space(x.nrows())?;
        let Plan { method, .. } =
            plan::matrix_free(device, x.nrows(), x.ncols(), y.ncols(), params, self.budget);
        let Method::MatrixFree { rank } = method else { unreachable!("a matrix-free plan is matrix-free") };
        let parts = Parts::new(self, device, x, y, rank, params)?;
        let gradient = parts.gradient(self, params)?;
        let (value, standard_error) = (parts.value, parts.standard_error());
        Ok(StochasticEvidence { value, standard_error, gradient })
    }
}
