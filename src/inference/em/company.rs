//! Who else has a part of the data, and where the state of a long fit is kept.

use super::driver::Outcome;
use super::model::{EmModel, Statistics};
use crate::Result;
use crate::learn::ranks::Meeting;
use crate::saved::{Checkpoint, Wire};

/// Where a start stands: what it would end with now, and what its mode remembers.
#[derive(Clone)]
pub(super) struct Place<P, S> {
    pub at: Outcome<P, S>,
    /// The step of the generalised mode.
    pub step: f64,
    /// The parts that the stepwise mode has seen.
    pub seen: usize,
}

/// Where a fit of several starts stands.
pub(super) struct State<P, S> {
    pub place: Place<P, S>,
    /// Starts that have ended, and with what.
    pub ends: Vec<f64>,
    pub best: Option<Outcome<P, S>>,
    /// Iterations of all starts.
    pub made: usize,
}

impl<P: Wire, S: Wire> Wire for Outcome<P, S> {
    fn write(&self, to: &mut Vec<u8>) {
        self.params.write(to);
        self.stats.write(to);
        self.report.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Ok(Outcome { params: P::read(from)?, stats: S::read(from)?, report: Wire::read(from)? })
    }
}

impl<P: Wire, S: Wire> Wire for Place<P, S> {
    fn write(&self, to: &mut Vec<u8>) {
        self.at.write(to);
        (self.step, self.seen).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self> {
        Ok(Place { at: Wire::read(from)?, step: Wire::read(from)?, seen: Wire::read(from)? })
    }
}

/// What goes into the file besides the place: `(ends, best, made)`.
type Others<P, S> = (Vec<f64>, Option<Outcome<P, S>>, usize);

/// Those who fit a model together, and their notebook.
pub(super) trait Company<M: EmModel> {
    /// The statistics of all ranks, of which some may have none.
    fn whole(&self, own: Option<M::Stats>) -> Result<Option<M::Stats>>;

    /// The most parts that a rank has.
    fn parts(&self, own: usize) -> Result<usize>;

    /// What an interrupted fit left.
    fn found(&self, _: &str) -> Result<Option<State<M::Params, M::Stats>>> {
        Ok(None)
    }

    /// Keeps the state of a fit, if it is time to.
    fn keep(&self, _: &str, _: &Place<M::Params, M::Stats>, _: &Others<M::Params, M::Stats>) -> Result<()> {
        Ok(())
    }
}

/// One process that keeps nothing: what any model can be fitted by.
pub(super) struct Single;

impl<M: EmModel> Company<M> for Single {
    fn whole(&self, own: Option<M::Stats>) -> Result<Option<M::Stats>> {
        Ok(own)
    }

    fn parts(&self, own: usize) -> Result<usize> {
        Ok(own)
    }
}

/// Ranks, and the file of their first.
pub(super) struct Several<'a> {
    pub all: &'a Meeting<'a>,
    pub file: Option<Checkpoint>,
}

impl<M: EmModel<Stats: Wire, Params: Wire>> Company<M> for Several<'_> {
    fn whole(&self, own: Option<M::Stats>) -> Result<Option<M::Stats>> {
        self.all.together(M::NAME, own, |a, b| {
            match (a.as_mut(), b) {
                (Some(a), Some(b)) => a.add(&b),
                (None, Some(b)) => *a = Some(b),
                (_, None) => {}
            }
            Ok(())
        })
    }

    fn parts(&self, own: usize) -> Result<usize> {
        self.all.together(M::NAME, own, |a, b| {
            *a = b.max(*a);
            Ok(())
        })
    }

    fn found(&self, name: &str) -> Result<Option<State<M::Params, M::Stats>>> {
        let Some(file) = &self.file else { return Ok(None) };
        let found: Option<(Place<_, _>, Others<_, _>)> = file.load(name)?;
        Ok(found.map(|(place, (ends, best, made))| State { place, ends, best, made }))
    }

    fn keep(
        &self,
        name: &str,
        place: &Place<M::Params, M::Stats>,
        others: &Others<M::Params, M::Stats>,
    ) -> Result<()> {
        match &self.file {
            Some(file) if file.due(place.at.report.iterations) => file.store(name, |to| {
                place.write(to);
                others.write(to);
            }),
            _ => Ok(()),
        }
    }
}
