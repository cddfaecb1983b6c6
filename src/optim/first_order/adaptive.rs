//! Rules with a learning rate for each parameter: `AdaGrad`, `RmsProp` and [`Adam`] with its decoupled decay.

use super::rule::{StepRule, each, ready};
use crate::Result;
use crate::check::{not_negative, parameter};
use crate::configure::setters;
use crate::ops::Descent;
use crate::optim::Schedule;

/// `G ← G + g²`, `θ ← θ - γ_i g/(√G + ε)`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdaGrad {
    rate: Schedule,
    epsilon: f64,
    squares: Vec<f64>,
    steps: usize,
}

/// `v ← ρv + (1 - ρ)g²`, `θ ← θ - γ_i g/(√v + ε)`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RmsProp {
    rate: Schedule,
    memory: f64,
    epsilon: f64,
    squares: Vec<f64>,
    steps: usize,
}

/// `m ← β₁m + (1 - β₁)g`, `v ← β₂v + (1 - β₂)g²`, `θ ← θ - γ_i (m̂/(√v̂ + ε) + κθ)` with `m̂ = m/(1 - β₁ⁱ)`, `v̂ = v/(1 - β₂ⁱ)`.
///
/// With a weight decay κ it is `AdamW`: the decay is not divided by √v̂.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Adam {
    rate: Schedule,
    first: f64,
    second: f64,
    epsilon: f64,
    decay: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
    steps: usize,
}

impl AdaGrad {
    /// With this learning rate, or schedule of them, and ε = 1e-10.
    pub fn new(rate: impl Into<Schedule>) -> Self {
        AdaGrad { rate: rate.into(), epsilon: 1e-10, squares: Vec::new(), steps: 0 }
    }
}

impl RmsProp {
    /// With this learning rate, or schedule of them, ρ = 0.9 and ε = 1e-8.
    pub fn new(rate: impl Into<Schedule>) -> Self {
        RmsProp { rate: rate.into(), memory: 0.9, epsilon: 1e-8, squares: Vec::new(), steps: 0 }
    }
}

impl Adam {
    /// With this learning rate, or schedule of them, β₁ = 0.9, β₂ = 0.999, ε = 1e-8 and no weight decay.
    pub fn new(rate: impl Into<Schedule>) -> Self {
        let (means, squares) = (Vec::new(), Vec::new());
        let rate = rate.into();
        Adam { rate, first: 0.9, second: 0.999, epsilon: 1e-8, decay: 0.0, means, squares, steps: 0 }
    }
}

setters!(AdaGrad {
    /// The learning rate γ, or a schedule.
    rate: into Schedule,
    /// ε ≥ 0, which keeps the first steps finite.
    epsilon: f64,
});

setters!(RmsProp {
    /// The learning rate γ, or a schedule.
    rate: into Schedule,
    /// The memory ρ of squares, in [0, 1).
    memory: f64,
    /// ε ≥ 0, which keeps steps finite.
    epsilon: f64,
});

setters!(Adam {
    /// The learning rate γ, or a schedule.
    rate: into Schedule,
    /// The memory β₁ of gradients, in [0, 1).
    first_memory => first: f64,
    /// The memory β₂ of their squares, in [0, 1).
    second_memory => second: f64,
    /// ε ≥ 0, which keeps steps finite.
    epsilon: f64,
    /// The weight decay κ ≥ 0 of `AdamW`.
    weight_decay => decay: f64,
});

fn memory(name: &str, value: f64) -> Result<()> {
    parameter(name, value, (0.0..1.0).contains(&value), "must be at least 0 and below 1")
}

/// `a/b`, and nothing where there is nothing to divide.
fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

impl AdaGrad {
    fn check(&self) -> Result<()> {
        self.rate.check()?;
        not_negative("epsilon", self.epsilon)
    }

    /// The step of this number as a verb.
    pub(crate) fn verb(&self, step: usize) -> Result<Descent> {
        self.check()?;
        Ok(Descent::AdaGrad { rate: self.rate.at(step), epsilon: self.epsilon })
    }
}

impl RmsProp {
    fn check(&self) -> Result<()> {
        self.rate.check()?;
        not_negative("epsilon", self.epsilon)?;
        memory("memory", self.memory)
    }

    /// The step of this number as a verb.
    pub(crate) fn verb(&self, step: usize) -> Result<Descent> {
        self.check()?;
        Ok(Descent::RmsProp { rate: self.rate.at(step), memory: self.memory, epsilon: self.epsilon })
    }
}

impl Adam {
    fn check(&self) -> Result<()> {
        self.rate.check()?;
        not_negative("epsilon", self.epsilon)?;
        not_negative("weight_decay", self.decay)?;
        memory("first_memory", self.first)?;
        memory("second_memory", self.second)
    }

    /// The step of this number as a verb.
    pub(crate) fn verb(&self, step: usize) -> Result<Descent> {
        self.check()?;
        let (first, second, epsilon, decay) = (self.first, self.second, self.epsilon, self.decay);
        Ok(Descent::Adam { rate: self.rate.at(step), first, second, epsilon, decay, step })
    }
}

impl StepRule for AdaGrad {
    fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) -> Result<()> {
        self.check()?;
        ready(parameters, gradient, &mut self.squares)?;
        self.steps += 1;
        let rate = self.rate.at(self.steps);
        for ((p, g), s) in parameters.iter_mut().zip(gradient).zip(&mut self.squares) {
            *s += g * g;
            *p -= rate * quotient(*g, s.sqrt() + self.epsilon);
        }
        Ok(())
    }

    fn steps(&self) -> usize {
        self.steps
    }

    fn reset(&mut self) {
        self.squares.clear();
        self.steps = 0;
    }
}

impl StepRule for RmsProp {
    fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) -> Result<()> {
        self.check()?;
        ready(parameters, gradient, &mut self.squares)?;
        self.steps += 1;
        let rate = self.rate.at(self.steps);
        for ((p, g), s) in parameters.iter_mut().zip(gradient).zip(&mut self.squares) {
            *s = self.memory * *s + (1.0 - self.memory) * g * g;
            *p -= rate * quotient(*g, s.sqrt() + self.epsilon);
        }
        Ok(())
    }

    fn steps(&self) -> usize {
        self.steps
    }

    fn reset(&mut self) {
        self.squares.clear();
        self.steps = 0;
    }
}

impl StepRule for Adam {
    fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) -> Result<()> {
        self.check()?;
        ready(parameters, gradient, &mut self.means)?;
        self.squares.resize(self.means.len(), 0.0);
        self.steps += 1;
        let (rate, i) = (self.rate.at(self.steps), self.steps as f64);
        let (one, two) = (1.0 - self.first.powf(i), 1.0 - self.second.powf(i));
        let (first, second, epsilon, decay) = (self.first, self.second, self.epsilon, self.decay);
        let (one, two) = (1.0 / one, 1.0 / two);
        each(parameters, gradient, (&mut self.means, &mut self.squares), |p, g, m, s| {
            *m = first * *m + (1.0 - first) * g;
            *s = second * *s + (1.0 - second) * g * g;
            let step = quotient(*m * one, (*s * two).sqrt() + epsilon);
            *p -= rate * (step + decay * *p);
        });
        Ok(())
    }

    fn steps(&self) -> usize {
        self.steps
    }

    fn reset(&mut self) {
        self.means.clear();
        self.squares.clear();
        self.steps = 0;
    }
}
