//! Importance weights: training data of one distribution, a test set of another.

use ndarray::{Array1, ArrayView1, Axis};

use crate::Result;
use crate::check::{finite, parameter, require, weights};

/// `p_test(x_i) / p_train(x_i)` from log-densities at the training inputs, scaled to a mean of one.
///
/// `Σ_i w_i L(y_i, f(x_i)) / n` is then an estimate of the risk under the test distribution; where both densities agree
/// all weights are one. Give them to `fit_weighted`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite),
/// [`Error::Parameter`](crate::Error::Parameter) if the largest ratio is beyond all numbers beside the mean.
pub fn importance_weights(log_test: ArrayView1<f64>, log_train: ArrayView1<f64>) -> Result<Array1<f64>> {
    const OP: &str = "importance_weights";
    finite(OP, "the test log-densities", log_test.insert_axis(Axis(1)))?;
    finite(OP, "the training log-densities", log_train.insert_axis(Axis(1)))?;
    let (n, m) = (log_test.len(), log_train.len());
    require(OP, n == m, || format!("{n} test log-densities, {m} training ones"))?;
    let ratio = &log_test - &log_train;
    let largest = ratio.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
    let weights = ratio.mapv(|r| (r - largest).exp());
    let mean = weights.sum() / n as f64;
    parameter("mean weight", mean, mean > 0.0 && mean.is_finite(), "must be a positive number")?;
    Ok(weights / mean)
}

/// `(Σ w)² / Σ w²`: how many equal observations these weights are worth; n if all are the same.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) or [`Error::Parameter`](crate::Error::Parameter) for weights that are none,
/// negative, not finite, or all zero.
pub fn effective_sample_size(w: ArrayView1<f64>) -> Result<f64> {
    weights("effective_sample_size", w, w.len())?;
    let largest = w.fold(0f64, |a, b| a.max(*b));
    let scaled = w.mapv(|v| v / largest);
    Ok(scaled.sum().powi(2) / scaled.dot(&scaled))
}
