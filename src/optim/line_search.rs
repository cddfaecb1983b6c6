//! A line search for the weak Wolfe conditions that survives failures: a bracket, cubic steps inside it, a quarter of it
//! where its far end is +∞.
//!
//! Both conditions together make `(g' - g)·s` positive, which L-BFGS needs. A failure counts as an end of the bracket
//! that is too high.

use super::lbfgs::dot;
use super::objective::{Objective, Sample};
use crate::Result;

/// Sufficient decrease.
const DECREASE: f64 = 1e-4;
/// How much of the slope may remain.
const CURVATURE: f64 = 0.9;
/// Evaluations in one search.
const TRIALS: usize = 40;

/// The end of a step along `direction`, the first trial of which moves no variable by more than `reach`; none if not even
/// the smallest step goes down.
pub(super) fn line_search(
    objective: &mut Objective,
    from: &Sample,
    direction: &[f64],
    reach: f64,
) -> Result<Option<Sample>> {
    let (start, slope) = (from.value, dot(&from.gradient, direction));
    if slope >= 0.0 || slope.is_nan() {
        return Ok(None);
    }
    let largest = direction.iter().fold(0f64, |m, d| m.max(d.abs()));
    let mut step = (reach / largest).min(1.0);
    let (mut low, mut high) = ((0.0, start, slope), None::<(f64, f64, f64)>);
    let mut best = None;
    for _ in 0..TRIALS {
        let at = from.inner.iter().zip(direction).map(|(x, d)| x + step * d).collect();
        let sample = objective.evaluate(at)?;
        let here = (step, sample.value, dot(&sample.gradient, direction));
        // Strictly below, however small the step: a sum may round to where it started.
        if here.1 < start && here.1 <= start + DECREASE * step * slope {
            low = here;
            best = Some(sample);
            if here.2 >= CURVATURE * slope {
                break;
            }
        } else {
            high = Some(here);
        }
        let next = high.map_or(2.0 * step, |high| between(low, high));
        // The bracket is down to rounding.
        if high.is_some_and(|h| h.0 - low.0 <= 1e-15 * h.0) || !next.is_finite() {
            break;
        }
        step = next;
    }
    Ok(best)
}

/// The minimum of the cubic through two ends and their slopes, kept away from both; the middle where there is none.
fn between((a, fa, ga): (f64, f64, f64), (b, fb, gb): (f64, f64, f64)) -> f64 {
    let width = b - a;
    let middle = a + 0.5 * width;
    if !(fb.is_finite() && gb.is_finite()) {
        // Nothing is known of what lies ahead but that it is too far.
        return a + 0.25 * width;
    }
    let theta = 3.0 * (fa - fb) / width + ga + gb;
    let square = theta * theta - ga * gb;
    if square < 0.0 {
        return middle;
    }
    let root = square.sqrt();
    let t = b - width * (gb + root - theta) / (gb - ga + 2.0 * root);
    if t.is_finite() { t.clamp(a + 0.1 * width, b - 0.1 * width) } else { middle }
}
