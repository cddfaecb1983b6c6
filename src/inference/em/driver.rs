//! The driver. Checked in `tests/mixture/em.rs`, on models that are no part of the crate, and by every model's own tests.


use super::batches::Batches;
use super::start::Climb;
use super::model::EmModel;
use crate::Progress;
use crate::{Error, Result};

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
#[derive(Debug, Clone)]
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
    pub progress: Progress,
}

impl Default for Em {
    fn default() -> Self {
        Em { max_iterations: 200, tolerance: 1e-6, restarts: 1, seed: 0, mode: Mode::Full, progress: Progress::none() }
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

/// Where a start of the model M ended.
pub(super) type Ended<M> = Outcome<<M as EmModel>::Params, <M as EmModel>::Stats>;

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
