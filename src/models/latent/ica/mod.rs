//! Independent component analysis. Checked in `tests/latent/ica.rs`.

mod fast;
mod fitted;
mod infomax;
mod model;
mod nonlinearity;

pub use fitted::FittedIca;
pub use model::{Algorithm, Ica};
pub use nonlinearity::{Contrast, Density};
