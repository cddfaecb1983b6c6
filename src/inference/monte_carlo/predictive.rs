//! Predictions averaged over samples of a posterior. Checked in `tests/inference/predictive.rs`.

use ndarray::{Array1, Array2, Axis};

use crate::Result;
use crate::check::require;
use crate::inference::logs::log_mean_exp;
use crate::learn::{Inputs, LogDensity, MeanVariance, PredictDistribution, PredictProba};

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
/// `predict(θ)` returns, for one row of `samples`, the means and the variances of the targets at all inputs. Models that were
/// fitted or built at the samples are averaged by [`average_distributions`], [`average_probabilities`] and
/// [`average_log_density`].
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
    let mut all: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for row in samples.axis_iter(Axis(0)) {
        let (mean, variance) = predict(&row.to_vec())?;
        let k = all.first().map_or(mean.len(), |first| first.0.len());
        require(op, mean.len() == k && variance.len() == k, || {
            "predictions of different lengths".to_owned()
        })?;
        all.push((mean, variance));
    }
    Ok(averaged(&all))
}

/// `E[mean]` and `E[variance] + Var[mean]` of predictions of one length, of which there is one at least.
fn averaged(all: &[(Vec<f64>, Vec<f64>)]) -> Averaged {
    let (k, m) = (all[0].0.len(), all.len() as f64);
    let mean: Array1<f64> = (0..k).map(|i| all.iter().map(|p| p.0[i]).sum::<f64>() / m).collect();
    let variance =
        (0..k).map(|i| all.iter().map(|p| p.1[i] + (p.0[i] - mean[i]).powi(2)).sum::<f64>() / m).collect();
    Averaged { mean, variance }
}

/// The answers of all models at the rows of x, which must be of one shape.
fn answers<M, A>(
    op: &'static str,
    models: &[M],
    each: impl Fn(&M) -> Result<A>,
    shape: impl Fn(&A) -> (usize, usize),
) -> Result<Vec<A>> {
    require(op, !models.is_empty(), || "there are no models".to_owned())?;
    let all: Vec<A> = models.iter().map(each).collect::<Result<_>>()?;
    require(op, all.iter().all(|a| shape(a) == shape(&all[0])), || "answers of different shapes".to_owned())?;
    Ok(all)
}

/// `p(t | x) ≈ (1/M) Σ_m p(t | x, model m)`: the mean and the variance of a target at each row of x, averaged over models of
/// the vocabulary, one for each sample of a posterior.
///
/// ```
/// use mercer::inference::monte_carlo::average_distributions;
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [2.0]], array![0.1_f64, 0.9, 0.2]);
/// // Two lengthscales that are equally credible.
/// let models = [0.5, 1.5].map(|l| GpRegressor::new(Kernel::rbf(l)).noise(0.1).fit(&Device::cpu(), &x, &y));
/// let models = models.into_iter().collect::<Result<Vec<_>>>()?;
/// let p = average_distributions(&models, array![[0.5]])?;
/// let each: Vec<_> = models.iter().map(|m| m.predict(array![[0.5]])).collect::<Result<_>>()?;
/// assert!((p.mean[0] - 0.5 * (each[0][0] + each[1][0])).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// No models; those of the models.
pub fn average_distributions<M>(models: &[M], x: impl Inputs) -> Result<Averaged>
where
    M: PredictDistribution,
    M::Distribution: MeanVariance,
{
    let x = x.inputs();
    let one = |m: &M| {
        let (mean, variance) = m.predict_distribution(x.view())?.mean_variance();
        Ok((mean.to_vec(), variance.to_vec()))
    };
    Ok(averaged(&answers("average_distributions", models, one, |a| (a.0.len(), a.1.len()))?))
}

/// `P(class | x) ≈ (1/M) Σ_m P(class | x, model m)`: probabilities of classes, averaged over models of the same classes.
///
/// # Errors
/// No models, models of different numbers of classes; those of the models.
pub fn average_probabilities<M: PredictProba>(models: &[M], x: impl Inputs) -> Result<Array2<f64>> {
    let x = x.inputs();
    let all = answers("average_probabilities", models, |m| m.predict_proba(x.view()), Array2::dim)?;
    Ok(all.iter().fold(Array2::zeros(all[0].dim()), |sum, p| sum + p) / all.len() as f64)
}

/// `log p(x) ≈ log (1/M) Σ_m p(x | model m)` of each row: the density of a mixture of models, equally weighted.
///
/// # Errors
/// No models; those of the models.
pub fn average_log_density<M: LogDensity>(models: &[M], x: impl Inputs) -> Result<Array1<f64>> {
    let x = x.inputs();
    let all = answers("average_log_density", models, |m| m.log_density(x.view()), |d| (d.len(), 1))?;
    Ok((0..all[0].len()).map(|i| log_mean_exp(&all.iter().map(|d| d[i]).collect::<Vec<_>>())).collect())
}

impl Averaged {
    /// `log (1/M) Σ_m p(t | x, θ_m)` from the log densities of one target under each sample.
    pub fn log_density(under_each: &[f64]) -> f64 {
        log_mean_exp(under_each)
    }
}
