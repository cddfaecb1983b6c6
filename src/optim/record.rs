//! What a search evaluates through, and what it leaves behind.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error as Trouble, Gradient};

use super::bounds::Interval;
use super::minimiser::{Minimiser, Stop};
use crate::{Error, Result};

/// Longest first step of a search, in the largest entry of u: a fold of the sine is half a turn.
const REACH: f64 = 0.25;
/// A step that gains less than this part of the tolerance, relative to the value, is the last.
const GAIN: f64 = 1e-6;

/// One evaluation.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// u.
    pub inner: Vec<f64>,
    /// x.
    pub point: Vec<f64>,
    /// f(x), or +∞ where it failed.
    pub value: f64,
    /// df/du; NaN where it failed.
    pub gradient: Vec<f64>,
    /// df/dx.
    pub outer: Vec<f64>,
}

type Objective<'f> = dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'f;

pub(super) struct Record<'f> {
    own: &'f Minimiser,
    intervals: &'f [Interval],
    inside: RefCell<Inside<'f>>,
}

struct Inside<'f> {
    f: &'f mut Objective<'f>,
    /// Of the run at hand.
    current: Option<Sample>,
    trace: Vec<f64>,
    stop: Option<Stop>,
    /// What ends everything.
    abort: Option<Error>,
    /// Why the last failure failed.
    refusal: Option<Error>,
    iterations: usize,
    evaluations: usize,
    failures: usize,
}

/// What all runs together did.
pub(super) struct Tally {
    pub iterations: usize,
    pub evaluations: usize,
    pub failures: usize,
}

impl<'f> Record<'f> {
    pub fn new(own: &'f Minimiser, intervals: &'f [Interval], f: &'f mut Objective<'f>) -> Self {
        let inside = Inside {
            f,
            current: None,
            trace: Vec::new(),
            stop: None,
            abort: None,
            refusal: None,
            iterations: 0,
            evaluations: 0,
            failures: 0,
        };
        Record { own, intervals, inside: RefCell::new(inside) }
    }

    /// f at u; a failure is +∞.
    pub fn evaluate(&self, inner: Vec<f64>) -> std::result::Result<Sample, Trouble> {
        let point = self.intervals.iter().zip(&inner).map(|(i, &u)| i.outer(u)).collect();
        self.sample(inner, point)
    }

    /// f at this x itself, not at what is left of it after a way there and back; none where it fails.
    pub fn at(&self, point: Vec<f64>) -> Result<Option<Sample>> {
        let inner = self.intervals.iter().zip(&point).map(|(i, &x)| i.inner(x)).collect();
        let sample = self.sample(inner, point);
        match self.aborted() {
            Some(error) => Err(error),
            None => Ok(sample.ok().filter(|s| s.value.is_finite())),
        }
    }

    fn sample(&self, inner: Vec<f64>, point: Vec<f64>) -> std::result::Result<Sample, Trouble> {
        let mut inside = self.inside.borrow_mut();
        inside.evaluations += 1;
        let found = match (inside.f)(&point) {
            Ok((_, outer)) if outer.len() != point.len() => {
                let what = format!("{} variables, a gradient of {}", point.len(), outer.len());
                Err(Error::Shape { op: "minimise", what })
            }
            Ok((value, outer)) if value.is_finite() && outer.iter().all(|g| g.is_finite()) => {
                Ok((value, outer))
            }
            Ok((value, _)) => {
                inside.refusal =
                    Some(Error::NotFinite { op: "minimise", what: "the objective", value, row: 0, col: 0 });
                Ok((f64::INFINITY, vec![f64::NAN; point.len()]))
            }
            Err(
                e
                @ (Error::NotPositiveDefinite { .. } | Error::Singular { .. } | Error::NoConvergence { .. }),
            ) => {
                inside.refusal = Some(e);
                Ok((f64::INFINITY, vec![f64::NAN; point.len()]))
            }
            Err(e) => Err(e),
        };
        let (value, outer) = found.map_err(|e| {
            inside.abort = Some(e);
            Trouble::msg("aborted")
        })?;
        inside.failures += usize::from(value == f64::INFINITY);
        let slopes = self.intervals.iter().zip(&inner).map(|(i, &u)| i.slope(u));
        let gradient = slopes.zip(&outer).map(|(s, g)| s * g).collect();
        Ok(Sample { inner, point, value, gradient, outer })
    }

