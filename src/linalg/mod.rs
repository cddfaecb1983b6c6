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

mod anchor;
mod certificate;
mod cg;
mod check;
mod column_scale;
mod eigh;
mod extend;
mod factored;
mod inverse;
mod jitter;
mod kernel_operator;
mod ladder;
mod lanczos_log_det;
mod leading_eigenpairs;
mod low_rank;
mod low_rank_plus_diagonal;
mod mixed;
mod norm;
mod nystrom;
mod operator;
mod orthonormal;
mod pivoted_cholesky;
mod pivoted_qr;
mod preconditioner;
mod refine;
#[cfg(feature = "serde")]
mod saved;
mod spd;
mod spd_factor;
mod svd;
mod truth;

pub(crate) use anchor::Anchor;
pub use certificate::{Certificate, Fallback, Solution};
pub use cg::{CgInfo, CgParams, CgSolution, Progress, conjugate_gradients, refined_conjugate_gradients};
pub use eigh::{Eigen, eigh};
pub use jitter::Jitter;
pub use kernel_operator::{KernelOperator, Noise};
pub use lanczos_log_det::{LogDet, LogDetParams, lanczos_log_det};
pub use leading_eigenpairs::{EigenParams, Eigenpairs, leading_eigenpairs};
pub use low_rank::LowRank;
pub use low_rank_plus_diagonal::LowRankPlusDiagonal;
pub(crate) use mixed::solve_mixed;
pub(crate) use norm::dots;
pub use nystrom::{landmarks, nystrom};
pub use operator::{Operator, Stored};
pub use pivoted_cholesky::pivoted_cholesky;
pub(crate) use pivoted_qr::{PivotedQr, typical};
pub use preconditioner::{Covariance, Identity, Jacobi, Preconditioner};
#[cfg(feature = "serde")]
pub(crate) use saved::SavedFactor;
pub use spd::{SpdParams, solve_spd};
pub use spd_factor::SpdFactor;
pub(crate) use svd::thin_svd;
