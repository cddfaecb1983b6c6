//! Kernel ridge regression. Checked in `tests/kernel_methods`.

mod fitted;
mod model;
mod plan;
mod solve;

pub use fitted::FittedKernelRidge;
pub use model::{KernelRidge, Solver};
