//! The driver. Checked in `tests/inference/em.rs`, on models that are no part of the crate, and by every model's own tests.

use std::fmt;

use ndarray::{ArrayView1, ArrayView2, Axis};

use super::batches::Batches;
use super::company::{Company, Several, Single};
use super::model::EmModel;
use super::start::Climb;
use crate::check::{not_negative, parameter, require, room};
use crate::learn::Report;
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Ranks, meet};
use crate::saved::{Checkpoint, Wire};
use crate::{Error, Progress, Result};

/// Objectives of two starts that differ by no more than this, relative to their size, count as equal.
const SAME: f64 = 1e-6;

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
    pub(crate) max_iterations: usize,
    pub(crate) tolerance: f64,
    pub(crate) restarts: usize,
    pub(crate) seed: u64,
    pub(crate) mode: Mode,
    pub(crate) progress: Progress,
    pub(crate) checkpoint: Option<Checkpoint>,
}

/// The settings, without who looks on and where the state is kept: what a checkpoint is known by.
impl fmt::Debug for Em {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Em { max_iterations, tolerance, restarts, seed, mode, .. } = self;
        let mut named = f.debug_struct("Em");
        named.field("max_iterations", max_iterations).field("tolerance", tolerance);
        named.field("restarts", restarts).field("seed", seed).field("mode", mode).finish_non_exhaustive()
    }
}

impl Default for Em {
    fn default() -> Self {
        Self::new()
    }
}

setters!(Em {
    /// The most M-steps of one start (passes, if [`Mode::Stepwise`]); 200 by default.
    max_iterations: usize,
    /// An iteration that gains no more than this, relative to the objective's size, is the last one; 1e-6 by default.
    /// With 0 it goes on until nothing is gained.
    tolerance: f64,
    /// How many starts are made; the one that ends highest is kept. One by default.
    restarts: usize,
    /// Seed of the first start; the i-th is made with `seed + i`.
    seed: u64,
    /// What an iteration does; [`Mode::Full`] by default.
    mode: Mode,
    /// Called after every E-step with the iterations made so far, in all starts, and the objective.
    progress: Progress,
    /// A file from which an interrupted fit goes on; none by default.
    checkpoint: into Option<Checkpoint>,
});

/// Where EM ended, and how it got there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<P, S> {
    /// The parameters of the best start.
    pub params: P,
    /// The statistics of all of the data at these parameters.
    pub stats: S,
    /// Iterations, objectives, and why the best start ended.
    pub report: Report,
}

impl<P, S> Outcome<P, S> {
    /// The objective at the parameters.
    pub fn objective(&self) -> f64 {
        self.report.objective()
    }
}

/// Where a start of the model M ended.
pub(super) type Ended<M> = Outcome<<M as EmModel>::Params, <M as EmModel>::Stats>;

impl Em {
    /// One start of at most 200 iterations, until one gains no more than 1e-6 of the objective.
    pub fn new() -> Self {
        let (mode, progress) = (Mode::Full, Progress::none());
        Em { max_iterations: 200, tolerance: 1e-6, restarts: 1, seed: 0, mode, progress, checkpoint: None }
    }

    /// Fits `model` to `data`. `start` gives the parameters to start from for a seed; parameters of an earlier fit are a
    /// warm start.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for settings out of their domain;
    /// [`Error::Shape`](crate::Error::Shape) if there are no data; [`Error::Cancelled`](crate::Error::Cancelled); what
    /// `start` and the steps of the model return.
    pub fn run<M: EmModel, D: Batches<M::Batch> + ?Sized>(
        &self,
        model: &M,
        data: &D,
        mut start: impl FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        self.run_after(0, &Single, model, data, &mut start)
    }

    /// [`Em::run`] of data that lie on several ranks, each of which gives its own parts, or none; [`Mode::Stepwise`]
    /// takes a part of every rank at a time. All start from what `start` gives on rank 0. Statistics and parameters travel,
    /// and are what a [`Checkpoint`] holds; name by [`Checkpoint::of`] what the model and its data are.
    ///
    /// # Errors
    /// As [`Em::run`], the same on every rank.
    pub fn run_across<M: EmModel<Stats: Wire, Params: Wire>, D: Batches<M::Batch> + ?Sized>(
        &self,
        ranks: &dyn Ranks,
        model: &M,
        data: &D,
        start: impl FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        meet(ranks, |all| self.run_exactly_across(all, model, data, None, start))
    }

    /// [`Em::run`] in company, for progress that has seen so many iterations already.
    fn run_after<M: EmModel, D: Batches<M::Batch> + ?Sized>(
        &self,
        made: usize,
        company: &dyn Company<M>,
        model: &M,
        data: &D,
        start: &mut dyn FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        self.check()?;
        let _watch = self.progress.between_submissions(M::NAME);
        let name = self.named::<M>();
        let parts = company.parts(data.count())?;
        require(M::NAME, parts > 0, || "there are no data".to_owned())?;
        let mut climb =
            Climb { em: self, model, data, company, parts, name, made, others: (Vec::new(), None, made) };
        let mut resumed = company.found(&climb.name)?.map(|found| {
            climb.made = found.made;
            climb.others = (found.ends, found.best, found.made);
            found.place
        });
        for i in climb.others.0.len()..self.restarts {
            let ended = if let Some(place) = resumed.take() {
                climb.on(place)?
            } else {
                let first = start(self.seed.wrapping_add(i as u64))?;
                climb.from(first)?
            };
            let (ends, best, _) = &mut climb.others;
            ends.push(ended.objective());
            // Ends that rounding cannot tell apart are one end: the first of them, on every device.
            let better =
                |best: &Ended<M>| ended.objective() - best.objective() > SAME * best.objective().abs();
            if best.as_ref().is_none_or(better) {
                *best = Some(ended);
            }
        }
        let (ends, best, _) = climb.others;
        let mut best =
            best.ok_or_else(|| Error::Shape { op: M::NAME, what: "there are no starts".to_owned() })?;
        best.report.starts = ends;
        Ok(best)
    }

