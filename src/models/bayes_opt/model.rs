//! The model of f unless another is given, and the scale on which it sees observations.

use ndarray::Array1;

use crate::linalg::Jitter;
use crate::models::gp::{GpRegressor, Prior};
use crate::{Kernel, Result};

/// On the unit cube: Matérn 5/2, with length scales that are not expected far from one half, and noise of at most the
/// variance of the observations.
pub(super) fn default_model(d: usize) -> Result<GpRegressor> {
    let mut kernel = (1.0 * Kernel::matern52(vec![0.5; d])).bounded("scale", 0.05, 50.0)?;
    let lengths: Vec<String> = kernel.params().into_iter().skip(1).map(|p| p.name).collect();
    for name in &lengths {
        kernel = kernel.bounded(name, 0.02, 20.0)?;
    }
    let mut model = GpRegressor::new(kernel).noise(1e-4).noise_bounds(1e-6, 1.0).jitter(Jitter::ladder());
    for name in &lengths {
        model = model.prior(name, Prior::LogNormal { mean: 0.5f64.ln(), deviation: 1.0 });
    }
    // Without this a few points far apart are easily taken for pure noise.
    Ok(model.prior("noise", Prior::LogNormal { mean: 1e-3f64.ln(), deviation: 2.0 }))
}

/// The mean of the observations and their standard deviation. Where they do not differ, but for the rounding of the mean,
/// one, or as much of a huge mean as hides that rounding.
pub(super) fn scaling(y: &[f64]) -> (f64, f64) {
    let n = y.len().max(1) as f64;
    let mean = y.iter().map(|y| y / n).sum::<f64>();
    // Squares of what remains after division by the largest neither overflow nor vanish.
    let largest = y.iter().fold(0f64, |s, y| s.max((y - mean).abs()));
    let rounding = 1e-12 * mean.abs();
    if largest <= rounding.max(f64::MIN_POSITIVE) {
        return (mean, rounding.max(1.0));
    }
    let square = y.iter().map(|y| ((y - mean) / largest).powi(2)).sum::<f64>() / n;
    (mean, largest * square.sqrt())
}

/// The observations as the model sees them.
pub(super) fn standardised(y: &[f64]) -> Array1<f64> {
    let (centre, scale) = scaling(y);
    // Beside a variance of one less than a rounding is nothing; and no solve can be exact to what is nearly underflow.
    let seen = |y: &f64| Some((y - centre) / scale).filter(|v| v.abs() > f64::EPSILON).unwrap_or(0.0);
    y.iter().map(seen).collect()
}
