//! Predictions averaged over samples of a posterior. Checked in `tests/inference/predictive.rs`.

use ndarray::{Array1, Array2, Axis};

use crate::Result;
use crate::check::require;
use crate::inference::logs::log_mean_exp;

/// What samples of a posterior predict together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Averaged {
    /// The mean of the predictions at each input.
    pub mean: Array1<f64>,
    /// `E[Var] + Var[E]` at each input: noise and uncertainty of the parameters.
    pub variance: Array1<f64>,
}

/// `p(t | x, data) ≈ (1/M) Σ_m p(t | x, θ_m)`: mean and variance at every input, from predictions of each sample.
///
/// `predict(θ)` returns, for one row of `samples`, the means and the variances of the targets at all inputs: any model
/// of the vocabulary, or any formula.
///
/// ```
/// use mercer::inference::monte_carlo::predictive_average;
/// // Two equally credible slopes, noise 0.1, at the input 2.
/// let samples = ndarray::array![[1.0], [3.0]];
/// let p = predictive_average(&samples, |t| Ok((vec![2.0 * t[0]], vec![0.1])))?;
/// assert_eq!((p.mean[0], p.variance[0]), (4.0, 4.1));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no samples or predictions of different lengths; those of `predict`.
pub fn predictive_average(
    samples: &Array2<f64>,
    mut predict: impl FnMut(&[f64]) -> Result<(Vec<f64>, Vec<f64>)>,
) -> Result<Averaged> {
    let op = "predictive_average";
    crate::check::finite(op, "samples", samples.view())?;
    let m = samples.nrows() as f64;
    let mut all: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for row in samples.axis_iter(Axis(0)) {
        let (mean, variance) = predict(&row.to_vec())?;
        let k = all.first().map_or(mean.len(), |first| first.0.len());
        require(op, mean.len() == k && variance.len() == k, || {
            "predictions of different lengths".to_owned()
        })?;
        all.push((mean, variance));
    }
    let k = all[0].0.len();
    let mean: Array1<f64> = (0..k).map(|i| all.iter().map(|p| p.0[i]).sum::<f64>() / m).collect();
    let variance =
        (0..k).map(|i| all.iter().map(|p| p.1[i] + (p.0[i] - mean[i]).powi(2)).sum::<f64>() / m).collect();
    Ok(Averaged { mean, variance })
}

impl Averaged {
    /// `log (1/M) Σ_m p(t | x, θ_m)` from the log densities of one target under each sample.
    pub fn log_density(under_each: &[f64]) -> f64 {
        log_mean_exp(under_each)
    }
}
