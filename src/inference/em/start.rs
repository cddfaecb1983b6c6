//! One start's way up, in each of the modes.

use super::batches::Batches;
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
    /// Iterations of all starts so far.
    pub made: usize,
}

impl<M: EmModel, D: Batches<M::Batch> + ?Sized> Climb<'_, M, D> {
    pub fn from(&mut self, params: M::Params) -> Result<Ended<M>> {
        let stats = self.expect(&params)?;
        let objective = self.objective(&params, &stats)?;
        let at = Outcome { params, stats, report: Report::new(vec![objective], 0, false, Vec::new()) };
        match self.em.mode {
            Mode::Full => self.full(at),
            Mode::Generalised { step } => self.generalised(at, step),
            Mode::Stepwise { delay, decay } => self.stepwise(at, delay, decay),
        }
    }

    fn full(&mut self, mut at: Ended<M>) -> Result<Ended<M>> {
        while self.goes_on(&at) {
            let params = self.model.maximise(&at.params, &at.stats)?;
            let stats = self.expect(&params)?;
            self.made += 1;
            let objective = self.objective(&params, &stats)?;
            if self.fell(&at, objective) {
                at.report.stop = Stop::Stalled;
                break;
            }
            self.advance(&mut at, params, stats, objective);
        }
        Ok(at)
    }

    fn generalised(&mut self, mut at: Ended<M>, mut step: f64) -> Result<Ended<M>> {
        while self.goes_on(&at) {
            let mut uphill = None;
            for halving in 0..HALVINGS {
                let params = self.model.ascend(&at.params, &at.stats, step)?;
                let stats = self.expect(&params)?;
                let objective = self.model.objective(&params, &stats);
                if objective.is_finite() && objective >= at.objective() {
                    uphill = Some((params, stats, halving));
                    break;
                }
                step *= 0.5;
            }
            self.made += 1;
            let Some((params, stats, halvings)) = uphill else {
                // No step that arithmetic can take leads up from here.
                at.report.stop = Stop::Converged;
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
        while at.report.iterations < self.em.max_iterations {
            // The first pass learns from the statistics of all of the data that the start has given already.
            if at.report.iterations == 0 {
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
            at.report.iterations += 1;
            self.report(total)?;
            at.report.trace.push(total);
        }
        // What is returned is exact, whatever was learned from.
        at.stats = self.expect(&at.params)?;
        let exact = self.objective(&at.params, &at.stats)?;
        if let Some(last) = at.report.trace.last_mut() {
            *last = exact;
        }
        Ok(at)
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
        let mut whole = self.visit(0, params)?;
        for part in 1..self.data.count() {
            whole.add(&self.visit(part, params)?);
        }
        Ok(whole)
    }

    fn visit(&self, part: usize, params: &M::Params) -> Result<M::Stats> {
        let mut found = None;
        self.data.visit(part, &mut |batch| {
            found = Some(self.model.expect_part(params, batch, part)?);
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
