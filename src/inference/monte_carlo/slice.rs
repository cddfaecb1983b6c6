//! Slice sampling, a coordinate at a time: no step size to tune, no gradient, and bounds are simply the ends of a slice.
//! Checked in `tests/gp/hyper_posterior.rs`, and below against a density whose moments are known.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::check::{parameter, positive, require, room};
use crate::learn::configure::setters;
use crate::{Error, Progress, Result};

const OP: &str = "slice_sample";
/// Steps out of a slice, those of both sides together.
const STEPS: usize = 8;
/// Shrinks before the point stays where it is; each about halves the slice.
const SHRINKS: usize = 60;

/// How many samples are drawn, and how.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SliceParams {
    samples: usize,
    burn_in: usize,
    thin: usize,
    width: f64,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Default for SliceParams {
    fn default() -> Self {
        SliceParams { samples: 50, burn_in: 20, thin: 2, width: 1.0, seed: 0, progress: Progress::none() }
    }
}

impl SliceParams {
    /// Fifty samples, every second sweep after the first twenty.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn first_seed(&self) -> u64 {
        self.seed
    }
}

setters!(SliceParams {
    /// The number of samples to keep: 50.
    samples: usize,
    /// The sweeps over all variables before the first that is kept: 20.
    burn_in: usize,
    /// The sweeps for each sample that is kept: 2.
    thin: usize,
    /// The first guess at the width of a slice: 1.
    width: f64,
    /// Seed of all random decisions.
    seed: u64,
    /// Called after every sweep with the log density; it can cancel the sampling.
    progress: Progress,
});

/// Samples of a density, and what they took.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SliceSamples {
    /// The samples, each a value for every variable.
    pub points: Vec<Vec<f64>>,
    /// The log density at each sample.
    pub log_density: Vec<f64>,
    /// Evaluations of the log density.
    pub evaluations: usize,
}

/// Draws from the density whose logarithm, up to a constant, is `log_density`, within bounds (Neal 2003).
///
/// Under the density at the current point a height is drawn uniformly; along one coordinate the next point is uniform
/// among those where the density is above it, found by stepping out and shrinking. A sweep does that once for each
/// coordinate. Where the log density is minus infinity there are no samples.
///
/// ```
/// use mercer::inference::monte_carlo::{SliceParams, slice_sample};
/// // Exponential, of mean one.
/// let params = SliceParams::new().samples(4000).thin(1).seed(3);
/// let drawn = slice_sample(&[1.0], &[(0.0, f64::INFINITY)], &params, |x| Ok(-x[0]))?;
/// let mean = drawn.points.iter().map(|x| x[0]).sum::<f64>() / 4000.0;
/// assert!((mean - 1.0).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`] for no samples, no variables, more sweeps than can be counted, or bounds that are not one for each;
/// [`Error::Parameter`] for bounds out of order, a width that is not positive, a start whose density is zero or not a
/// number, and more samples than memory has room for; [`Error::Cancelled`]; those of `log_density`.
pub fn slice_sample(
    start: &[f64],
    bounds: &[(f64, f64)],
    params: &SliceParams,
    mut log_density: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<SliceSamples> {
    let SliceParams { samples, burn_in, thin, width, seed, .. } = *params;
    require(OP, !start.is_empty() && start.len() == bounds.len(), || {
        format!("{} variables, {} bounds", start.len(), bounds.len())
    })?;
    require(OP, samples > 0 && thin > 0, || "no samples were asked for".to_owned())?;
    let last = samples.checked_mul(thin).and_then(|kept| kept.checked_add(burn_in));
    let last = last.ok_or_else(|| {
        let what = format!("{burn_in} sweeps and {samples} times {thin} are more than can be counted");
        Error::Shape { op: OP, what }
    })?;
    positive("width", width)?;
    room("samples", samples, 8 * (start.len() + 4))?;
    for (i, (low, high)) in bounds.iter().enumerate() {
        parameter(&format!("bounds[{i}].0"), *low, low < high, "the lower bound must be below the upper")?;
    }
    let mut at: Vec<f64> = start.iter().zip(bounds).map(|(t, (low, high))| t.clamp(*low, *high)).collect();
    let mut evaluations = 0;
    let mut density = |x: &[f64]| {
        evaluations += 1;
        log_density(x)
    };
    let mut height = density(&at)?;
    parameter("log density at the start", height, height.is_finite(), "must be finite")?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut points, mut heights) = (Vec::new(), Vec::new());
    for made in 1..=last {
        height = sweep(&mut at, height, bounds, width, &mut rng, &mut density)?;
        if made > burn_in && (made - burn_in).is_multiple_of(thin) {
            points.push(at.clone());
            heights.push(height);
        }
        params.progress.report(OP, made, last, height)?;
    }
    Ok(SliceSamples { points, log_density: heights, evaluations })
}

