//! Solves of positive definite systems: factored in f32 where a GPU does it, refined against an f64 residual, certified.

pub(in crate::linalg) mod append;
pub(in crate::linalg) mod certificate;
pub(in crate::linalg) mod f32_preconditioned;
pub(in crate::linalg) mod factor;
pub(in crate::linalg) mod fallback;
pub(in crate::linalg) mod inverse;
pub(in crate::linalg) mod jitter;
pub(in crate::linalg) mod norm;
pub(in crate::linalg) mod reference;
pub(in crate::linalg) mod refine;
pub(in crate::linalg) mod rounding;
#[cfg(feature = "serde")]
pub(in crate::linalg) mod saved;
pub(in crate::linalg) mod scaling;
pub(in crate::linalg) mod spd;
pub(in crate::linalg) mod spd_factor;

pub use certificate::{Certificate, Fallback, Solution, SolveReport};
pub(crate) use f32_preconditioned::solve_mixed;
pub use jitter::Jitter;
pub(crate) use norm::dots;
pub(crate) use rounding::{F32_VALUE, rounding_error};
#[cfg(feature = "serde")]
pub(crate) use saved::SavedFactor;
pub use spd::{SpdParams, solve_spd};
pub use spd_factor::SpdFactor;
