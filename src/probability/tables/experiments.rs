//! Experiments with many data sets: the bias of an estimator, and the central limit theorem.

use ndarray::Array1;

use super::moments::variance;
use crate::Result;
use crate::check::{entries, parameter, require};
use crate::probability::distributions::Univariate;

/// What [`bias`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bias {
    /// `E[θ̂(D)] - θ`, over the data sets drawn.
    pub bias: f64,
    /// The standard error of that.
    pub error: f64,
    /// `Var[θ̂(D)]`.
    pub variance: f64,
}

/// `E[θ̂(D)] - θ` of an estimator, by `replicates` data sets of n draws; the seed decides.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for fewer than two replicates or no draws, and the estimator's.
///
/// ```
/// use mercer::probability::distributions::Normal;
/// use mercer::probability::tables::{bias, variance};
/// let unit = Normal::new(0.0, 1.0)?;
/// let of = bias(&unit, 1.0, 2, 20_000, 0, |x| variance(x, 0))?; // over n, not n - 1
/// assert!((of.bias + 0.5).abs() < 4.0 * of.error); // E = (n - 1)/n
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bias(
    of: &impl Univariate,
    truth: f64,
    n: usize,
    replicates: usize,
    seed: u64,
    estimator: impl Fn(&[f64]) -> Result<f64>,
) -> Result<Bias> {
    parameter("n", n as f64, n > 0, "must be at least 1")?;
    parameter("replicates", replicates as f64, replicates > 1, "must be at least 2")?;
    let all = of.sample(n.saturating_mul(replicates), seed)?.to_vec();
    let estimates: Vec<f64> = all.chunks_exact(n).map(estimator).collect::<Result<_>>()?;
    let count = estimates.len() as f64;
    let (mean, spread) = (estimates.iter().sum::<f64>() / count, variance(&estimates, 1)?);
    Ok(Bias { bias: mean - truth, error: (spread / count).sqrt(), variance: spread })
}

/// `√n (S_n - μ)/σ` for `replicates` means `S_n` of n draws each: close to `N(0, 1)` for large n, whatever the distribution.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a distribution without mean or variance, no draws, or more than memory
/// has room for.
pub fn standardised_means(
    of: &impl Univariate,
    n: usize,
    replicates: usize,
    seed: u64,
) -> Result<Array1<f64>> {
    parameter("n", n as f64, n > 0, "must be at least 1")?;
    let (mean, deviation) = (of.mean().unwrap_or(f64::NAN), of.standard_deviation().unwrap_or(f64::NAN));
    let finite = mean.is_finite() && deviation > 0.0;
    parameter("standard deviation", deviation, finite, "the theorem needs a mean and a finite variance")?;
    let all = of.sample(n.saturating_mul(replicates), seed)?.to_vec();
    let root = (n as f64).sqrt();
    Ok(all.chunks_exact(n).map(|x| root * (x.iter().sum::<f64>() / n as f64 - mean) / deviation).collect())
}

/// Kolmogorov's `sup_x |F_n(x) - F(x)|` between a sample and a continuous distribution.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no numbers, [`Error::NotFinite`](crate::Error::NotFinite).
pub fn kolmogorov_distance(x: &[f64], of: &impl Univariate) -> Result<f64> {
    require("kolmogorov_distance", !x.is_empty(), || "there are no numbers".to_owned())?;
    entries("kolmogorov_distance", "x", x)?;
    let mut x = x.to_vec();
    x.sort_by(f64::total_cmp);
    let n = x.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let f = of.cdf(x);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    };
    Ok(x.iter().enumerate().map(gap).fold(0.0, f64::max))
}
