//! Slice sampling, a coordinate at a time: no step size to tune, no gradient, and bounds are simply the ends of a slice.
//!
//! Under the density at the current point a height is drawn uniformly; the next point is uniform among those where the
//! density is above it, found by stepping out and shrinking.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::Result;

/// Steps out of a slice, those of both sides together.
const STEPS: usize = 8;
/// Shrinks before the point stays where it is; each about halves the slice.
const SHRINKS: usize = 60;

/// One sweep over all coordinates of `at`, where the log density is `height`; returns that of the new point.
pub(crate) fn sweep(
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