    /// A length for the first trial: the whole step of L-BFGS unless that is a leap into the unknown.
    pub fn first_step(&self, direction: &[f64]) -> f64 {
        let largest = direction.iter().fold(0f64, |m, d| m.max(d.abs()));
        // The first step of all has no curvature to go by, and is as long as the gradient happens to be.
        let reach = if self.inside.borrow().trace.len() <= 1 { REACH } else { 4.0 * REACH };
        (reach / largest).min(1.0)
    }

    /// A run begins.
    pub fn begin(&self, start: Sample, fresh: bool) {
        let mut inside = self.inside.borrow_mut();
        if fresh {
            inside.trace = vec![start.value];
        }
        inside.stop = None;
        if self.slope(&start) <= self.own.tolerance {
            inside.stop = Some(Stop::Gradient);
        }
        inside.current = Some(start);
    }

    /// The end of an iteration.
    pub fn accept(&self, found: &Sample) -> std::result::Result<(), Trouble> {
        let mut inside = self.inside.borrow_mut();
        inside.iterations += 1;
        let before = inside.current.as_ref().map_or(f64::INFINITY, |s| s.value);
        let unit = self.own.tolerance * found.value.abs().max(1.0);
        if self.slope(found) <= self.own.tolerance {
            inside.stop = Some(Stop::Gradient);
        } else if before - found.value <= GAIN * unit {
            inside.stop = Some(Stop::Value);
        } else if inside.trace.len() >= self.own.max_iterations {
            inside.stop = Some(Stop::Iterations);
        }
        inside.trace.push(found.value);
        inside.current = Some(found.clone());
        let iterations = inside.iterations;
        drop(inside);
        let most = self.own.max_iterations.saturating_mul(self.own.restarts.saturating_add(1));
        if let Err(stop) = self.own.progress.report("minimise", iterations, most, found.value) {
            self.inside.borrow_mut().abort = Some(stop);
            return Err(Trouble::msg("cancelled"));
        }
        Ok(())
    }

    /// The largest entry of the projected gradient in x, of f relative to its size. Of f itself it would be no longer
    /// than an interval, however steep f is, and beside a large value that is little.
    fn slope(&self, s: &Sample) -> f64 {
        let size = s.value.abs().max(1.0);
        let each = self.intervals.iter().zip(s.point.iter().zip(&s.outer));
        each.map(|(i, (&x, &g))| i.projected(x, g / size)).fold(0.0, f64::max)
    }

    pub fn finished(&self) -> bool {
        self.inside.borrow().stop.is_some()
    }

    /// What ended everything, if anything did.
    pub fn aborted(&self) -> Option<Error> {
        self.inside.borrow_mut().abort.take()
    }

    pub fn refusal(&self) -> Option<Error> {
        self.inside.borrow().refusal.clone()
    }

    /// Where the run stands, and why it stopped if it did by itself.
    pub fn standing(&self) -> (Option<Sample>, Option<Stop>, Vec<f64>) {
        let inside = self.inside.borrow();
        (inside.current.clone(), inside.stop, inside.trace.clone())
    }

    pub fn tally(&self) -> Tally {
        let inside = self.inside.borrow();
        let (iterations, evaluations, failures) = (inside.iterations, inside.evaluations, inside.failures);
        Tally { iterations, evaluations, failures }
    }
}

/// What argmin asks of a problem: only ever at the point where the run stands.
pub(super) struct Here<'a, 'f>(pub &'a Record<'f>);

impl CostFunction for Here<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, at: &Vec<f64>) -> std::result::Result<f64, Trouble> {
        self.sample(at).map(|s| s.value)
    }
}

impl Gradient for Here<'_, '_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, at: &Vec<f64>) -> std::result::Result<Vec<f64>, Trouble> {
        self.sample(at).map(|s| s.gradient)
    }
}

impl Here<'_, '_> {
    fn sample(&self, at: &Vec<f64>) -> std::result::Result<Sample, Trouble> {
        let known = self.0.inside.borrow().current.clone().filter(|s| s.inner == *at);
        known.map_or_else(|| self.0.evaluate(at.clone()), Ok)
    }
}
