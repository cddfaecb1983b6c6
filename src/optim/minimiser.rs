//! Minimisation in a box: its settings, the restarts, and what is returned.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bounds::Interval;
use super::lbfgs::{Descent, Run};
use super::objective::Objective;
use crate::check::{parameter, require};
use crate::configure::setters;
use crate::{Error, Progress, Result};

/// Points drawn for a restart before it is given up, if the objective fails at all of them.
const DRAWS: usize = 10;

/// `min f(x), a ≤ x ≤ b` by L-BFGS from a start and from seeded random points of the box; the best run wins.
///
/// ```
/// use mercer::optim::{Minimiser, Stop};
///
/// // (x - 3)² + (y + 1)², with x at most 2.
/// let bowl = |p: &[f64]| {
///     let (x, y) = (p[0] - 3.0, p[1] + 1.0);
///     Ok((x * x + y * y, vec![2.0 * x, 2.0 * y]))
/// };
/// let found = Minimiser::new().run(&[0.0, 0.0], &[(-5.0, 2.0), (f64::NEG_INFINITY, f64::INFINITY)], bowl)?;
/// assert!((found.point[0] - 2.0).abs() < 1e-9 && (found.point[1] + 1.0).abs() < 1e-6);
/// assert_eq!(found.stop, Stop::Gradient);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Minimiser {
    /// Most iterations of a run.
    pub(super) max_iterations: usize,
    /// A run ends when the largest entry of the projected gradient is at most this, relative to `max(1, |f|)`, or
    /// when an iteration gains less than a millionth of this.
    pub(super) tolerance: f64,
    /// Runs from random points, besides the one from the start. They are uniform in bounds that are finite, unless these
    /// are a thousand times wider than the start is large: then they get rarer away from it, as on a logarithmic scale. A
    /// variable without two finite bounds keeps its start.
    pub(super) restarts: usize,
    /// Seed of the restarts' points.
    pub(super) seed: u64,
    /// Called after every iteration with the number of iterations so far, restarts included, and the value.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl Default for Minimiser {
    fn default() -> Self {
        Minimiser { max_iterations: 200, tolerance: 1e-6, restarts: 0, seed: 0, progress: Progress::none() }
    }
}

setters!(Minimiser {
    /// Most iterations of a run; 200 unless said otherwise.
    max_iterations: usize,
    /// Largest entry of the projected gradient at which a run ends, relative to `max(1, |f|)`; 1e-6 unless said otherwise.
    tolerance: f64,
    /// Number of runs from random points of the box, besides the one from the start; none unless said otherwise.
    restarts: usize,
    /// Seed of the restarts' points.
    seed: u64,
    /// Callback after every iteration, which can stop the search.
    progress: Progress,
});

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stop {
    /// The projected gradient is within the tolerance: a minimum.
    Gradient,
    /// The last iteration gained next to nothing.
    Value,
    /// The iterations are used up.
    #[default]
    Iterations,
    /// No step went down any more, although the gradient says that one should: the objective is as exact as it gets,
    /// or fails all around.
    Stalled,
}

/// The best point found, and what happened.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Minimum {
    /// x.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub point: Vec<f64>,
    /// f(x).
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub value: f64,
    /// The gradient there, by x.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub gradient: Vec<f64>,
    /// Iterations of all runs together.
    pub iterations: usize,
    /// Evaluations of all runs together.
    pub evaluations: usize,
    /// Evaluations that failed.
    pub failures: usize,
    /// The value after each iteration of the best run, its start first; it never rises.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::numbers"))]
    pub trace: Vec<f64>,
    /// Why the best run ended.
    pub stop: Stop,
    /// Variables at a bound beyond which f falls further.
    pub at_bounds: Vec<usize>,
}

impl Minimiser {
    /// One run of at most 200 iterations to a tolerance of 1e-6.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimises `f`, which gives a value and its gradient.
    ///
    /// `f` is only evaluated within the bounds; those beyond ±1e300 are taken for infinite. A start outside is moved to
    /// the nearest bound. The start itself is evaluated first, and what is returned is never above it.
    /// [`Error::NotPositiveDefinite`], [`Error::Singular`] and [`Error::NoConvergence`] from `f`, and values that are not
    /// finite, count as +∞.
    ///
    /// # Errors
    /// Any other error of `f`; the failure itself if `f` fails at the start and at every restart;
    /// [`Error::Cancelled`]; [`Error::Shape`], [`Error::Parameter`] or [`Error::NotFinite`] for a bad start, bad
    /// bounds or a bad tolerance.
    pub fn run(
        &self,
        start: &[f64],
        bounds: &[(f64, f64)],
        mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Minimum> {
        let intervals = self.check(start, bounds)?;
        let objective =
            Objective { f: &mut f, intervals: &intervals, evaluations: 0, failures: 0, refusal: None };
        let _watch = self.progress.between_submissions("minimise");
        let mut descent = Descent { settings: self, objective, iterations: 0 };
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut best = None::<Run>;
        for run in 0..=self.restarts {
            let draws = if run == 0 { 1 } else { DRAWS };
            let from = (0..draws).find_map(|_| {
                let x = if run == 0 { start.to_vec() } else { draw(&mut rng, start, &intervals) };
                descent.begin(&x).transpose()
            });
            if let Some(from) = from {
                let found = descent.run(from?)?;
                if best.as_ref().is_none_or(|best| found.now.value < best.now.value) {
                    best = Some(found);
                }
            }
        }
        let Descent { objective, iterations, .. } = descent;
        let Some(Run { now, trace, stop }) = best else {
            // Every start has failed, and so left a reason.
            return Err(objective.refusal.unwrap_or(Error::NoConvergence {
                op: "minimise",
                iterations: 0,
                residual: f64::INFINITY,
                tolerance: self.tolerance,
            }));
        };
        let held = |i: &usize| intervals[*i].held(now.point[*i], now.outer[*i]);
        let at_bounds = (0..intervals.len()).filter(held).collect();
        let Objective { evaluations, failures, .. } = objective;
        let (point, value, gradient) = (now.point, now.value, now.outer);
        Ok(Minimum { point, value, gradient, iterations, evaluations, failures, trace, stop, at_bounds })
    }

    fn check(&self, start: &[f64], bounds: &[(f64, f64)]) -> Result<Vec<Interval>> {
        require("minimise", !start.is_empty() && start.len() == bounds.len(), || {
            format!("a start of {} variables, bounds of {}", start.len(), bounds.len())
        })?;
        if let Some((row, &value)) = start.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(Error::NotFinite { op: "minimise", what: "the start", value, row, col: 0 });
        }
        let tolerance = self.tolerance;
        parameter("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "must be positive")?;
        bounds.iter().zip(start).enumerate().map(|(i, (&b, &x))| Interval::new(i, b, x)).collect()
    }
}

/// Anywhere in intervals that are finite, else the start.
fn draw(rng: &mut ChaCha8Rng, start: &[f64], intervals: &[Interval]) -> Vec<f64> {
    let each = intervals.iter().zip(start);
    each.map(|(interval, &x)| if interval.finite() { interval.at(rng.random()) } else { x }).collect()
}
