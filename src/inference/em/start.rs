//! One start's way up, in each of the modes.

use super::batches::Batches;
use super::company::{Company, Place};
use super::driver::{Em, Ended, Mode, Outcome};
use super::model::{EmModel, Statistics};
use crate::check::parameter;
use crate::learn::{Report, Stop};
use crate::{Error, Result};

/// How often a step uphill is halved before the place counts as the top.
const HALVINGS: usize = 40;

/// One start's way up.
pub(super) struct Climb<'a, M: EmModel, D: ?Sized> {
    pub em: &'a Em,
    pub model: &'a M,
    pub data: &'a D,
    pub company: &'a dyn Company<M>,
    /// The most parts that a rank has.
    pub parts: usize,
    /// What the fit is called in a checkpoint.
    pub name: String,
    /// Iterations of all starts so far.
    pub made: usize,
    /// What starts that have ended left: their ends, the best of them, and iterations made.
    pub others: (Vec<f64>, Option<Ended<M>>, usize),
}

type Here<M> = Place<<M as EmModel>::Params, <M as EmModel>::Stats>;

impl<M: EmModel, D: Batches<M::Batch> + ?Sized> Climb<'_, M, D> {
    pub fn from(&mut self, params: M::Params) -> Result<Ended<M>> {
        let stats = self.expect(&params)?;
        let objective = self.objective(&params, &stats)?;
        let at = Outcome { params, stats, report: Report::new(vec![objective], 0, false, Vec::new()) };
        let step = if let Mode::Generalised { step } = self.em.mode { step } else { 1.0 };
        self.on(Place { at, step, seen: 0 })
    }

    /// On from a place on the way.
    pub fn on(&mut self, place: Here<M>) -> Result<Ended<M>> {
        match self.em.mode {
            Mode::Full => self.full(place),
            Mode::Generalised { .. } => self.generalised(place),
            Mode::Stepwise { delay, decay } => self.stepwise(place, delay, decay),
        }
    }

    fn full(&mut self, mut place: Here<M>) -> Result<Ended<M>> {
        while self.goes_on(&place.at) {
            let at = &mut place.at;
            let params = self.model.maximise(&at.params, &at.stats)?;
            let stats = self.expect(&params)?;
            self.made += 1;
            let objective = self.objective(&params, &stats)?;
            if self.fell(at, objective) {
                at.report.stop = Stop::Stalled;
                break;
            }
            self.advance(at, params, stats, objective);
            self.keep(&place)?;
        }
        Ok(place.at)
    }

    fn generalised(&mut self, mut place: Here<M>) -> Result<Ended<M>> {
        while self.goes_on(&place.at) {
            let (at, step) = (&mut place.at, &mut place.step);
            let mut uphill = None;
            for halving in 0..HALVINGS {
                let params = self.model.ascend(&at.params, &at.stats, *step)?;
                let stats = self.expect(&params)?;
                let objective = self.model.objective(&params, &stats);
                if objective.is_finite() && objective >= at.objective() {
                    uphill = Some((params, stats, halving));
                    break;
                }
                *step *= 0.5;
            }
            self.made += 1;
            let Some((params, stats, halvings)) = uphill else {
                // No step that arithmetic can take leads up from here.
                at.report.stop = Stop::Converged;
                break;
            };
            if halvings == 0 {
                *step = (2.0 * *step).min(1.0);
            }
            let objective = self.objective(&params, &stats)?;
            self.advance(at, params, stats, objective);
            self.keep(&place)?;
        }
        Ok(place.at)
    }

    fn stepwise(&mut self, mut place: Here<M>, delay: f64, decay: f64) -> Result<Ended<M>> {
        while place.at.report.iterations < self.em.max_iterations {
            let at = &mut place.at;
            // The first pass learns from the statistics of all of the data that the start has given already.
            if at.report.iterations == 0 {
                at.params = self.model.maximise(&at.params, &at.stats)?;
            }
            // Parts are weighed by their share, so that the statistics keep the mass of all of the data.
            let whole = at.stats.mass();
            let mut total = 0.0;
            for part in 0..self.parts {
                place.seen += 1;
                let rho = (place.seen as f64 + delay).powf(-decay).min(1.0);
                let Some(mut own) = self.company.whole(self.visit(part, &at.params)?)? else { continue };
                let share = own.mass() / whole;
                if share <= 0.0 {
                    continue;
                }
                // A part half as large as the others counts as half a step: what is learned from it is twice as noisy.
                let rho = 1.0 - (1.0 - rho).powf(share * self.parts as f64);
                own.scale(1.0 / share);
                total += share * self.model.objective(&at.params, &own);
                own.scale(rho);
                at.stats.scale(1.0 - rho);
                at.stats.add(&own);
                at.params = self.model.maximise(&at.params, &at.stats)?;
            }
            self.made += 1;
            at.report.iterations += 1;
            self.report(total)?;
            at.report.trace.push(total);
            self.keep(&place)?;
        }
        let mut at = place.at;
        // What is returned is exact, whatever was learned from.
        at.stats = self.expect(&at.params)?;
        let exact = self.objective(&at.params, &at.stats)?;
        if let Some(last) = at.report.trace.last_mut() {
            *last = exact;
        }
        Ok(at)
    }

    fn keep(&mut self, place: &Here<M>) -> Result<()> {
        self.others.2 = self.made;
        self.company.keep(&self.name, place, &self.others)
    }

    fn goes_on(&self, at: &Ended<M>) -> bool {
        at.report.stop != Stop::Converged && at.report.iterations < self.em.max_iterations
    }

    fn advance(&self, at: &mut Ended<M>, params: M::Params, stats: M::Stats, objective: f64) {
        if objective - at.objective() <= self.em.tolerance * objective.abs() {
            at.report.stop = Stop::Converged;
        }
        (at.params, at.stats) = (params, stats);
        at.report.trace.push(objective);
        at.report.iterations += 1;
    }

    /// Whether the objective is lower than rounding can explain.
    fn fell(&self, at: &Ended<M>, objective: f64) -> bool {
        let slack =
            self.model.rounding(&at.params) * (objective.abs().max(at.objective().abs()) + at.stats.mass());
        objective < at.objective() - slack
    }

    fn expect(&self, params: &M::Params) -> Result<M::Stats> {
        let mut whole: Option<M::Stats> = None;
        for part in 0..self.data.count() {
            let found = self.visit(part, params)?;
            match (&mut whole, found) {
                (Some(whole), Some(found)) => whole.add(&found),
                (none, found) => *none = found,
            }
        }
        let nothing = || Error::Shape { op: M::NAME, what: "there are no data".to_owned() };
        self.company.whole(whole)?.ok_or_else(nothing)
    }

    /// The statistics of a part; none if this rank has not so many.
    fn visit(&self, part: usize, params: &M::Params) -> Result<Option<M::Stats>> {
        if part >= self.data.count() {
            return Ok(None);
        }
        let mut found = None;
        self.data.visit(part, &mut |batch| {
            found = Some(self.model.expect_part(params, batch, part)?);
            Ok(())
        })?;
        let absent = || Error::Shape { op: M::NAME, what: format!("part {part} of the data was not given") };
        found.map(Some).ok_or_else(absent)
    }

    /// The objective, reported; one that is not a number is an error and not a result.
    fn objective(&self, params: &M::Params, stats: &M::Stats) -> Result<f64> {
        let objective = self.model.objective(params, stats);
        let requirement = "must be finite: the model has left what its arithmetic can hold; rescale the data";
        parameter(&format!("objective of {}", M::NAME), objective, objective.is_finite(), requirement)?;
        self.report(objective)?;
        Ok(objective)
    }

    fn report(&self, objective: f64) -> Result<()> {
        let most = self.em.max_iterations.saturating_mul(self.em.restarts);
        self.em.progress.report(M::NAME, self.made, most, objective)
    }
}
