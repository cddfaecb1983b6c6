//! Mixtures of probabilistic PCA: several Gaussians, each with a subspace of its own. Checked in `tests/latent/mixture.rs`.

mod fitted;
mod model;
mod start;
mod steps;

pub use fitted::FittedPpcaMixture;
pub use model::PpcaMixture;
