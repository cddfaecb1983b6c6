//! Bayesian networks: a posterior of the weights, by Laplace's approximation or mean field. Checked in
//! `tests/neural/bayesian.rs` against Bayesian linear regression.

mod fitted;
mod model;

pub use fitted::FittedBayesianNetwork;
pub use model::{BayesianNetwork, WeightPosterior};
