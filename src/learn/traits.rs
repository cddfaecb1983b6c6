//! What can be asked of a model: small traits, implemented by every model that can. Checked by `tests/conformance`.
//!
//! Every model has methods of the same names that take inputs and targets in any form; the traits are what
//! pipelines, cross-validation and searches are written over.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::answer::Answer;
use super::data::Rows;
use super::report::Report;
use crate::{Device, Result};

/// Learns from inputs `x`, `n x d`, and targets of the form `Y`: numbers, labels, or `()`.
pub trait Fit<Y: Rows + ?Sized = ()> {
    /// What has been learned.
    type Fitted;

    /// Learns from `x` and `y` on `device`.
    ///
    /// # Errors
    /// Bad data or parameters, and whatever the computation meets.
    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &Y) -> Result<Self::Fitted>;
}

/// Learns from observations that do not all weigh the same; a weight of 2 is that row twice.
pub trait FitWeighted<Y: Rows + ?Sized = ()>: Fit<Y> {
    /// Learns from `x` and `y` with a weight for each row.
    ///
    /// # Errors
    /// As [`Fit::fit`], and for weights that are negative, not finite, all zero or not n.
    fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &Y,
        weights: ArrayView1<f64>,
    ) -> Result<Self::Fitted>;
}

/// Predicts one target for each row: a number, a row of numbers, or a label.
pub trait Predict {
    /// `Array1<f64>`, `Array2<f64>` or `Vec<L>`.
    type Output: Answer;

    /// The prediction at each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of features,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    fn predict(&self, x: ArrayView2<f64>) -> Result<Self::Output>;
}

/// Predicts probabilities of classes, clusters or components.
pub trait PredictProba {
    /// One row for each row of `x`, one column for each class; rows sum to one.
    ///
    /// # Errors
    /// As [`Predict::predict`].
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// Remembers the labels that it was fitted to.
pub trait Classes {
    /// A label.
    type Label;

    /// The classes in ascending order: the columns of [`PredictProba::predict_proba`].
    fn classes(&self) -> &[Self::Label];
}

/// Scores classes by real numbers: the larger, the more that class.
pub trait Decision {
    /// One row for each row of `x`; one column if there are two classes (positive for the second), else one for each.
    ///
    /// # Errors
    /// As [`Predict::predict`].
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// Predicts a normal distribution for each row.
pub trait PredictDistribution {
    /// Means and variances.
    type Distribution: Answer;

    /// The distribution of a new observation at each row of `x`: its noise is included.
    ///
    /// # Errors
    /// As [`Predict::predict`].
    fn predict_distribution(&self, x: ArrayView2<f64>) -> Result<Self::Distribution>;
}

/// The mean and the variance of one target at each row: what any predicted distribution can be asked for.
pub trait MeanVariance {
    /// Means, and variances that are not negative.
    fn mean_variance(&self) -> (Array1<f64>, Array1<f64>);
}

/// Maps rows of d features to rows of others.
pub trait Transform {
    /// `m x d` to `m x k`.
    ///
    /// # Errors
    /// As [`Predict::predict`].
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// Maps rows back, as far as that is possible.
pub trait InverseTransform: Transform {
    /// `m x k` to `m x d`.
    ///
    /// # Errors
    /// As [`Predict::predict`].
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// Draws new observations.
pub trait Sample {
    /// `count x d`; the seed decides.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than memory has room for.
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>>;
}

/// Judges itself on data: larger is better. R² of a regression, accuracy of a classifier, mean log-density of a density.
pub trait Score<Y: Rows + ?Sized = ()> {
    /// One number for all rows of `x` and their targets.
    ///
    /// # Errors
    /// As [`Predict::predict`], and for targets that do not fit.
    fn score(&self, x: ArrayView2<f64>, y: &Y) -> Result<f64>;
}

/// Says how an iterative fit went.
pub trait Reported {
    /// Iterations, trace, why it stopped.
    fn report(&self) -> &Report;
}
