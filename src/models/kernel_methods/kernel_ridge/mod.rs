//! Kernel ridge regression. Checked in `tests/kernel_methods`.

mod cv;
mod fitted;
mod model;
mod plan;
mod solve;

pub use cv::{FittedKernelRidgeCv, KernelRidgeCv};
pub use fitted::FittedKernelRidge;
pub use model::{KernelRidge, KernelSolver};
