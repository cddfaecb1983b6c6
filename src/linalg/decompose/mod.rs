//! Decompositions: eigenpairs, singular values, orthogonal and low-rank factors.

pub(in crate::linalg) mod eigh;
pub(in crate::linalg) mod leading_eigenpairs;
pub(in crate::linalg) mod low_rank;
pub(in crate::linalg) mod nystrom;
pub(in crate::linalg) mod orthonormal;
pub(in crate::linalg) mod pivoted_cholesky;
pub(crate) mod small_cholesky;
pub(in crate::linalg) mod svd;

pub use eigh::{Eigen, eigh};
pub use leading_eigenpairs::{EigenParams, Eigenpairs, leading_eigenpairs};
pub use low_rank::LowRank;
pub use nystrom::{landmarks, nystrom};
pub(crate) use orthonormal::outside;
pub use pivoted_cholesky::pivoted_cholesky;
pub(crate) use svd::thin_svd;
