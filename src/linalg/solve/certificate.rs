//! What a solve says about its answer.

use ndarray::Array2;

use crate::linalg::CgInfo;

/// The answer of a refined solve, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// `n x r`: one column for each right-hand side.
    pub x: Array2<f64>,
    /// How good it is.
    pub certificate: Certificate,
}

/// How good a solution of `(A + jitter I) x = b` is; of several right-hand sides, the worst.
///
/// S is the identity unless the diagonal of A is uneven, then `diag(S A S)` is about one. Measured so, bad scaling is
/// no ill condition, and the small entries of x count as much as the large ones.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Certificate {
    /// Corrections made after the first solve.
    pub steps: usize,
    /// `‖S(b - Ax)‖∞ / (‖SAS‖∞ ‖S⁻¹x‖∞ + ‖Sb‖∞)`, in f64: x solves exactly a system that differs by this much.
    ///
    /// The relative error of `S⁻¹x` is at most about twice `condition * backward_error`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub backward_error: f64,
    /// `‖b - Ax‖₂ / ‖b‖₂`, in f64. It may be large for an ill-conditioned A although x could not be better.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub relative_residual: f64,
    /// What was added to the diagonal, in absolute terms; zero unless it was allowed and needed.
    pub jitter: f64,
    /// An estimate of `‖SAS‖₁ ‖(SAS)⁻¹‖₁`, rarely more than three times too small; NaN if it was not asked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub condition: f64,
    /// Why the factorisation was made in f64 on the CPU instead of on the device, if it was.
    pub fallback: Option<Fallback>,
}

/// Why a device's f32 factorisation was given up for an f64 one on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Fallback {
    /// A pivot was not positive in f32, although all of them are in f64.
    Factorisation,
    /// The condition is beyond what corrections by an f32 factor can reach.
    Condition,
    /// Inputs of a kernel, rounded to f32, are other points: they lie too far from the origin, or from each other.
    Inputs,
    /// The corrections stopped making progress before the tolerance was reached.
    Refinement,
}

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
