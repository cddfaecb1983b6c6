//! How large problems are gone about.


use crate::linalg::{LogDetParams};
use crate::Progress;
use crate::{Error, Result};

/// The accuracy of what is iterated or estimated where nothing n x n is stored.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LargeParams {
    /// Columns of the preconditioner; by default as many as fit half of the memory budget, at most 200.
    pub rank: Option<usize>,
    /// The relative residual of α: 1e-8.
    pub tolerance: f64,
    /// The relative residual of the solves that gradients are made of, and of a variance's first: 1e-5. With the residual
    /// r a variance may be too large by `|r|² / noise`; where that is more than 1e-4 of it, up to three more solves follow.
    pub variance_tolerance: f64,
    /// Most iterations of conjugate gradients: 1000.
    pub max_iterations: usize,
    /// How the log-determinant is estimated; its probes serve the gradient too.
    pub log_det: LogDetParams,
    /// Called after every iteration of conjugate gradients; `Break` cancels.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Progress,
}

impl Default for LargeParams {
    fn default() -> Self {
        LargeParams {
            rank: None,
            tolerance: 1e-8,
            variance_tolerance: 1e-5,
            max_iterations: 1000,
            log_det: LogDetParams::default(),
            progress: Progress::none(),
        }
    }
}

impl LargeParams {
    pub(in crate::models::gp) fn check(&self) -> Result<()> {
        let tolerances = [("tolerance", self.tolerance), ("variance_tolerance", self.variance_tolerance)];
        for (name, value) in tolerances {
            if !(value > 0.0 && value < 1.0) {
                let requirement = "must be between 0 and 1";
                return Err(Error::Parameter { name: name.to_owned(), value, requirement });
            }
        }
        if self.rank == Some(0) {
            let requirement = "a preconditioner has at least one column";
            return Err(Error::Parameter { name: "rank".to_owned(), value: 0.0, requirement });
        }
        Ok(())
    }
}

