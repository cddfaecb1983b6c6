//! How networks learn: batches, steps, decay of weights, early stopping, and what happens when the loss explodes.

use ndarray::ArrayView1;

use super::epochs::{Run, epochs_there};
pub(super) use super::objective::Objective;
use super::optimiser::{Method, Optimiser};
use crate::check::{not_negative, parameter};
use crate::learn::configure::setters;
use crate::learn::{Holdout, Report};
use crate::optim::{Adam, Batches, Minimiser, Order};
use crate::{Error, Progress, Result};

/// Rows of a batch, unless said otherwise and if there are so many.
const BATCH: usize = 200;

/// How a network is trained: `min_θ (Σ_n w_n E_n(θ)) / (Σ_n w_n) + κ/2 ‖W‖²`, a batch at a time.
///
/// ```
/// use mercer::optim::Sgd;
/// use mercer::prelude::*;
/// let slowly = Training::new(Sgd::new(0.01).momentum(0.9)).epochs(50).batch(16).weight_decay(1e-4).seed(3);
/// let model = NeuralRegressor::new(&[10]).training(slowly);
/// # let _ = model;
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Training {
    pub(super) optimiser: Optimiser,
    pub(super) epochs: usize,
    pub(super) batch: Option<usize>,
    pub(super) order: Order,
    pub(super) weight_decay: f64,
    pub(super) validation: f64,
    pub(super) patience: usize,
    pub(super) restarts: usize,
    pub(super) seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) progress: Progress,
}

impl Default for Training {
    /// Adam with a rate of 0.01, 200 epochs.
    fn default() -> Self {
        Training::new(Adam::new(0.01))
    }
}

