//! Mixtures of discrete distributions. Checked in `tests/mixture/discrete.rs`.

mod bernoulli;
mod categorical;
mod fitted;
mod latent_class;
mod latent_class_fitted;
mod model;
mod sums;

pub use bernoulli::{Bernoulli, BernoulliMixture};
pub use categorical::{Categorical, CategoricalMixture};
pub use fitted::FittedDiscreteMixture;
pub use latent_class::LatentClass;
pub use latent_class_fitted::FittedLatentClass;
pub use model::DiscreteMixture;
