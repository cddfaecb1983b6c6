//! Proximal gradients (ISTA and FISTA) and subgradients. Checked in `tests/optim/others.rs`.

use super::minimiser::{Minimum, Stop};
use super::schedule::Schedule;
use crate::check::{not_negative, positive, require};
use crate::configure::setters;
use crate::{Error, Progress, Result};

/// Doublings of the curvature before a step is given up.
const DOUBLINGS: usize = 60;

/// `min f(w) + R(w)` for a smooth f and an R whose proximal operator is known: `w ← prox_{γR}(w - γ∇f(w))`.
///
/// The step γ is halved until f lies below the parabola that it is taken for, which needs no Lipschitz constant. FISTA
/// (accelerated, unless said otherwise) takes the gradient ahead of the iterate, and starts its momentum anew whenever it
/// leads uphill; ISTA never lets the objective rise.
///
/// ```
/// use mercer::optim::{Penalty, Proximal};
/// // ½(w - 3)² + ½(v - 0.2)² + |w| + |v|
/// let f = |p: &[f64]| Ok((0.5 * ((p[0] - 3.0).powi(2) + (p[1] - 0.2).powi(2)), vec![p[0] - 3.0, p[1] - 0.2]));
/// let found = Proximal::new().run_penalised(&[0.0, 0.0], &Penalty::L1(1.0), f)?;
/// assert!((found.point[0] - 2.0).abs() < 1e-9 && found.point[1] == 0.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Proximal {
    accelerated: bool,
    step: f64,
    max_iterations: usize,
    tolerance: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Default for Proximal {
    fn default() -> Self {
        Proximal {
            accelerated: true,
            step: 1.0,
            max_iterations: 10_000,
            tolerance: 1e-10,
            progress: Progress::none(),
        }
    }
}

setters!(Proximal {
    /// Whether the iteration is accelerated: FISTA, or ISTA.
    accelerated: bool,
    /// The first step tried, 1 unless said otherwise; it is halved where it is too long.
    step: f64,
    /// Most iterations; 10,000 unless said otherwise.
    max_iterations: usize,
    /// The search ends when no entry moves by more than this times `max(1, ‖w‖∞)`; 1e-10 unless said otherwise.
    tolerance: f64,
    /// Callback after every iteration, which can stop the search.
    progress: Progress,
});

impl Proximal {
    /// FISTA of at most 10,000 iterations.
    pub fn new() -> Self {
        Self::default()
    }