impl Training {
    /// With this optimiser, 200 epochs in batches of 200 rows, no decay and no rows held out.
    pub fn new(optimiser: impl Into<Optimiser>) -> Self {
        Training {
            optimiser: optimiser.into(),
            epochs: 200,
            batch: None,
            order: Order::Shuffled,
            weight_decay: 0.0,
            validation: 0.0,
            patience: 10,
            restarts: 1,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

setters!(Training {
    /// The optimiser, with its schedule of rates.
    optimiser: into Optimiser,
    /// The most times that all rows are gone through; 200 by default.
    epochs: usize,
    /// Rows of a batch, no more than there are; 200 by default, or all if there are fewer.
    batch: into Option<usize>,
    /// How rows are put into batches; each once an epoch in a random order by default.
    order: Order,
    /// The decay κ of weights, `κ/2 ‖W‖²` in the loss; biases do not decay.
    weight_decay: f64,
    /// The share of rows held out to stop early by; none by default. What is kept are the parameters of the epoch with
    /// the smallest loss on them; L-BFGS does not stop early, but its starts are compared by them.
    validation: f64,
    /// Epochs without a smaller loss on what is held out before training ends; 10 by default.
    patience: usize,
    /// How many times to train, each from its own start; the one with the smallest loss is kept, on what is held out if
    /// anything is. Once by default; the loss of each start is in the report.
    restarts: usize,
    /// Seed of first parameters, batches and dropout, `seed + i` for the i-th start, and of what is held out from all.
    seed: u64,
    /// Called after every epoch with its loss; it can cancel the fit.
    progress: Progress,
});

/// What training has found.
#[derive(Debug, Clone)]
pub(super) struct Learned {
    pub parameters: Vec<f64>,
    /// The loss that starts are compared by.
    pub loss: f64,
    pub report: Report,
    /// The epoch whose parameters these are, from 1.
    pub best_epoch: usize,
    /// The step at which the loss was no longer a number.
    pub exploded: Option<usize>,
    /// Losses on what was held out.
    pub validation: Vec<f64>,
}

impl Training {
    /// Which of n rows each batch of each epoch has.
    pub(super) fn batches(&self, n: usize) -> Batches {
        Batches::new(n, self.batch.unwrap_or(BATCH.min(n))).order(self.order).seed(self.seed)
    }

    /// Trains on n rows, each time from where `start` says for its seed. `decaying` says which parameters decay.
    pub(super) fn run(
        &self,
        op: &'static str,
        n: usize,
        weights: Option<ArrayView1<f64>>,
        start: impl Fn(u64) -> Result<Vec<f64>>,
        decaying: &[bool],
        objective: &impl Objective,
    ) -> Result<Learned> {
        parameter("restarts", self.restarts as f64, self.restarts > 0, "must be at least 1")?;
        let share = self.validation;
        parameter("validation", share, (0.0..1.0).contains(&share), "must be at least 0 and below 1")?;
        let all = ((0..n).collect(), Vec::new());
        let (train, held) = if share > 0.0 { Holdout::new(share).seed(self.seed).split(n)? } else { all };
        let (mut best, mut starts) = (None::<Learned>, Vec::new());
        for restart in 0..self.restarts {
            let own = self.clone().seed(self.seed.wrapping_add(restart as u64));
            let found = own.once(op, (&train, &held), weights, start(own.seed)?, decaying, objective);
            // A start that explodes at once is none if there are others.
            let found = match found {
                Err(Error::NoConvergence { .. }) if restart + 1 < self.restarts || best.is_some() => continue,
                other => other?,
            };
            starts.push(found.loss);
            if best.as_ref().is_none_or(|b| found.loss < b.loss) {
                best = Some(found);
            }
        }
        let mut best = best.expect("the last start is an error or found something");
        best.report.starts = starts;
        Ok(best)
    }

    fn once(
        &self,
        op: &'static str,
        (train, held): (&[usize], &[usize]),
        weights: Option<ArrayView1<f64>>,
        start: Vec<f64>,
        decaying: &[bool],
        objective: &impl Objective,
    ) -> Result<Learned> {
        not_negative("weight_decay", self.weight_decay)?;
        parameter("epochs", self.epochs as f64, self.epochs > 0, "must be at least 1")?;
        let weight = |rows: &[usize]| weights.map_or(rows.len() as f64, |w| rows.iter().map(|&r| w[r]).sum());
        let total = weight(train);
        parameter("sum of weights to learn from", total, total > 0.0, "must be positive")?;
        let decay = |theta: &[f64], gradient: &mut [f64]| -> f64 {
            let each = theta.iter().zip(gradient).zip(decaying).filter(|(_, d)| **d);
            0.5 * each.fold(0.0, |sum, ((t, g), _)| {
                *g += self.weight_decay * t;
                sum + self.weight_decay * t * t
            })
        };
        let mean = |theta: &[f64], rows: &[usize], seed: u64, gradient: &mut [f64]| -> Result<f64> {
            let w: f64 = weight(rows);
            let scale = if w > 0.0 { 1.0 / w } else { 0.0 };
            let value = objective.batch_into(theta, rows, seed, scale, gradient)?;
            Ok(if self.weight_decay > 0.0 { value + decay(theta, gradient) } else { value })
        };
        let validate = |t: &[f64]| objective.loss(t, held).map(|v| v / weight(held).max(1e-300));
        match self.optimiser.method() {
            Method::Minimiser(minimiser) => {
                let mut found = self.lbfgs(op, minimiser, start, train, mean)?;
                if !held.is_empty() {
                    found.loss = validate(&found.parameters)?;
                    found.validation.push(found.loss);
                }
                Ok(found)
            }
            Method::Rule(rule) => {
                if let Some(there) = objective.resident(self, train.len(), &start)?
                    && let Some(found) = epochs_there(self, op, there, (train, held))?
                {
                    return Ok(found);
                }
                let mut run = Run { training: self, op, rule, train, held, best: None, steps: 0 };
                run.epochs(start, weight, mean, validate)
            }
        }
    }

    fn lbfgs(
        &self,
        op: &'static str,
        minimiser: &Minimiser,
        start: Vec<f64>,
        rows: &[usize],
        mean: impl Fn(&[f64], &[usize], u64, &mut [f64]) -> Result<f64>,
    ) -> Result<Learned> {
        let mean = |theta: &[f64]| {
            let mut gradient = vec![0.0; theta.len()];
            Ok((mean(theta, rows, self.seed, &mut gradient)?, gradient))
        };
        let minimiser = minimiser.clone().max_iterations(self.epochs).progress(self.progress.clone());
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); start.len()];
        let found = minimiser.run(&start, &bounds, mean).map_err(|e| match e {
            Error::Cancelled { iterations, .. } => Error::Cancelled { op, iterations },
            other => other,
        })?;
        let converged = found.stop == crate::optim::Stop::Gradient;
        let report = Report::new(found.trace, found.iterations, converged, vec![found.value]);
        let (best_epoch, loss) = (found.iterations, found.value);
        Ok(Learned { parameters: found.point, loss, report, best_epoch, exploded: None, validation: vec![] })
    }
}
