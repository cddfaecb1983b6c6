//! Statistical machine learning on any GPU.

pub mod device;
pub mod error;
mod gpu;
pub mod kernel;
pub mod linalg;
pub mod matrix;
pub mod ops;

pub use device::Device;
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use matrix::{Matrix, Precision};
