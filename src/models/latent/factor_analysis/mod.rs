//! Factor analysis: probabilistic PCA with noise of its own in every column. Checked in `tests/latent/factor_analysis.rs`.

mod fitted;
mod model;
mod steps;

pub use fitted::FittedFactorAnalysis;
pub use model::FactorAnalysis;