    /// [`Proximal::run`] for a penalty of all coefficients.
    ///
    /// # Errors
    /// As [`Proximal::run`], and for a penalty out of its domain.
    pub fn run_penalised(
        &self,
        start: &[f64],
        penalty: &super::Penalty,
        f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Minimum> {
        penalty.check()?;
        let prox = |w: &mut [f64], step: f64| w.iter_mut().for_each(|w| *w = penalty.prox(*w, step));
        self.run(start, f, |w| penalty.value(w), prox)
    }

    /// Minimises `f + r`: `f` gives a value and its gradient, `prox(v, γ)` replaces v by `argmin_w γ r(w) + ½‖w - v‖²`.
    ///
    /// # Errors
    /// Those of `f`; [`Error::NoConvergence`] if no step is short enough; [`Error::Cancelled`]; [`Error::Shape`] or
    /// [`Error::Parameter`] for a bad start or setting.
    pub fn run(
        &self,
        start: &[f64],
        mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
        r: impl Fn(&[f64]) -> f64,
        prox: impl Fn(&mut [f64], f64),
    ) -> Result<Minimum> {
        const OP: &str = "Proximal::run";
        positive("step", self.step)?;
        not_negative("tolerance", self.tolerance)?;
        require(OP, !start.is_empty(), || "a start of no variables".to_owned())?;
        let (mut point, mut ahead) = (start.to_vec(), start.to_vec());
        let (first, mut gradient) = f(&point)?;
        let (mut value, mut momentum, mut step) = (first + r(&point), 1f64, self.step);
        let (mut trace, mut stop, mut evaluations, mut iterations) = (vec![value], Stop::Iterations, 1, 0);
        while iterations < self.max_iterations {
            let (smooth, slope) = f(&ahead)?;
            evaluations += 1;
            let mut tried = None;
            for _ in 0..DOUBLINGS {
                let mut next: Vec<f64> = ahead.iter().zip(&slope).map(|(a, g)| a - step * g).collect();
                prox(&mut next, step);
                let (at, gradient) = f(&next)?;
                evaluations += 1;
                let (mut linear, mut square, mut bend) = (0.0, 0.0, 0.0);
                for (((w, a), g), h) in next.iter().zip(&ahead).zip(&slope).zip(&gradient) {
                    linear += g * (w - a);
                    bend += (h - g) * (w - a);
                    square += (w - a).powi(2);
                }
                // Where values differ by rounding the gradients say how far f bends away from its tangent.
                let close = (at - smooth).abs() <= 1e-9 * smooth.abs().max(at.abs());
                let below = if close {
                    bend <= square / step * (1.0 + 1e-9)
                } else {
                    at <= smooth + linear + 0.5 * square / step
                };
                if below {
                    tried = Some((next, at, gradient));
                    break;
                }
                step *= 0.5;
            }
            let Some((next, at, slope_there)) = tried else {
                let residual = value;
                return Err(Error::NoConvergence { op: OP, iterations, residual, tolerance: self.tolerance });
            };
            iterations += 1;
            let now = at + r(&next);
            let size = next.iter().fold(1f64, |m, v| m.max(v.abs()));
            let moved = next.iter().zip(&ahead).fold(0f64, |m, (a, b)| m.max((a - b).abs()));
            if self.accelerated {
                let along =
                    next.iter().zip(&ahead).zip(&point).map(|((n, a), p)| (a - n) * (n - p)).sum::<f64>();
                if along > 0.0 {
                    // The momentum leads uphill: begin it anew from here.
                    momentum = 1.0;
                }
                let longer = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
                let share = (momentum - 1.0) / longer;
                ahead = next.iter().zip(&point).map(|(n, p)| n + share * (n - p)).collect();
                momentum = longer;
            } else {
                ahead.clone_from(&next);
            }
            (point, value, gradient) = (next, now, slope_there);
            trace.push(value);
            self.progress.report(OP, iterations, self.max_iterations, value)?;
            if moved <= self.tolerance * size {
                stop = Stop::Gradient;
                break;
            }
            // Curvature may be less here than it was.
            step *= 1.1;
        }
        Ok(Minimum { point, value, gradient, iterations, evaluations, trace, stop, ..Minimum::default() })
    }
}

/// `w ← w - γ_i g_i` for a subgradient `g_i` of a convex function that has kinks; the best point seen is returned, and the
/// mean of all points, which converges at the same rate.
#[derive(Debug, Clone)]
pub struct Subgradient {
    rate: Schedule,
    max_iterations: usize,
    progress: Progress,
}

setters!(Subgradient {
    /// The steps `γ_i`.
    rate: into Schedule,
    /// How many steps are made; 1000 unless said otherwise.
    max_iterations: usize,
    /// Callback after every iteration, which can stop the search.
    progress: Progress,
});

impl Subgradient {
    /// 1000 steps of these lengths; `γ/√i` is the usual choice.
    pub fn new(rate: impl Into<Schedule>) -> Self {
        Subgradient { rate: rate.into(), max_iterations: 1000, progress: Progress::none() }
    }

    /// Minimises `f`, which gives a value and a subgradient, from `start`; the second result is the mean of the points.
    ///
    /// # Errors
    /// Those of `f`; [`Error::NotFinite`] for a value that is none; [`Error::Cancelled`]; [`Error::Shape`] or
    /// [`Error::Parameter`] for a bad start or schedule.
    pub fn run(
        &self,
        start: &[f64],
        mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<(Minimum, Vec<f64>)> {
        const OP: &str = "Subgradient::run";
        self.rate.check()?;
        require(OP, !start.is_empty(), || "a start of no variables".to_owned())?;
        let mut point = start.to_vec();
        let mut mean = vec![0.0; start.len()];
        let mut best: Option<(Vec<f64>, f64, Vec<f64>)> = None;
        let mut trace = Vec::new();
        for i in 0..=self.max_iterations {
            let (value, gradient) = f(&point)?;
            if !value.is_finite() {
                return Err(Error::NotFinite { op: OP, what: "the objective", value, row: i, col: 0 });
            }
            require(OP, gradient.len() == point.len(), || "a gradient of another length".to_owned())?;
            if best.as_ref().is_none_or(|b| value < b.1) {
                best = Some((point.clone(), value, gradient.clone()));
            }
            trace.push(best.as_ref().map_or(value, |b| b.1));
            mean.iter_mut().zip(&point).for_each(|(m, p)| *m += (p - *m) / (i + 1) as f64);
            if i < self.max_iterations {
                let rate = self.rate.at(i + 1);
                point.iter_mut().zip(&gradient).for_each(|(p, g)| *p -= rate * g);
                self.progress.report(OP, i + 1, self.max_iterations, value)?;
            }
        }
        let (point, value, gradient) = best.unwrap_or_default();
        let (iterations, evaluations, stop) = (self.max_iterations, trace.len(), Stop::Iterations);
        let found =
            Minimum { point, value, gradient, iterations, evaluations, trace, stop, ..Minimum::default() };
        Ok((found, mean))
    }
}
