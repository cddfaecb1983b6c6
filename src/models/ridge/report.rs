//! How good the solution behind a fit is.

use crate::linalg::{Certificate, CgInfo};

/// What happened when the system of a fit was solved.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SolveReport {
    /// A factorisation and refinement.
    Direct(Certificate),
    /// Conjugate gradients.
    Iterative(CgInfo),
}

impl SolveReport {
    /// `‖b - Ax‖₂ / ‖b‖₂` of the worst target, measured in f64.
    pub fn relative_residual(&self) -> f64 {
        match self {
            SolveReport::Direct(certificate) => certificate.relative_residual,
            SolveReport::Iterative(info) => info.relative_residuals.iter().copied().fold(0.0, f64::max),
        }
    }
}
