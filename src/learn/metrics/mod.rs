//! How good predictions are: functions of what is true and what was predicted, in this order, that return one number.
//!
//! | of | larger is better | smaller is better |
//! |---|---|---|
//! | numbers, 1-D or 2-D | [`r2`], [`explained_variance`], [`gaussian_log_density`] | [`mse`], [`rmse`], [`mae`], [`pinball`] |
//! | labels | [`accuracy`], [`balanced_accuracy`], [`precision`], [`recall`], [`f_score`]; [`ConfusionMatrix`] for all of them | |
//! | probabilities of classes | | [`log_loss`], [`brier`] |
//! | scores of the second of two classes | [`roc_auc`], [`average_precision`]; [`Roc`], [`PrecisionRecall`], [`Calibration`] for the curves | |
//! | clusters, against a truth | [`purity`], [`adjusted_rand`], [`mutual_information`], [`normalised_mutual_information`], [`adjusted_mutual_information`] | |
//! | clusters alone | [`silhouette`] | [`inertia`] |
//!
//! Of several columns a regression metric is the mean over them. A function of this form is passed by its name to
//! [`cross_validate`](crate::learn::cross_validate) and [`Search`](crate::learn::Search). Checked in
//! `tests/learn/metrics.rs` against scikit-learn.
//!
//! ```
//! use mercer::prelude::*;
//! use ndarray::array;
//! assert!((r2(&array![3.0, -0.5, 2.0, 7.0], &array![2.5, 0.0, 2.0, 8.0])? - 0.9486081370449679).abs() < 1e-15);
//! assert_eq!(accuracy(&["merlot", "barolo"], &["merlot", "merlot"])?, 0.5);
//! # Ok::<(), mercer::Error>(())
//! ```

mod classification;
mod clustering;
mod confusion;
mod curves;
mod regression;

pub use classification::{
    accuracy, balanced_accuracy, brier, brier_of, error_count, f_score, log_loss, log_loss_of, precision,
    recall,
};
pub use clustering::{
    adjusted_mutual_information, adjusted_rand, inertia, mutual_information, normalised_mutual_information,
    pairwise_deviance, purity, silhouette, within_deviance,
};
pub use confusion::{ClassAverage, ConfusionMatrix};
pub use curves::{Calibration, PrecisionRecall, Roc, average_precision, roc_auc};
pub use regression::{explained_variance, gaussian_log_density, mae, mse, pinball, r2, rmse, sum_of_squares};

pub(crate) use classification::matched;
pub(crate) use regression::r_squared;