    /// The same for a fit with these settings, as they print, of these rows and weights: what its checkpoint is known by.
    pub(crate) fn known_by(
        &self,
        settings: &dyn fmt::Debug,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Self {
        let checkpoint = self.checkpoint.clone().map(|file| {
            let file = file.of(settings).of_rows(x);
            w.map_or(file.clone(), |w| file.of_rows(w.insert_axis(Axis(1))))
        });
        Em { checkpoint, ..self.clone() }
    }

    /// What a checkpoint is called.
    fn named<M: EmModel>(&self) -> String {
        let Em { max_iterations, tolerance, restarts, seed, mode, .. } = self;
        format!("{} {max_iterations} {tolerance:e} {restarts} {seed} {mode:?}", M::NAME)
    }

    /// [`Em::run`] where steps are cheap and rounded, and from where that ended on with `exact` data, until their
    /// objective says that there is no more to gain. Rounded objectives stop rising too soon, or late.
    pub(crate) fn run_exactly<M: EmModel, D: Batches<M::Batch> + ?Sized>(
        &self,
        model: &M,
        rounded: &D,
        exact: Option<&D>,
        mut start: impl FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        if self.checkpoint.is_some() {
            let (device, instead) = ("any device".to_owned(), "leave it out");
            return Err(Error::Unsupported { op: M::NAME, what: "a checkpoint".to_owned(), device, instead });
        }
        self.twice([&Single, &Single], model, rounded, exact, &mut start)
    }

    /// [`Em::run_exactly`] of data that lie on several ranks. Where one has exact data the others, whose data are exact
    /// already, go on with them.
    pub(crate) fn run_exactly_across<M: EmModel<Stats: Wire, Params: Wire>, D: Batches<M::Batch> + ?Sized>(
        &self,
        all: &Meeting,
        model: &M,
        rounded: &D,
        exact: Option<&D>,
        mut start: impl FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        let exact = if all.any(M::NAME, exact.is_some())? { Some(exact.unwrap_or(rounded)) } else { None };
        let file = self.checkpoint.as_ref().map(|file| all.checkpoint(file)).transpose()?;
        // One start for all, whatever their devices make of it.
        let mut begin = |seed| {
            let own = if all.rank() == 0 { Some(start(seed)?) } else { None };
            all.broadcast(M::NAME, own)
        };
        // The file of the first climb is there until the second, which is short, has ended too.
        let (first, second) = (Several { all, file }, Several { all, file: None });
        let ended = self.twice([&first, &second], model, rounded, exact, &mut begin)?;
        first.file.map_or(Ok(()), |file| file.done())?;
        Ok(ended)
    }

    fn twice<M: EmModel, D: Batches<M::Batch> + ?Sized>(
        &self,
        [first, second]: [&dyn Company<M>; 2],
        model: &M,
        rounded: &D,
        exact: Option<&D>,
        start: &mut dyn FnMut(u64) -> Result<M::Params>,
    ) -> Result<Ended<M>> {
        let fast = self.run_after(0, first, model, rounded, start)?;
        let stepwise = matches!(self.mode, Mode::Stepwise { .. });
        let Some(exact) = exact.filter(|_| !stepwise) else { return Ok(fast) };
        let left = self.max_iterations.saturating_sub(fast.report.iterations);
        let em = self.clone().restarts(1).max_iterations(left);
        let mut again = |_: u64| -> Result<M::Params> { Ok(fast.params.clone()) };
        let mut ended = em.run_after(fast.report.iterations, second, model, exact, &mut again)?;
        let mut trace = fast.report.trace;
        trace.pop();
        trace.append(&mut ended.report.trace);
        ended.report.trace = trace;
        ended.report.iterations += fast.report.iterations;
        ended.report.starts = fast.report.starts;
        Ok(ended)
    }

    fn check(&self) -> Result<()> {
        parameter("restarts", self.restarts as f64, self.restarts > 0, "must be at least 1")?;
        room("restarts", self.restarts, size_of::<f64>())?;
        parameter("tolerance", self.tolerance, self.tolerance >= 0.0, "must not be negative")?;
        match self.mode {
            Mode::Full => Ok(()),
            Mode::Generalised { step } => {
                parameter("step", step, step > 0.0 && step <= 1.0, "must lie in (0, 1]")
            }
            Mode::Stepwise { delay, decay } => {
                not_negative("delay", delay)?;
                parameter("decay", decay, decay > 0.5 && decay <= 1.0, "must lie in (1/2, 1]")
            }
        }
    }
}
