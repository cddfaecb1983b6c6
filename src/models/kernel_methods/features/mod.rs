//! Feature maps φ with `φ(x)ᵀφ(x') ≈ k(x, x')`: in front of a linear model they make it a kernel one, at O(n m²).
//!
//! | approximation | from | error |
//! |---|---|---|
//! | [`Nystrom`] | m landmarks among the data | as small as the best rank-m one, nearly, if k varies slowly |
//! | [`RandomFourier`] | m random frequencies of a stationary kernel | `O(1/√m)`, whatever the data |
//!
//! Both maps are computed in f64 on the CPU: a whitening amplifies the rounding of f32, and so does the sine of a large
//! argument. What is fitted on the features may run anywhere.
//!
//! ```
//! use mercer::prelude::*;
//! use ndarray::{Array2, array};
//! let x = Array2::from_shape_fn((200, 1), |(i, _)| i as f64 / 20.0);
//! let y = x.column(0).mapv(f64::sin);
//! let device = Device::best();
//! let map = RandomFourier::new(Kernel::rbf(1.0), 40).orthogonal(true).seed(1).fit(&device, &x)?;
//! let fit = Ridge::new(1e-4).fit(&device, map.transform(&x)?, &y)?;
//! assert!((fit.predict(map.transform(array![[3.3]])?)?[0] - 3.3f64.sin()).abs() < 1e-2);
//! # Ok::<(), mercer::Error>(())
//! ```

mod fourier;
mod landmarks;
mod nystrom;
mod whitening;

pub use fourier::{FittedRandomFourier, RandomFourier};
pub use landmarks::Landmarks;
pub use nystrom::{FittedNystrom, Nystrom};
pub(in crate::models) use whitening::Whitening;