/// One sweep over all coordinates of `at`, where the log density is `height`; returns that of the new point.
fn sweep(
    at: &mut [f64],
    mut height: f64,
    bounds: &[(f64, f64)],
    width: f64,
    rng: &mut ChaCha8Rng,
    mut log_density: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<f64> {
    for (i, &(lower, upper)) in bounds.iter().enumerate() {
        let here = at[i];
        // The logarithm of a uniform height under the density.
        let level = height + (1.0 - rng.random::<f64>()).ln();
        let mut low = here - width * rng.random::<f64>();
        let mut high = low + width;
        // How many of them go left is uniform over 0..=STEPS: any other split is not reversible, and drifts.
        let left = ((STEPS + 1) as f64 * rng.random::<f64>()) as usize;
        let mut above = |at: &mut [f64], x: f64| -> Result<bool> {
            if x <= lower || x >= upper {
                return Ok(false);
            }
            at[i] = x;
            Ok(log_density(at)? > level)
        };
        for _ in 0..left {
            if !above(at, low)? {
                break;
            }
            low -= width;
        }
        for _ in left..STEPS {
            if !above(at, high)? {
                break;
            }
            high += width;
        }
        (low, high) = (low.max(lower), high.min(upper));
        at[i] = here;
        for _ in 0..SHRINKS {
            let x = low + (high - low) * rng.random::<f64>();
            at[i] = x;
            let value = log_density(at)?;
            if value > level {
                height = value;
                break;
            }
            at[i] = here;
            if x < here { low = x } else { high = x }
        }
    }
    Ok(height)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A normal density cut off at zero: mean `√(2/π)`, variance `1 - 2/π`.
    #[test]
    fn moments_of_half_a_normal() {
        let params = SliceParams::new().samples(20_000).thin(1).seed(1);
        let drawn = slice_sample(&[3.0], &[(0.0, 50.0)], &params, |x| Ok(-0.5 * x[0] * x[0])).unwrap();
        let n = drawn.points.len() as f64;
        let mean = drawn.points.iter().map(|x| x[0]).sum::<f64>() / n;
        let variance = drawn.points.iter().map(|x| (x[0] - mean).powi(2)).sum::<f64>() / n;
        let share = std::f64::consts::FRAC_2_PI;
        assert!((mean - share.sqrt()).abs() < 0.02, "{mean}");
        assert!((variance - (1.0 - share)).abs() < 0.02, "{variance}");
        assert!(drawn.points.iter().all(|x| x[0] > 0.0));
    }

    #[test]
    fn what_cannot_be_sampled_is_refused() {
        let run = |params: &SliceParams, bounds: &[(f64, f64)]| {
            slice_sample(&[0.5], bounds, params, |x| Ok(if x[0] > 0.7 { f64::NAN } else { 0.0 }))
        };
        let fine = SliceParams::new();
        assert!(run(&fine, &[(0.0, 0.6)]).is_ok());
        assert!(run(&fine, &[(0.8, 1.0)]).is_err());
        assert!(run(&fine, &[(1.0, 0.0)]).is_err());
        assert!(run(&fine, &[]).is_err());
        for bad in [
            fine.clone().samples(0),
            fine.clone().thin(0),
            fine.clone().width(-1.0),
            fine.clone().width(f64::NAN),
            fine.clone().samples(usize::MAX),
            fine.clone().samples(usize::MAX).thin(1).burn_in(0),
        ] {
            assert!(run(&bad, &[(0.0, 0.6)]).is_err(), "{bad:?}");
        }
    }
}
