//! Probabilistic principal component analysis. Checked in `tests/latent/ppca.rs`.

mod ard;
mod closed;
mod complete;
mod fitted;
mod holes;
mod missing;
mod model;

pub use fitted::FittedPpca;
pub use model::{Ppca, PpcaSolver};

use model::{Params, finish};
