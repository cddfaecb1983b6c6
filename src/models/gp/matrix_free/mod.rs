//! Gaussian processes whose covariance does not fit the memory: nothing n x n is stored.
//!
//! `C = K + noise` is applied by evaluating the kernel anew, and solved with by conjugate gradients under a low-rank
//! preconditioner M: O(n) memory, O(n²) operations an iteration. What takes a factorisation otherwise is estimated:
//!
//! | quantity | how | error |
//! |---|---|---|
//! | α, the mean | conjugate gradients, residual in f64 | the tolerance asked for |
//! | variance | conjugate gradients on `k(X, x)`, and on what is left of it if that matters | too large, by at most what is reported: 1e-4 of it, if rounding allows |
//! | `log det C` | stochastic Lanczos quadrature under M | a standard error is reported |
//! | gradient | Hutchinson's trace with the same probes, less as much of `tr(M⁻¹ ∂C)`'s as lowers its variance | near zero if M leaves less of K than the noise, that of the plain trace if not: then raise the rank |
//!
//! Checked in `tests/gp/large.rs` against the stored factor.

mod control;
mod evidence;
mod params;
mod plan;
#[cfg(feature = "serde")]
mod saved;
mod system;
mod variance;

pub use evidence::StochasticEvidence;
pub use params::LargeParams;

pub(super) use evidence::Parts;
pub(super) use plan::dense;
#[cfg(feature = "serde")]
pub(super) use saved::SavedParts;

use ndarray::ArrayView2;

use super::regressor::GpRegressor;
use crate::check::pairs;
use crate::{Device, Result};

const OP: &str = "GpRegressor::fit";

impl GpRegressor {
    /// The log marginal likelihood without a stored matrix, whatever the budget, with its standard error and gradient.
    ///
    /// # Errors
    /// As [`fit`](GpRegressor::fit) with a covariance that is not stored.
    pub fn stochastic_evidence(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        params: &LargeParams,
    ) -> Result<StochasticEvidence> {
        pairs("GpRegressor::stochastic_evidence", x, y)?;
        params.check()?;
        self.space(x.nrows())?;
        let parts = Parts::new(self, device, x, y, plan::rank(x.nrows(), params, self.budget), params)?;
        let gradient = parts.gradient(self, params)?;
        let (value, standard_error) = (parts.value, parts.standard_error());
        Ok(StochasticEvidence { value, standard_error, gradient })
    }
}
