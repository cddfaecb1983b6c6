//! Mixtures of Gaussians. Checked in `tests/mixture/gaussian.rs` against scikit-learn step by step, by theorems, and on
//! every adapter.

mod covariance;
mod fitted;
mod missing;
mod model;
mod select;
mod start;
mod steps;
mod sufficient;

pub use covariance::{Covariance, CovarianceKind};
pub use fitted::FittedGaussianMixture;
pub use model::{GaussianMixture, GaussianParams};
pub use select::{MixtureCriterion, Selection};
pub use start::MixtureStart;
pub use sufficient::GaussianStatistics;

pub(super) use start::memberships;
