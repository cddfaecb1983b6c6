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
//! Checked in `tests/gp/matrix_free.rs` against the stored factor.

mod control;
mod gradient;
mod params;
mod posterior;
mod system;
mod variance;

pub use params::MatrixFreeParams;
pub(super) use posterior::MatrixFreePosterior;

use ndarray::ArrayRef;

use super::evidence::Conditioned;
use super::model::GpRegressor;
use super::plan;
use crate::check::pairs;
use crate::learn::plan::Method;
use crate::learn::ranks::Meeting;
use crate::learn::{Inputs, TargetDim, Targets};
use crate::{Device, Result};

/// An estimate of the log evidence and its gradient.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StochasticEvidence {
    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub value: f64,
    /// The standard error of the value, from the spread of the probes and the rounding of the determinant.
    pub standard_error: f64,
    /// The derivative by each of [`GpRegressor::theta`], on the scale of the optimiser.
    pub gradient: Vec<f64>,
}

impl GpRegressor {
    /// The log evidence without a stored matrix, whatever the budget, with its standard error and gradient.
    ///
    /// # Errors
    /// As [`fit`](GpRegressor::fit) with a covariance that is not stored.
    pub fn stochastic_evidence<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        params: &MatrixFreeParams,
    ) -> Result<StochasticEvidence> {
        const OP: &str = "GpRegressor::stochastic_evidence";
        let (x, y) = (x.inputs(), y.targets());
        let (x, y) = (x.view(), D::columns(&y));
        pairs(OP, x, y)?;
        params.check()?;
        self.space(x.nrows())?;
        let model = GpRegressor { matrix_free: params.clone(), ..self.clone() };
        let rank = plan::rank(x.nrows(), params, self.budget);
        let (points, _) = model.place(OP, device, x, y.ncols())?;
        let conditioned =
            Conditioned::new(&Meeting::alone_here(), &model, &points, y, Method::MatrixFree { rank })?;
        let (value, standard_error) = (conditioned.log_evidence, conditioned.standard_error());
        let gradient = conditioned.into_gradient(&Meeting::alone_here(), &model, &points)?;
        Ok(StochasticEvidence { value, standard_error, gradient })
    }
}
