//! What is composed of verbs: refined solves, conjugate gradients, determinants, leading eigenpairs, low-rank factors.
//!
//! | to do | use |
//! |---|---|
//! | solve `A X = B` with A positive definite, and know how well | [`solve_spd`], [`SpdFactor`] |
//! | the same when A is too large to store | [`conjugate_gradients`] over an [`Operator`] |
//! | make that converge sooner | [`LowRankPlusDiagonal`] of a [`pivoted_cholesky`] or a [`nystrom`] factor |
//! | the log-determinant of such a matrix, with its standard error | [`lanczos_log_det`] |
//! | a few leading eigenpairs, or all of them | [`leading_eigenpairs`], [`eigh`] |
//!
//! A GPU computes in f32. Everything here that is called a residual is measured in f64, or says that it is not.

mod decompose;
mod iterative;
mod solve;

pub use decompose::{
    Eigen, EigenParams, Eigenpairs, LowRank, eigh, landmarks, leading_eigenpairs, nystrom, pivoted_cholesky,
};
pub(crate) use decompose::{outside, small_cholesky, thin_svd};
pub use iterative::SparseOperator;
pub use iterative::{
    CgInfo, CgParams, CgSolution, Covariance, Identity, Jacobi, KernelOperator, LogDet, LogDetParams,
    LowRankPlusDiagonal, Noise, Operator, Preconditioner, Stored, conjugate_gradients, lanczos_log_det,
    refined_conjugate_gradients,
};
#[cfg(feature = "serde")]
pub(crate) use solve::SavedFactor;
pub use solve::{Certificate, Fallback, Jitter, Solution, SolveReport, SpdFactor, SpdParams, solve_spd};
pub(crate) use solve::{F32_VALUE, dots, rounding_error, solve_mixed};
