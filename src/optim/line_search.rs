//! A line search for the weak Wolfe conditions that survives failures: a bracket, cubic steps inside it, halves where
//! an end of it is +∞.
//!
//! Both conditions together make `(g' - g)·s` positive, which L-BFGS needs and argmin's does not check. A failure
//! counts as an end of the bracket that is too high.

use argmin::core::{Error, IterState, KV, Problem, Solver, State, TerminationReason};
use argmin::solver::linesearch::LineSearch;

use super::record::{Record, Sample};

/// Sufficient decrease.
const DECREASE: f64 = 1e-4;
/// How much of the slope may remain.
const CURVATURE: f64 = 0.9;
/// Evaluations in one search.
const TRIALS: usize = 40;

type Iterate = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// One search along a direction; it evaluates through the record and tells it of every accepted step.
#[derive(Clone)]
pub(super) struct Search<'a, 'f> {
    record: &'a Record<'f>,
    direction: Vec<f64>,
}

impl<'a, 'f> Search<'a, 'f> {
    pub fn new(record: &'a Record<'f>) -> Self {
        Search { record, direction: Vec::new() }
    }

    /// The step that was found, or none if not even the smallest one goes down.
    fn run(&self, from: &[f64], start: f64, slope: f64) -> Result<Option<Sample>, Error> {
        let at = |t: f64| from.iter().zip(&self.direction).map(|(x, d)| x + t * d).collect::<Vec<_>>();
        let along = |s: &Sample| s.gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum::<f64>();
        let (mut low, mut high) = ((0.0, start, slope), None::<(f64, f64, f64)>);
        let mut best = None;
        let mut step = self.record.first_step(&self.direction);
        for _ in 0..TRIALS {
            let sample = self.record.evaluate(at(step))?;
            let value = sample.value;
            // Strictly below, however small the step: a sum may round to where it started.
            if value < start && value <= start + DECREASE * step * slope {
                let here = along(&sample);
                low = (step, value, here);
                best = Some(sample);
                if here >= CURVATURE * slope {
                    break;
                }
            } else {
                high = Some((step, value, along(&sample)));
            }
            let next = match high {
                None => 2.0 * step,
                Some(high) => between(low, high),
            };
            // The bracket is down to rounding.
            if high.is_some_and(|h| h.0 - low.0 <= 1e-15 * h.0) || !next.is_finite() {
                break;
            }
            step = next;
        }
        Ok(best)
    }
}

/// The minimum of the cubic through two ends and their slopes, kept away from both; the middle where one is infinite.
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

impl LineSearch<Vec<f64>, f64> for Search<'_, '_> {
    fn search_direction(&mut self, direction: Vec<f64>) {
        self.direction = direction;
    }

    fn initial_step_length(&mut self, _: f64) -> Result<(), Error> {
        Ok(())
    }
}

impl<O> Solver<O, Iterate> for Search<'_, '_> {
    fn name(&self) -> &'static str {
        "weak Wolfe search"
    }

    fn next_iter(&mut self, _: &mut Problem<O>, mut state: Iterate) -> Result<(Iterate, Option<KV>), Error> {
        if self.record.finished() {
            return Err(Error::msg("finished"));
        }
        let (Some(from), Some(gradient)) = (state.take_param(), state.take_gradient()) else {
            return Err(Error::msg("a search needs a point and its gradient"));
        };
        let slope: f64 = gradient.iter().zip(&self.direction).map(|(g, d)| g * d).sum();
        if slope >= 0.0 || slope.is_nan() {
            return Err(Error::msg("not a direction of descent"));
        }
        let Some(found) = self.run(&from, state.get_cost(), slope)? else {
            return Err(Error::msg("no descent to be seen"));
        };
        self.record.accept(&found)?;
        let state = state.param(found.inner).cost(found.value).gradient(found.gradient);
        Ok((state.terminate_with(TerminationReason::SolverConverged), None))
    }
}
