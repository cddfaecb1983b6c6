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
//! use mercer::models::kernel_methods::features::{FeatureMap, RandomFourier};
//! use mercer::models::linear::Ridge;
//! use mercer::{Device, Kernel};
//! use ndarray::Array2;
//! let x = Array2::from_shape_fn((200, 1), |(i, _)| i as f64 / 20.0);
//! let y = x.mapv(f64::sin);
//! let map = RandomFourier::new(Kernel::rbf(1.0), 40).orthogonal(true).seed(1).fit(1)?;
//! let fit = Ridge::new(1e-4).fit(&Device::best(), map.transform(x.view())?.view(), y.view())?;
//! let new = ndarray::array![[3.3]];
//! assert!((fit.predict(map.transform(new.view())?.view())?[[0, 0]] - 3.3f64.sin()).abs() < 1e-2);
//! # Ok::<(), mercer::Error>(())
//! ```

mod fourier;
mod landmarks;
mod nystrom;
mod whitening;

pub use fourier::{RandomFourier, RandomFourierFeatures};
pub use landmarks::Landmarks;
pub use nystrom::{Nystrom, NystromFeatures};
pub(in crate::models) use whitening::Whitening;

use ndarray::{Array2, ArrayView2};

use crate::Result;

/// A map from rows of d features to rows of m others.
pub trait FeatureMap {
    /// d.
    fn inputs(&self) -> usize;

    /// m.
    fn outputs(&self) -> usize;

    /// φ of each row of `x`, n x d: n x m.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` is empty or has not d columns,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}
