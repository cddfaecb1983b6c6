//! Variational autoencoders. Checked in `tests/neural/vae.rs`.

mod bound;
mod fitted;
mod model;

pub use fitted::FittedVae;
pub use model::{Decoder, Vae};
