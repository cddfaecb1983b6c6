//! Principal component analysis. Checked in `tests/latent/pca.rs`.

mod fitted;
mod model;
pub(super) mod routes;

pub use fitted::FittedPca;
pub use model::{Components, Pca, Route};
