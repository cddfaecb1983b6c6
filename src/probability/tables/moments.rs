//! Expectations, variances and covariances: under a distribution, by draws, of samples.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Result;
use crate::check::{entries, not_negative, paired, parameter, probabilities, require, sample};
use crate::probability::distributions::Univariate;

/// `E[f(X)] = Σ p_k f(k)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there is one value for each probability,
/// [`Error::Parameter`](crate::Error::Parameter) for probabilities that are negative or do not sum to one.
pub fn expectation(p: &[f64], values: &[f64]) -> Result<f64> {
    require("expectation", p.len() == values.len() && !p.is_empty(), || {
        format!("{} probabilities, {} values", p.len(), values.len())
    })?;
    probabilities("p", p)?;
    Ok(p.iter().zip(values).filter(|(p, _)| **p != 0.0).map(|(p, v)| p * v).sum())
}

/// `Var[f(X)] = E[(f - E f)²]` under a distribution, in two passes.
///
/// # Errors
/// As [`expectation`].
pub fn variance_under(p: &[f64], values: &[f64]) -> Result<f64> {
    let mean = expectation(p, values)?;
    expectation(p, &values.iter().map(|v| (v - mean) * (v - mean)).collect::<Vec<_>>())
}

/// A mean over draws and the standard error of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonteCarlo {
    /// `(1/N) Σ f(x_n)`.
    pub mean: f64,
    /// Its standard error, `√(Var/N)`.
    pub error: f64,
}

/// `E[f(X)] ≈ (1/N) Σ f(x_n)` with N draws of a distribution; the error falls as `1/√N`. The seed decides.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for fewer than two draws, or more than memory has room for.
pub fn monte_carlo_expectation(
    of: &impl Univariate,
    f: impl Fn(f64) -> f64,
    count: usize,
    seed: u64,
) -> Result<MonteCarlo> {
    parameter("count", count as f64, count > 1, "must be at least 2: a standard error is wanted")?;
    let values: Vec<f64> = of.sample(count, seed)?.iter().map(|&x| f(x)).collect();
    let mean = values.iter().sum::<f64>() / count as f64;
    Ok(MonteCarlo { mean, error: (variance(&values, 1)? / count as f64).sqrt() })
}

/// `Σ (x - mean)²/(n - ddof)`: 0 for the maximum of a normal likelihood, 1 for no bias. In two passes, so that numbers far
/// from zero cancel no digits.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there are more than `ddof` numbers, [`Error::NotFinite`](crate::Error::NotFinite).
pub fn variance(x: &[f64], ddof: usize) -> Result<f64> {
    require("variance", x.len() > ddof, || format!("{} numbers, ddof = {ddof}", x.len()))?;
    entries("variance", "x", x)?;
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    Ok(x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (x.len() - ddof) as f64)
}

fn not_negative_each(variances: &[f64]) -> Result<()> {
    variances.iter().enumerate().try_for_each(|(i, &v)| not_negative(&format!("variances[{i}]"), v))
}

/// `Var[Σ c_i X_i] = Σ c_i² Var[X_i]` of independent variables.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there is one factor for each variance, [`Error::NotFinite`](crate::Error::NotFinite),
/// [`Error::Parameter`](crate::Error::Parameter) for a negative variance.
pub fn variance_of_sum(factors: &[f64], variances: &[f64]) -> Result<f64> {
    require("variance_of_sum", factors.len() == variances.len(), || {
        format!("{} factors, {} variances", factors.len(), variances.len())
    })?;
    entries("variance_of_sum", "factors", factors)?;
    not_negative_each(variances)?;
    Ok(factors.iter().zip(variances).map(|(c, v)| c * c * v).sum())
}

/// `Var[Π X_i] = Π(σ_i² + μ_i²) - Π μ_i²` of independent variables, without the cancellation: factor by factor,
/// `V ← V(σ² + μ²) + M²σ²`.
///
/// # Errors
/// As [`variance_of_sum`].
pub fn variance_of_product(means: &[f64], variances: &[f64]) -> Result<f64> {
    require("variance_of_product", means.len() == variances.len(), || {
        format!("{} means, {} variances", means.len(), variances.len())
    })?;
    entries("variance_of_product", "means", means)?;
    not_negative_each(variances)?;
    let step = |(v, square): (f64, f64), (m, s): (&f64, &f64)| (v * (s + m * m) + square * s, square * m * m);
    Ok(means.iter().zip(variances).fold((0.0, 1.0), step).0)
}

/// `(1/(n - ddof)) Σ (x - x̄)(y - ȳ)ᵀ` of two samples of the same observations, `p x q`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite).
pub fn cross_covariance(x: ArrayView2<f64>, y: ArrayView2<f64>, ddof: usize) -> Result<Array2<f64>> {
    paired("cross_covariance", x, y, ddof + 1)?;
    let n = x.nrows() as f64;
    let centred = |a: ArrayView2<f64>| &a - &(a.sum_axis(Axis(0)) / n);
    Ok(centred(x).t().dot(&centred(y)) / (n - ddof as f64))
}

/// The covariance matrix of the columns of `x`: symmetric, positive semi-definite, variances on the diagonal.
///
/// # Errors
/// As [`cross_covariance`].
pub fn covariance(x: ArrayView2<f64>, ddof: usize) -> Result<Array2<f64>> {
    let s = cross_covariance(x, x, ddof)?;
    Ok((&s + &s.t()) * 0.5)
}

/// `ρ_ij = S_ij/√(S_ii S_jj)`, between -1 and 1.
///
/// # Errors
/// As [`cross_covariance`], and [`Error::Parameter`](crate::Error::Parameter) for a column that is constant.
pub fn correlation(x: ArrayView2<f64>) -> Result<Array2<f64>> {
    sample("correlation", "x", x, 2)?;
    let s = covariance(x, 0)?;
    let deviations: Array1<f64> = s.diag().mapv(f64::sqrt);
    for (j, &v) in deviations.iter().enumerate() {
        parameter(&format!("deviation of column {j}"), v, v > 0.0, "a constant correlates with nothing")?;
    }
    Ok(Array2::from_shape_fn(s.dim(), |(i, j)| {
        if i == j { 1.0 } else { (s[[i, j]] / (deviations[i] * deviations[j])).clamp(-1.0, 1.0) }
    }))
}
