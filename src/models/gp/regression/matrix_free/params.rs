//! The accuracy of what is iterated or estimated where the covariance is not stored.

use crate::check::parameter;
use crate::learn::configure::setters;
use crate::linalg::LogDetParams;
use crate::{Progress, Result};

/// The accuracy of what is iterated or estimated where nothing n x n is stored.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatrixFreeParams {
    pub(in crate::models::gp::regression) rank: Option<usize>,
    pub(in crate::models::gp::regression) tolerance: f64,
    pub(in crate::models::gp::regression) variance_tolerance: f64,
    pub(in crate::models::gp::regression) max_iterations: usize,
    pub(in crate::models::gp::regression) log_det: LogDetParams,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(in crate::models::gp::regression) progress: Progress,
}

impl Default for MatrixFreeParams {
    fn default() -> Self {
        MatrixFreeParams {
            rank: None,
            tolerance: 1e-8,
            variance_tolerance: 1e-5,
            max_iterations: 1000,
            log_det: LogDetParams::default(),
            progress: Progress::none(),
        }
    }
}

setters!(MatrixFreeParams {
    /// Columns of the preconditioner; by default as many as fit half of the memory budget, at most 200.
    rank: into Option<usize>,
    /// The relative residual of α: 1e-8.
    tolerance: f64,
    /// The relative residual of the solves that gradients are made of, and of a variance's first: 1e-5. With the residual
    /// r a variance may be too large by `|r|² / noise`; where that is more than 1e-4 of it, up to three more solves follow.
    variance_tolerance: f64,
    /// The most iterations of conjugate gradients: 1000.
    max_iterations: usize,
    /// How the log-determinant is estimated; its probes serve the gradient too.
    log_det: LogDetParams,
    /// Called after every iteration of conjugate gradients; it can cancel the fit.
    progress: Progress,
});

impl MatrixFreeParams {
    /// The accuracy that most problems want: a residual of 1e-8.
    pub fn new() -> Self {
        Self::default()
    }

    pub(in crate::models::gp) fn check(&self) -> Result<()> {
        let tolerances = [("tolerance", self.tolerance), ("variance_tolerance", self.variance_tolerance)];
        for (name, value) in tolerances {
            parameter(name, value, value > 0.0 && value < 1.0, "must be between 0 and 1")?;
        }
        parameter("rank", 0.0, self.rank != Some(0), "a preconditioner has at least one column")
    }
}
