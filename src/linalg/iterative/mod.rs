//! What is done with matrices that are never stored: products, conjugate gradients, preconditioners, log-determinants.

pub(in crate::linalg) mod cg;
mod cg_cycle;
pub(in crate::linalg) mod kernel_operator;
pub(in crate::linalg) mod lanczos_log_det;
pub(in crate::linalg) mod low_rank_plus_diagonal;
pub(in crate::linalg) mod operator;
pub(in crate::linalg) mod preconditioner;
pub(in crate::linalg) mod sparse_operator;

pub use cg::{CgInfo, CgParams, CgSolution, conjugate_gradients, refined_conjugate_gradients};
pub use kernel_operator::{KernelOperator, Noise};
pub use lanczos_log_det::{LogDet, LogDetParams, lanczos_log_det};
pub use low_rank_plus_diagonal::LowRankPlusDiagonal;
pub use operator::{Operator, Stored};
pub use preconditioner::{Covariance, Identity, Jacobi, Preconditioner};
pub use sparse_operator::SparseOperator;
