//! Bayesian linear regression. Checked in `tests/linear/bayesian.rs` and `tests/linear/evidence.rs`.

mod evidence;
mod fitted;
mod function_space;
mod model;
mod weight_space;

pub use fitted::{FittedBayesianLinearRegression, LinearPrediction};
pub use model::BayesianLinearRegression;
