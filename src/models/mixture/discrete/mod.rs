//! Mixtures of discrete distributions. Checked in `tests/mixture/discrete.rs`.

mod bernoulli;
mod categorical;
mod fitted;
mod model;

pub use bernoulli::{Bernoulli, BernoulliMixture};
pub use categorical::{Categorical, CategoricalMixture};
pub use fitted::FittedDiscreteMixture;
pub use model::DiscreteMixture;
