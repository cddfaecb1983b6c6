//! Normal distributions of several numbers, and their algebra. Checked in `tests/probability/gaussian.rs`.
//!
//! | to do | use |
//! |---|---|
//! | have one, from a covariance, a precision, a factor, variances | [`MultivariateNormal`] |
//! | some of its numbers, alone or given the others | [`MultivariateNormal::marginal`], [`MultivariateNormal::condition`] |
//! | add two, map one, multiply densities | [`MultivariateNormal::plus`], [`MultivariateNormal::affine`], [`MultivariateNormal::product`] |
//! | `y = Bx + b + ε`: predict y, learn x from y, the evidence | [`LinearGaussian`] |
//! | draw with a covariance that may be singular | [`sample_eigen`], [`sample_cholesky`] |
//! | invert `A + UCV` | [`woodbury_inverse`], [`woodbury_log_det`], [`posterior_covariance`] |
//! | heavy tails | [`MultivariateT`] |

mod algebra;
pub(crate) mod factor;
mod linear;
mod multivariate;
mod sampling;
mod student;
mod woodbury;

pub use linear::LinearGaussian;
pub(crate) use multivariate::scatter;
pub use multivariate::{MultivariateNormal, Spread};
pub(crate) use sampling::standard;
pub use sampling::{sample_cholesky, sample_eigen};
pub use student::MultivariateT;
pub use woodbury::{posterior_covariance, woodbury_inverse, woodbury_log_det};
