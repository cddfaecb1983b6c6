//! Statistical machine learning on any GPU, and on no GPU at all.
//!
//! The hot paths of kernel methods (kernel matrices, products, Cholesky factors, sums over all pairs) are WGSL compute
//! shaders, run through wgpu on Vulkan, Metal and DX12. Beside each stands an f64 CPU path that gives the same answers
//! and uses every core. A solve is refined against an f64 residual and says how good it is.
//!
//! ```
//! use mercer::prelude::*;
//! use ndarray::{Array2, array};
//!
//! let device = Device::best(); // a hardware GPU, else the CPU
//! let x = Array2::from_shape_fn((30, 1), |(i, _)| 0.2 * i as f64);
//! let y = x.column(0).mapv(f64::sin);
//!
//! // Kernels are expressions; their parameters and the noise come from the evidence.
//! let kernel = Kernel::rbf(0.5).scaled(1.0) + Kernel::constant(1.0);
//! let gp = GpRegressor::new(kernel).noise(0.1).optimise(Minimiser::default());
//! let fitted = gp.fit(&device, &x, &y)?;
//! let p = fitted.predict_distribution(array![[2.0], [9.0]])?;
//! assert!((p.mean[0] - 2f64.sin()).abs() < 1e-2);
//! assert!(p.variance[1] > 100.0 * p.variance[0]); // beyond the data it knows that it does not know
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
//! | minimise: smooth functions in a box, stochastic gradients, proximal steps, quadratic programs | [`optim`] |
//! | regression, classifiers, Gaussian processes, support vector machines, clusters, mixtures, graphs, sequences, networks | [`models`] |
//! | pipelines, splits, cross-validation, searches, metrics, decisions, losses, text | [`learn`] |
//! | distributions, conjugate pairs, exponential families, information | [`probability`] |
//! | EM, Monte Carlo, variational inference, Laplace | [`inference`] |
//! | two-sample, independence and goodness-of-fit tests, embeddings of distributions, learning theory | [`stats`] |
//! | fit over several processes, go on from a checkpoint | [`learn::ranks`], [`saved`] |
//! | know what went wrong | [`Error`] |
//!
//! Without the default feature `gpu` the crate is a CPU library and does not depend on wgpu. The feature `serde` makes
//! kernels, models and fitted values storable: what is fitted here predicts elsewhere, to the last bit, and without a GPU
//! if there is none. Its module `saved` says what a file holds, and has an example.

#![cfg_attr(
    not(feature = "serde"),
    allow(
        dead_code,
        reason = "fitted values carry what only saving reads: the number of their format, and checks"
    )
)]

mod check;
mod configure;
pub mod device;
pub mod error;
mod gpu;
mod host;
pub mod inference;
pub mod kernel;
pub mod learn;
pub mod linalg;
pub mod matrix;
pub mod models;
pub mod ops;
pub mod optim;
pub mod prelude;
pub mod probability;
mod progress;
pub mod random;
pub mod saved;
pub mod stats;

pub use device::Device;
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use matrix::{Matrix, Precision};
pub use progress::{Progress, Step};
