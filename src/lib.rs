//! Statistical machine learning on any GPU, and on no GPU at all.
//!
//! The hot paths of kernel methods (kernel matrices, products, Cholesky factors, sums over all pairs) are WGSL compute
//! shaders, run through wgpu on Vulkan, Metal and DX12. Beside each stands an f64 CPU path that gives the same answers
//! and uses every core. A solve is refined against an f64 residual and says how good it is.
//!
//! ```
//! use mercer::linalg::{SpdParams, solve_spd};
//! use mercer::{Device, Kernel, Matrix, ops};
//! use ndarray::array;
//!
//! let device = Device::best(); // a hardware GPU, else the CPU
//! let x = array![[0.0], [1.0], [2.0], [3.0]];
//! let y = array![[0.0], [0.8], [0.9], [0.1]];
//!
//! // Kernel ridge regression: alpha = (K + 0.01 I)^-1 y, then K(new, x) alpha.
//! let kernel = 2.0 * Kernel::rbf(1.0) + Kernel::white(0.01);
//! let points = Matrix::from_array(&device, x.view())?;
//! let k = ops::gram(&kernel, &points, None)?.to_array()?;
//! let solution = solve_spd(&device, k.view(), y.view(), &SpdParams::default())?;
//! let alpha = Matrix::from_array(&device, solution.x.view())?;
//! let new = Matrix::column(&device, &[1.5])?;
//! let fit = ops::gram_vec(&kernel, &new, Some(&points), &alpha)?.to_array()?;
//! assert!((fit[[0, 0]] - 0.95).abs() < 0.1);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! | to do | look in |
//! |---|---|
//! | choose where to compute | [`Device`], [`device`] |
//! | put data there | [`Matrix`] |
//! | build a covariance function | [`Kernel`], [`kernel`] |
//! | compute with either | [`ops`]: products, Gram matrices, factorisations, reductions |
//! | solve systems, find eigenpairs, approximate by low rank | [`linalg`] |
//! | know what went wrong | [`Error`] |
//!
//! Without the default feature `gpu` the crate is a CPU library and does not depend on wgpu. The feature `serde` makes
//! kernels storable.

pub mod device;
pub mod error;
mod gpu;
pub mod kernel;
pub mod linalg;
pub mod matrix;
pub mod models;
pub mod ops;
pub mod optim;
pub mod stats;

pub use device::Device;
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use matrix::{Matrix, Precision};
