//! The objective as a search sees it: in the unbounded variables, with failures as +∞, counted.

use super::bounds::Interval;
use crate::{Error, Result};

/// One evaluation of the objective.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// u, the unbounded variables.
    pub inner: Vec<f64>,
    /// x, the point in the box.
    pub point: Vec<f64>,
    /// f(x), or +∞ where it failed.
    pub value: f64,
    /// df/du; NaN where it failed.
    pub gradient: Vec<f64>,
    /// df/dx.
    pub outer: Vec<f64>,
}

/// A function and its gradient.
pub(super) type Function<'f> = dyn FnMut(&[f64]) -> Result<(f64, Vec<f64>)> + 'f;

pub(super) struct Objective<'f> {
    pub f: &'f mut Function<'f>,
    pub intervals: &'f [Interval],
    /// Evaluations in all runs.
    pub evaluations: usize,
    /// Evaluations that failed.
    pub failures: usize,
    /// Why the last failure failed.
    pub refusal: Option<Error>,
}

impl Objective<'_> {
    /// f at u; a failure is +∞.
    pub fn evaluate(&mut self, inner: Vec<f64>) -> Result<Sample> {
        let point = self.intervals.iter().zip(&inner).map(|(i, &u)| i.outer(u)).collect();
        self.sample(inner, point)
    }

    /// f at this x itself, not at what is left of it after a way there and back; none where it fails.
    pub fn at(&mut self, point: Vec<f64>) -> Result<Option<Sample>> {
        let inner = self.intervals.iter().zip(&point).map(|(i, &x)| i.inner(x)).collect();
        Ok(Some(self.sample(inner, point)?).filter(|s| s.value.is_finite()))
    }

    fn sample(&mut self, inner: Vec<f64>, point: Vec<f64>) -> Result<Sample> {
        self.evaluations += 1;
        let refusal = match (self.f)(&point) {
            Ok((_, outer)) if outer.len() != point.len() => {
                let what = format!("{} variables, a gradient of {}", point.len(), outer.len());
                return Err(Error::Shape { op: "minimise", what });
            }
            Ok((value, outer)) if value.is_finite() && outer.iter().all(|g| g.is_finite()) => {
                let slopes = self.intervals.iter().zip(&inner).map(|(i, &u)| i.slope(u));
                let gradient = slopes.zip(&outer).map(|(s, g)| s * g).collect();
                return Ok(Sample { inner, point, value, gradient, outer });
            }
            Ok((value, _)) => {
                Error::NotFinite { op: "minimise", what: "the objective", value, row: 0, col: 0 }
            }
            Err(
                e @ (Error::NotPositiveDefinite { .. }
                | Error::Singular { .. }
                | Error::NoConvergence { .. }
                | Error::Overflow { .. }),
            ) => e,
            Err(e) => return Err(e),
        };
        self.failures += 1;
        self.refusal = Some(refusal);
        let nothing = vec![f64::NAN; point.len()];
        Ok(Sample { inner, point, value: f64::INFINITY, gradient: nothing.clone(), outer: nothing })
    }

    /// The largest entry of the projected gradient in x, of f relative to its size. Of f itself it would be no longer
    /// than an interval, however steep f is, and beside a large value that is little.
    pub fn slope(&self, s: &Sample) -> f64 {
        let size = s.value.abs().max(1.0);
        let each = self.intervals.iter().zip(s.point.iter().zip(&s.outer));
        each.map(|(i, (&x, &g))| i.projected(x, g / size)).fold(0.0, f64::max)
    }
}
