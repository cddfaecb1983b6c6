//! The driver. Checked in `tests/mixture/em.rs`, on models that are no part of the crate, and by every model's own tests.

use std::fmt;

use super::batches::Batches;
use super::model::{EmModel, Statistics};
use crate::linalg::Progress;
use crate::{Error, Result};

/// How often a step uphill is halved before the place counts as the top.
const HALVINGS: usize = 40;

/// What an iteration does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Mode {
    /// E-step over all of the data, then the M-step.
    #[default]
    Full,
    /// E-step over all of the data, then a step uphill ([`EmModel::ascend`]), halved as often as the objective would
    /// fall, and doubled again (up to 1) after a step that was not.
    Generalised {
        /// The first step tried.
        step: f64,
    },
    /// An M-step after each part of the data. The statistics s of the whole become `(1 - ρ) s + ρ (N / n_b) s_b`, with
    /// `ρ = (t + delay)^-decay` at the t-th part: stepwise EM. An iteration is a pass over all parts; the objective it
    /// records is the mean over the pass, each part seen before it was learned from. It need not rise at every
    /// iteration, and convergence is not looked for: the passes asked for are made.
    Stepwise {
        /// At least 0; the larger, the longer the first statistics are trusted.
        delay: f64,
        /// In (1/2, 1].
        decay: f64,
    },
}

/// How EM goes about it: the one driver of every EM in the crate.
#[derive(Clone)]
pub struct Em {
    /// Most M-steps of one start (passes, if [`Mode::Stepwise`]).
    pub max_iterations: usize,
    /// An iteration that gains no more than this, relative to the objective's size, is the last one. With 0 it goes on
    /// until nothing is gained.
    pub tolerance: f64,
    /// Starts; the one that ends highest is kept.
    pub restarts: usize,
    /// The i-th start is made with the seed `seed + i`.
    pub seed: u64,
    /// What an iteration does.
    pub mode: Mode,
    /// Called after every E-step with the iterations made so far, in all starts, and the objective.
    pub progress: Option<Progress>,
}

impl Default for Em {
    fn default() -> Self {
        Em { max_iterations: 200, tolerance: 1e-6, restarts: 1, seed: 0, mode: Mode::Full, progress: None }
    }
}

impl fmt::Debug for Em {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Em")
            .field("max_iterations", &self.max_iterations)
            .field("tolerance", &self.tolerance)
            .field("restarts", &self.restarts)
            .field("seed", &self.seed)
            .field("mode", &self.mode)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// Where EM ended, and how it got there.
#[derive(Debug, Clone)]
pub struct Outcome<P, S> {
    /// The parameters of the best start.
    pub params: P,
    /// The statistics of all of the data at these parameters.
    pub stats: S,
    /// The objective at these parameters.
    pub objective: f64,
    /// The objective at the start and after each iteration: one more entry than `iterations`.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether the best start ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    /// Where each of the starts ended.
    pub objectives: Vec<f64>,
}

type Ended<M> = Outcome<<M as EmModel>::Params, <M as EmModel>::Stats>;

impl Em {
    /// Fits `model` to `data`. `start` gives the parameters to start from for a seed; parameters of an earlier fit are a
    /// warm start.
    ///
    /// # Errors
    /// [`Error::Parameter`] for settings out of their domain; [`Error::Shape`] if there are no data;
    /// [`Error::Cancelled`]; what `start` and the steps of the model return.
    pub fn run<M: EmModel, D: Batches<M::Batch> + ?Sized>(
        &self,
        model: &M,
        data: &D,
        mut start: impl FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        self.check()?;
        if data.count() == 0 {
            return Err(Error::Shape { op: M::NAME, what: "there are no data".to_owned() });
        }
        let mut best: Option<Ended<M>> = None;
        let mut objectives = Vec::with_capacity(self.restarts);
        let mut made = 0;
        for i in 0..self.restarts {
            let first = start(self.seed.wrapping_add(i as u64))?;
            let mut climb = Climb { em: self, model, data, made };
            let ended = climb.from(first)?;
            made = climb.made;
            objectives.push(ended.objective);
            if best.as_ref().is_none_or(|b| ended.objective > b.objective) {
                best = Some(ended);
            }
        }
        let mut best = best.ok_or_else(|| no_restarts(0))?;
        best.objectives = objectives;
        Ok(best)
    }

    fn check(&self) -> Result<()> {
        let parameter = |name: &str, value: f64, holds: bool, requirement| {
            if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
        };
        if self.restarts == 0 {
            return Err(no_restarts(self.restarts));
        }
        parameter("tolerance", self.tolerance, self.tolerance >= 0.0, "must not be negative")?;
        match self.mode {
            Mode::Full => Ok(()),
            Mode::Generalised { step } => {
                parameter("step", step, step > 0.0 && step <= 1.0, "must lie in (0, 1]")
            }
            Mode::Stepwise { delay, decay } => {
                parameter("delay", delay, delay >= 0.0 && delay.is_finite(), "must not be negative")?;
                parameter("decay", decay, decay > 0.5 && decay <= 1.0, "must lie in (1/2, 1]")
            }
        }
    }
}

fn no_restarts(n: usize) -> Error {
    Error::Parameter { name: "restarts".to_owned(), value: n as f64, requirement: "must be at least 1" }
}

/// One start's way up.
struct Climb<'a, M: EmModel, D: ?Sized> {
    em: &'a Em,
    model: &'a M,
    data: &'a D,
    /// Iterations of all starts so far.
    made: usize,
}

