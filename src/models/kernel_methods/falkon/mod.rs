//! Kernel ridge regression on landmarks, for n in the millions. Checked in `tests/kernel_methods/falkon.rs`.

mod cv;
mod fitted;
mod model;
mod operator;
mod plan;

pub use cv::{FalkonCv, FittedFalkonCv};
pub use fitted::FittedFalkon;
pub use model::Falkon;
