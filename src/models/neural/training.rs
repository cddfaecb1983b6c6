//! How networks learn: batches, steps, decay of weights, early stopping, and what happens when the loss explodes.

use ndarray::ArrayView1;

pub(super) use super::objective::Objective;
use super::optimiser::Optimiser;
use crate::check::{not_negative, parameter};
use crate::learn::configure::setters;
use crate::learn::{Holdout, Report, Stop};
use crate::optim::{Adam, Batches, EarlyStopping, StepRule};
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
    loss: f64,
    pub report: Report,
    /// The epoch whose parameters these are, from 1.
    pub best_epoch: usize,
    /// The step at which the loss was no longer a number.
    pub exploded: Option<usize>,
    /// Losses on what was held out.
    pub validation: Vec<f64>,
}

impl Training {
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
        let mean = |theta: &[f64], rows: &[usize], seed: u64| -> Result<(f64, Vec<f64>)> {
            let w: f64 = weight(rows);
            let (value, mut gradient) = objective.batch(theta, rows, seed)?;
            let scale = if w > 0.0 { 1.0 / w } else { 0.0 };
            for g in &mut gradient {
                *g *= scale;
            }
            let penalty = decay(theta, &mut gradient);
            Ok((value * scale + penalty, gradient))
        };
        let validate = |t: &[f64]| objective.loss(t, held).map(|v| v / weight(held).max(1e-300));
        let Some(rule) = self.optimiser.rule() else {
            let mut found = self.lbfgs(op, start, train, mean)?;
            if !held.is_empty() {
                found.loss = validate(&found.parameters)?;
                found.validation.push(found.loss);
            }
            return Ok(found);
        };
        let mut run = Run { training: self, op, rule, train, held, best: None, steps: 0 };
        run.epochs(start, weight, mean, validate)
    }

    fn lbfgs(
        &self,
        op: &'static str,
        start: Vec<f64>,
        rows: &[usize],
        mean: impl Fn(&[f64], &[usize], u64) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Learned> {
        let Optimiser::Lbfgs(minimiser) = &self.optimiser else {
            unreachable!("every other optimiser is a rule")
        };
        let minimiser = minimiser.clone().max_iterations(self.epochs).progress(self.progress.clone());
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); start.len()];
        let found =
            minimiser.run(&start, &bounds, |theta| mean(theta, rows, self.seed)).map_err(|e| match e {
                Error::Cancelled { iterations, .. } => Error::Cancelled { op, iterations },
                other => other,
            })?;
        let converged = found.stop == crate::optim::Stop::Gradient;
        let report = Report::new(found.trace, found.iterations, converged, vec![found.value]);
        let (best_epoch, loss) = (found.iterations, found.value);
        Ok(Learned { parameters: found.point, loss, report, best_epoch, exploded: None, validation: vec![] })
    }
}

/// One training by a rule.
struct Run<'a> {
    training: &'a Training,
    op: &'static str,
    rule: Box<dyn StepRule>,
    train: &'a [usize],
    held: &'a [usize],
    /// Loss, epoch and parameters of the best epoch.
    best: Option<(f64, usize, Vec<f64>)>,
    steps: usize,
}

impl Run<'_> {
    fn epochs(
        &mut self,
        start: Vec<f64>,
        weight: impl Fn(&[usize]) -> f64,
        mean: impl Fn(&[f64], &[usize], u64) -> Result<(f64, Vec<f64>)>,
        validate: impl Fn(&[f64]) -> Result<f64>,
    ) -> Result<Learned> {
        let t = self.training;
        let n = self.train.len();
        let batches = Batches::new(n, t.batch.unwrap_or(BATCH.min(n))).seed(t.seed);
        let mut watch = EarlyStopping::new(t.patience)?;
        let (mut theta, mut trace, mut exploded, mut stopped) = (start, Vec::new(), None, false);
        'epochs: for epoch in 0..t.epochs {
            let (mut sum, mut total) = (0.0, 0.0);
            for batch in batches.epoch(epoch)? {
                let rows: Vec<usize> = batch.iter().map(|&r| self.train[r]).collect();
                let w = weight(&rows);
                if w == 0.0 {
                    continue;
                }
                self.steps += 1;
                let at = self.rule.look_ahead(&theta);
                let seed = t.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(self.steps as u64);
                let (value, gradient) = mean(&at, &rows, seed)?;
                if !value.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
                    exploded = Some(self.steps);
                    break 'epochs;
                }
                self.rule.step(&mut theta, &gradient)?;
                (sum, total) = (sum + w * value, total + w);
            }
            let loss = sum / total;
            trace.push(loss);
            t.progress.report(self.op, epoch + 1, t.epochs, loss)?;
            let judged = if self.held.is_empty() { loss } else { validate(&theta)? };
            if judged.is_finite() && self.best.as_ref().is_none_or(|best| judged < best.0) {
                self.best = Some((judged, epoch + 1, theta.clone()));
            }
            if !self.held.is_empty() && watch.look(judged, &theta) {
                stopped = true;
                break;
            }
        }
        self.learned(theta, trace, exploded, stopped, watch)
    }

    /// The last parameters, or those of the best epoch if there was a reason not to trust the last.
    fn learned(
        &mut self,
        theta: Vec<f64>,
        trace: Vec<f64>,
        exploded: Option<usize>,
        stopped: bool,
        watch: EarlyStopping,
    ) -> Result<Learned> {
        let epochs = trace.len();
        let finite = theta.iter().all(|v| v.is_finite());
        let keep_last = exploded.is_none() && self.held.is_empty() && finite;
        let last = trace.last().copied().unwrap_or(f64::NAN);
        let (parameters, best_epoch, loss) = if keep_last {
            (theta, epochs, last)
        } else {
            let Some((loss, epoch, best)) = self.best.take() else {
                let residual = f64::INFINITY;
                let (op, iterations) = (self.op, self.steps);
                return Err(Error::NoConvergence { op, iterations, residual, tolerance: 0.0 });
            };
            (best, epoch, loss)
        };
        let mut report = Report::new(trace, epochs, stopped, vec![last]);
        if exploded.is_some() {
            report.stop = Stop::Diverged;
        }
        Ok(Learned { parameters, loss, report, best_epoch, exploded, validation: watch.trace().to_vec() })
    }
}
