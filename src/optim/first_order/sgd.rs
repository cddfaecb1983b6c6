//! Gradient descent, with momentum or Nesterov's look-ahead.

use super::rule::{StepRule, ready};
use crate::Result;
use crate::check::{not_negative, parameter};
use crate::configure::setters;
use crate::ops::Descent;
use crate::optim::Schedule;

/// `v ← ρv - γ_i (g + κθ)`, `θ ← θ + v`: gradient descent for ρ = 0, the heavy ball for ρ > 0; with `nesterov` the gradient is
/// that at `θ + ρv`.
///
/// ```
/// use mercer::optim::{FirstOrder, Sgd};
/// let bowl = |p: &[f64]| Ok((0.5 * (p[0] * p[0] + 100.0 * p[1] * p[1]), vec![p[0], 100.0 * p[1]]));
/// let found = FirstOrder::new(Sgd::new(0.01).momentum(0.9)).max_iterations(500).run(&[1.0, 1.0], bowl)?;
/// assert!(found.value < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sgd {
    rate: Schedule,
    momentum: f64,
    nesterov: bool,
    decay: f64,
    velocity: Vec<f64>,
    steps: usize,
}

impl Sgd {
    /// Plain descent with this learning rate, or schedule of them.
    pub fn new(rate: impl Into<Schedule>) -> Self {
        Sgd { rate: rate.into(), momentum: 0.0, nesterov: false, decay: 0.0, velocity: Vec::new(), steps: 0 }
    }
}

setters!(Sgd {
    /// The learning rate γ, or a schedule.
    rate: into Schedule,
    /// The momentum ρ in [0, 1); none unless said otherwise.
    momentum: f64,
    /// Whether the gradient is taken where the momentum leads; not unless said otherwise.
    nesterov: bool,
    /// The weight decay κ ≥ 0: the gradient of `κ‖θ‖²/2` is added.
    weight_decay => decay: f64,
});

impl Sgd {
    fn check(&self) -> Result<()> {
        self.rate.check()?;
        let rho = self.momentum;
        parameter("momentum", rho, (0.0..1.0).contains(&rho), "must be at least 0 and below 1")?;
        not_negative("weight_decay", self.decay)
    }

    /// The step of this number as a verb; none where the gradient is to be taken ahead.
    pub(crate) fn verb(&self, step: usize) -> Result<Option<Descent>> {
        self.check()?;
        let (rate, momentum, decay) = (self.rate.at(step), self.momentum, self.decay);
        Ok((!self.nesterov).then_some(Descent::Momentum { rate, momentum, decay }))
    }
}

impl StepRule for Sgd {
    fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) -> Result<()> {
        self.check()?;
        let rho = self.momentum;
        ready(parameters, gradient, &mut self.velocity)?;
        self.steps += 1;
        let rate = self.rate.at(self.steps);
        for ((p, g), v) in parameters.iter_mut().zip(gradient).zip(&mut self.velocity) {
            *v = rho * *v - rate * (g + self.decay * *p);
            *p += *v;
        }
        Ok(())
    }

    fn look_ahead(&self, parameters: &[f64]) -> Vec<f64> {
        if !self.nesterov || self.velocity.len() != parameters.len() {
            return parameters.to_vec();
        }
        parameters.iter().zip(&self.velocity).map(|(p, v)| p + self.momentum * v).collect()
    }

    fn looks_ahead(&self) -> bool {
        self.nesterov
    }

    fn steps(&self) -> usize {
        self.steps
    }

    fn reset(&mut self) {
        self.velocity.clear();
        self.steps = 0;
    }
}
