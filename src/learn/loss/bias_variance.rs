//! Bias and variance of a learner over many data sets. Checked in `tests/loss/bias_variance.rs`.

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use crate::Result;
use crate::check::{finite, not_negative, require};

/// Noise, squared bias and variance of a learner, at each point and on the mean over them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BiasVariance {
    /// `E[var(t|x)]`: the loss of the truth itself.
    pub noise: f64,
    /// `(1/m) Σ_j (ȳ(x_j) - h(x_j))²`.
    pub bias_squared: f64,
    /// `(1/m) Σ_j (1/L) Σ_l (y_l(x_j) - ȳ(x_j))²`.
    pub variance: f64,
    /// `ȳ(x_j)`, the mean prediction over the data sets.
    pub mean: Array1<f64>,
    /// The squared bias at each point.
    pub bias_squared_at: Array1<f64>,
    /// The variance at each point.
    pub variance_at: Array1<f64>,
}

impl BiasVariance {
    /// `noise + bias² + variance`: the expected squared loss.
    pub fn total(&self) -> f64 {
        self.noise + self.bias_squared + self.variance
    }
}

/// `E[(y_D(x) - t)²] = noise + bias² + variance`, from the predictions of one learner fitted to L data sets.
///
/// `predictions[l, j]` is what the learner of data set l says at point j, `truth[j]` is `h(x_j) = E[t|x_j]`, `noise` is the
/// variance of t about it.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite), and
/// [`Error::Parameter`](crate::Error::Parameter) for a negative noise.
///
/// ```
/// use ndarray::array;
/// let said = array![[1.0, 2.0], [3.0, 2.0]]; // two data sets, two points
/// let parts = mercer::learn::loss::bias_variance(said.view(), array![1.0, 2.0].view(), 0.25)?;
/// assert_eq!((parts.noise, parts.bias_squared, parts.variance), (0.25, 0.5, 0.5));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bias_variance(
    predictions: ArrayView2<f64>,
    truth: ArrayView1<f64>,
    noise: f64,
) -> Result<BiasVariance> {
    const OP: &str = "bias_variance";
    finite(OP, "the predictions", predictions)?;
    finite(OP, "the truth", truth.insert_axis(Axis(1)))?;
    let (l, m) = predictions.dim();
    require(OP, m == truth.len(), || format!("predictions at {m} points, truths at {}", truth.len()))?;
    not_negative("noise", noise)?;
    let mean = predictions.sum_axis(Axis(0)) / l as f64;
    let variance_at = (&predictions - &mean).mapv(|v| v * v).sum_axis(Axis(0)) / l as f64;
    let bias_squared_at = (&mean - &truth).mapv(|v| v * v);
    let (bias_squared, variance) = (bias_squared_at.sum() / m as f64, variance_at.sum() / m as f64);
    Ok(BiasVariance { noise, bias_squared, variance, mean, bias_squared_at, variance_at })
}
