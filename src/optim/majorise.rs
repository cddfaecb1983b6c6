//! Majorise and minimise: a bound from above that touches, its minimum, again. Checked in `tests/optim/others.rs`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::minimiser::{Minimum, Stop};
use crate::check::{not_negative, positive, require};
use crate::configure::setters;
use crate::{Error, Progress, Result};

/// Relative rise of the objective that is rounding.
const ROUNDING: f64 = 1e-10;

/// An objective f and a bound g on it: `g(θ | θ₀) ≥ f(θ)` with equality at `θ = θ₀`.
pub trait Majoriser {
    /// `f(θ)`.
    ///
    /// # Errors
    /// Whatever it meets.
    fn value(&self, theta: &[f64]) -> Result<f64>;

    /// `g(θ | θ₀)`.
    ///
    /// # Errors
    /// Whatever it meets.
    fn bound(&self, theta: &[f64], at: &[f64]) -> Result<f64>;

    /// `argmin_θ g(θ | θ₀)`.
    ///
    /// # Errors
    /// Whatever it meets.
    fn minimiser(&self, at: &[f64]) -> Result<Vec<f64>>;
}

/// How far a bound is from what a bound must be, by [`check_bound`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BoundCheck {
    /// `|g(θ₀ | θ₀) - f(θ₀)|`: zero if the bound touches.
    pub touch: f64,
    /// The largest entry of `∇g(θ₀ | θ₀) - ∇f(θ₀)`, by central differences: zero if it touches without crossing.
    pub slope: f64,
    /// The most by which f passed the bound at any point tried; zero if it did nowhere.
    pub violation: f64,
}

/// Tries a bound at θ₀ and at `tries` seeded points within `radius` of it.
///
/// # Errors
/// Those of the majoriser; [`Error::Parameter`] for a radius that is not positive.
pub fn check_bound(
    of: &impl Majoriser,
    at: &[f64],
    radius: f64,
    tries: usize,
    seed: u64,
) -> Result<BoundCheck> {
    positive("radius", radius)?;
    let gap = |theta: &[f64]| -> Result<f64> { Ok(of.bound(theta, at)? - of.value(theta)?) };
    let mut found = BoundCheck { touch: gap(at)?.abs(), slope: 0.0, violation: 0.0 };
    for j in 0..at.len() {
        let h = 1e-5 * at[j].abs().max(1.0);
        let moved = |by: f64| {
            at.iter().enumerate().map(|(k, t)| if k == j { t + by } else { *t }).collect::<Vec<_>>()
        };
        let slope = (gap(&moved(h))? - gap(&moved(-h))?) / (2.0 * h);
        found.slope = found.slope.max(slope.abs());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..tries {
        let theta: Vec<f64> = at.iter().map(|t| t + radius * (2.0 * rng.random::<f64>() - 1.0)).collect();
        found.violation = found.violation.max(-gap(&theta)?);
    }
    Ok(found)
}

/// `θ ← argmin g(· | θ)` until the objective falls no more; a rise of it is an error, for then g is no bound.
#[derive(Debug, Clone)]
pub struct Majorise {
    max_iterations: usize,
    tolerance: f64,
    progress: Progress,
}

impl Default for Majorise {
    fn default() -> Self {
        Majorise { max_iterations: 1000, tolerance: 1e-12, progress: Progress::none() }
    }
}

setters!(Majorise {
    /// Most iterations; 1000 unless said otherwise.
    max_iterations: usize,
    /// Relative fall of the objective at which the iteration ends; 1e-12 unless said otherwise.
    tolerance: f64,
    /// Callback after every iteration, which can stop it.
    progress: Progress,
});

impl Majorise {
    /// At most 1000 iterations to a relative fall of 1e-12.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimises the objective from `start`; its gradient is not known, and left empty.
    ///
    /// # Errors
    /// Those of the majoriser; [`Error::NoConvergence`] if the objective rises; [`Error::Cancelled`]; [`Error::Shape`] or
    /// [`Error::Parameter`] for a bad start or setting.
    pub fn run(&self, start: &[f64], of: &impl Majoriser) -> Result<Minimum> {
        const OP: &str = "Majorise::run";
        not_negative("tolerance", self.tolerance)?;
        require(OP, !start.is_empty(), || "a start of no variables".to_owned())?;
        let mut point = start.to_vec();
        let mut value = of.value(&point)?;
        let (mut trace, mut stop, mut iterations) = (vec![value], Stop::Iterations, 0);
        while iterations < self.max_iterations {
            let next = of.minimiser(&point)?;
            let now = of.value(&next)?;
            iterations += 1;
            let fall = value - now;
            if fall.is_nan() || fall < -ROUNDING * value.abs().max(1.0) {
                let (residual, tolerance) = (fall, self.tolerance);
                return Err(Error::NoConvergence { op: OP, iterations, residual, tolerance });
            }
            (point, value) = (next, now);
            trace.push(value);
            self.progress.report(OP, iterations, self.max_iterations, value)?;
            if fall <= self.tolerance * value.abs().max(1.0) {
                stop = Stop::Value;
                break;
            }
        }
        let (gradient, evaluations) = (vec![], trace.len());
        Ok(Minimum { point, value, gradient, iterations, evaluations, trace, stop, ..Minimum::default() })
    }
}
