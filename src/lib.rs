//! Statistical machine learning on any GPU.

pub mod error;
pub mod kernel;

pub use error::{Error, Result};
pub use kernel::Kernel;
