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
    /// A decomposition of the data themselves: their products would have lost too many digits.
    Decomposed {
        /// `‖b - Ax‖₂ / ‖b‖₂` of the worst target.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        relative_residual: f64,
        /// An estimate of the condition of the products; infinite if they could not be factored.
        #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
        condition: f64,
    },
}

impl SolveReport {
    /// `‖b - Ax‖₂ / ‖b‖₂` of the worst target, measured in f64.
    pub fn relative_residual(&self) -> f64 {
        match self {
            SolveReport::Direct(certificate) => certificate.relative_residual,
            SolveReport::Iterative(info) => info.relative_residuals.iter().copied().fold(0.0, f64::max),
            SolveReport::Decomposed { relative_residual, .. } => *relative_residual,
        }
    }
}
