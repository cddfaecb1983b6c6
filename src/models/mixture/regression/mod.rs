//! Mixtures of regressions. Checked in `tests/mixture/regressions.rs`.

mod linear;
mod linear_fitted;
mod logistic;
mod logistic_fitted;
mod logistic_steps;

pub use linear::LinearRegressionMixture;
pub use linear_fitted::FittedLinearRegressionMixture;
pub use logistic::LogisticRegressionMixture;
pub use logistic_fitted::FittedLogisticRegressionMixture;
