//! Densities and joint densities as traits: what generative classifiers, outlier flags and likelihood-ratio tests are
//! written over.

use ndarray::{Array1, Array2, ArrayView2};

use crate::Result;

/// A fitted density over rows.
pub trait LogDensity {
    /// `ln p(x)` of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of features,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>>;
}

/// A generative classifier: it knows the joint density of rows and classes, from which posteriors and labels follow.
pub trait LogJoint {
    /// `ln p(x, class)`, one row for each row of `x`, one column for each class.
    ///
    /// # Errors
    /// As [`LogDensity::log_density`].
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}