impl<M: EmModel, D: Batches<M::Batch> + ?Sized> Climb<'_, M, D> {
    fn from(&mut self, params: M::Params) -> Result<Ended<M>> {
        let stats = self.expect(&params)?;
        let objective = self.objective(&params, &stats)?;
        let at = Outcome {
            params,
            stats,
            objective,
            trace: vec![objective],
            iterations: 0,
            converged: false,
            objectives: Vec::new(),
        };
        match self.em.mode {
            Mode::Full => self.full(at),
            Mode::Generalised { step } => self.generalised(at, step),
            Mode::Stepwise { delay, decay } => self.stepwise(at, delay, decay),
        }
    }

    fn full(&mut self, mut at: Ended<M>) -> Result<Ended<M>> {
        while !at.converged && at.iterations < self.em.max_iterations {
            let params = self.model.maximise(&at.params, &at.stats)?;
            let stats = self.expect(&params)?;
            self.made += 1;
            let objective = self.objective(&params, &stats)?;
            debug_assert!(
                !self.fell(&at, objective),
                "{}: the objective fell from {} to {objective} at iteration {}",
                M::NAME,
                at.objective,
                at.iterations + 1
            );
            self.advance(&mut at, params, stats, objective);
        }
        Ok(at)
    }

    fn generalised(&mut self, mut at: Ended<M>, mut step: f64) -> Result<Ended<M>> {
        while !at.converged && at.iterations < self.em.max_iterations {
            let mut uphill = None;
            for halving in 0..HALVINGS {
                let params = self.model.ascend(&at.params, &at.stats, step)?;
                let stats = self.expect(&params)?;
                let objective = self.model.objective(&params, &stats);
                if objective.is_finite() && objective >= at.objective {
                    uphill = Some((params, stats, halving));
                    break;
                }
                step *= 0.5;
            }
            self.made += 1;
            let Some((params, stats, halvings)) = uphill else {
                // No step that arithmetic can take leads up from here.
                at.converged = true;
                break;
            };
            if halvings == 0 {
                step = (2.0 * step).min(1.0);
            }
            let objective = self.objective(&params, &stats)?;
            self.advance(&mut at, params, stats, objective);
        }
        Ok(at)
    }

    fn stepwise(&mut self, mut at: Ended<M>, delay: f64, decay: f64) -> Result<Ended<M>> {
        let whole = at.stats.mass();
        let mut seen = 0usize;
        while at.iterations < self.em.max_iterations {
            // The first pass learns from the statistics of all of the data that the start has given already.
            if at.iterations == 0 {
                at.params = self.model.maximise(&at.params, &at.stats)?;
            }
            let mut total = 0.0;
            for part in 0..self.data.count() {
                seen += 1;
                let rho = (seen as f64 + delay).powf(-decay).min(1.0);
                let mut own = self.visit(part, &at.params)?;
                let share = own.mass() / whole;
                if share <= 0.0 {
                    continue;
                }
                // A part half as large as the others counts as half a step: what is learned from it is twice as noisy.
                let rho = 1.0 - (1.0 - rho).powf(share * self.data.count() as f64);
                own.scale(1.0 / share);
                total += share * self.model.objective(&at.params, &own);
                own.scale(rho);
                at.stats.scale(1.0 - rho);
                at.stats.add(&own);
                at.params = self.model.maximise(&at.params, &at.stats)?;
            }
            self.made += 1;
            at.iterations += 1;
            self.report(total)?;
            at.trace.push(total);
        }
        // What is returned is exact, whatever was learned from.
        at.stats = self.expect(&at.params)?;
        at.objective = self.objective(&at.params, &at.stats)?;
        if let Some(last) = at.trace.last_mut() {
            *last = at.objective;
        }
        Ok(at)
    }

    fn advance(&self, at: &mut Ended<M>, params: M::Params, stats: M::Stats, objective: f64) {
        at.converged = objective - at.objective <= self.em.tolerance * objective.abs();
        (at.params, at.stats, at.objective) = (params, stats, objective);
        at.trace.push(objective);
        at.iterations += 1;
    }

    /// Whether the objective is lower than rounding can explain.
    fn fell(&self, at: &Ended<M>, objective: f64) -> bool {
        let slack = self.model.rounding() * (objective.abs().max(at.objective.abs()) + at.stats.mass());
        objective < at.objective - slack
    }

    fn expect(&self, params: &M::Params) -> Result<M::Stats> {
        let mut whole = self.visit(0, params)?;
        for part in 1..self.data.count() {
            whole.add(&self.visit(part, params)?);
        }
        Ok(whole)
    }

    fn visit(&self, part: usize, params: &M::Params) -> Result<M::Stats> {
        let mut found = None;
        self.data.visit(part, &mut |batch| {
            found = Some(self.model.expect(params, batch)?);
            Ok(())
        })?;
        found.ok_or_else(|| Error::Shape {
            op: M::NAME,
            what: format!("part {part} of the data was not given"),
        })
    }

    /// The objective, reported; one that is not a number is an error and not a result.
    fn objective(&self, params: &M::Params, stats: &M::Stats) -> Result<f64> {
        let objective = self.model.objective(params, stats);
        if !objective.is_finite() {
            let requirement =
                "must be finite: the model has left what its arithmetic can hold; rescale the data";
            return Err(Error::Parameter {
                name: format!("objective of {}", M::NAME),
                value: objective,
                requirement,
            });
        }
        self.report(objective)?;
        Ok(objective)
    }

    fn report(&self, objective: f64) -> Result<()> {
        let verdict = self.em.progress.as_ref().map(|f| f(self.made, objective));
        if verdict.is_some_and(|v| v.is_break()) {
            return Err(Error::Cancelled { op: M::NAME, iterations: self.made });
        }
        Ok(())
    }
}
