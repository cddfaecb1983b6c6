//! Draws from `N(μ, Σ)` by either square root of Σ.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::factor::lower;
use crate::Result;
use crate::check::{numbers, parameter, require, zeros};
use crate::linalg::eigh;

/// Eigenvalues below zero that count as rounding, relative to the largest.
const ROUNDING: f64 = 1e-10;

/// Independent standard normal numbers, `count x d`.
pub(crate) fn standard(count: usize, d: usize, seed: u64) -> Result<Array2<f64>> {
    let mut z = zeros("count", count, d)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    z.mapv_inplace(|_| rng.sample(StandardNormal));
    Ok(z)
}

fn fits(op: &'static str, mean: ArrayView1<f64>, covariance: ArrayView2<f64>) -> Result<()> {
    let d = mean.len();
    require(op, d > 0 && covariance.dim() == (d, d), || {
        format!("a mean of {d} numbers, a covariance of {:?}", covariance.dim())
    })?;
    numbers(op, "mean", mean.insert_axis(Axis(0)))
}

/// Rows `μ + Lz` with `L Lᵀ = Σ`, `count x d`; the seed decides.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite): see
/// [`sample_eigen`] for a singular covariance.
pub fn sample_cholesky(
    mean: ArrayView1<f64>,
    covariance: ArrayView2<f64>,
    count: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    fits("sample_cholesky", mean, covariance)?;
    let l = lower("sample_cholesky", covariance)?;
    Ok(standard(count, mean.len(), seed)?.dot(&l.t()) + mean)
}

/// Rows `μ + UΛ^½ z` with `UΛUᵀ = Σ`, `count x d`: Σ may be singular, and draws then stay in its range. The seed decides.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::Parameter`](crate::Error::Parameter) for a covariance that is not
/// symmetric or has an eigenvalue that is negative beyond rounding.
pub fn sample_eigen(
    mean: ArrayView1<f64>,
    covariance: ArrayView2<f64>,
    count: usize,
    seed: u64,
) -> Result<Array2<f64>> {
    fits("sample_eigen", mean, covariance)?;
    let e = eigh(covariance)?;
    let top = e.values[0].abs();
    for (i, &v) in e.values.iter().enumerate() {
        parameter(&format!("eigenvalue {i}"), v, v >= -ROUNDING * top, "a covariance has none below zero")?;
    }
    // What is rounding is nothing: draws from a singular covariance do not leave its range.
    let roots: Array1<f64> = e.values.mapv(|v| if v > 1e-14 * top { v.sqrt() } else { 0.0 });
    let a = &e.vectors * &roots;
    Ok(standard(count, mean.len(), seed)?.dot(&a.t()) + mean)
}
