//! Mixtures of Gaussians with priors on everything, by variational Bayes. Checked in `tests/mixture/bayesian.rs` against
//! scikit-learn, by theorems, and on every adapter.

mod fitted;
mod model;
mod steps;
mod stick_breaking;

pub use fitted::FittedBayesianGaussianMixture;
pub use model::{BayesianGaussianMixture, WeightPrior};
