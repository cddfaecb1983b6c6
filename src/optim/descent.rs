//! One run: down from one start.

use argmin::core::Executor;
use argmin::solver::quasinewton::LBFGS;

use super::bounds::Interval;
use super::line_search::Search;
use super::minimiser::{Minimiser, Stop};
use super::record::{Here, Record, Sample};
use crate::{Error, Result};

/// Pairs that L-BFGS remembers.
const MEMORY: usize = 10;
/// Times that a search is set off again from where it got stuck.
const ROUNDS: usize = 5;
/// Variables this fraction of their interval away from an end hardly feel the slope of f.
const STUCK: f64 = 1e-4;
/// How far inside they are put, the first that goes down.
const INSIDE: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];

/// The sample at a start, or a little inside if it is at an end where f fails; none if it fails there too.
pub(super) fn begin(record: &Record, intervals: &[Interval], x: Vec<f64>) -> Result<Option<Sample>> {
    let each = |f: &dyn Fn(&Interval, f64) -> f64| -> Vec<f64> {
        intervals.iter().zip(&x).map(|(i, &x)| f(i, x)).collect()
    };
    let start = each(&|i, x| i.nearest(x));
    let inside = each(&|i, x| if i.inside(x, STUCK) == x { x } else { i.inside(x, INSIDE[0]) });
    match record.at(start.clone())? {
        None if inside != start => record.at(inside),
        found => Ok(found),
    }
}

/// Rounds of L-BFGS, each with a clean memory, until one ends for a reason that stands.
pub(super) fn descend(
    own: &Minimiser,
    record: &Record,
    intervals: &[Interval],
    from: Sample,
) -> Result<(Sample, Stop, Vec<f64>)> {
    let off = if own.max_iterations > 0 { leave(record, intervals, &from)? } else { None };
    record.begin(from, true);
    if let Some(next) = off {
        record.begin(next, false);
    }
    for round in 0..ROUNDS {
        let (Some(here), _, trace) = record.standing() else { break };
        let steps = trace.len();
        let left = own.max_iterations.saturating_add(1).saturating_sub(steps) as u64;
        let solver = LBFGS::new(Search::new(record), MEMORY)
            .with_tolerance_grad(0.0)
            .and_then(|s| s.with_tolerance_cost(0.0));
        // Both tolerances are allowed; and what the executor fails with, the record knows better.
        if let Ok(solver) = solver {
            let configured = Executor::new(Here(record), solver).ctrlc(false).configure(|s| {
                s.param(here.inner.clone()).cost(here.value).gradient(here.gradient.clone()).max_iters(left)
            });
            let _ = configured.run();
        }
        if let Some(error) = record.aborted() {
            return Err(error);
        }
        let (Some(now), stop, trace) = record.standing() else { break };
        match stop {
            Some(Stop::Gradient) => return Ok((now, Stop::Gradient, trace)),
            None if trace.len() > own.max_iterations => return Ok((now, Stop::Iterations, trace)),
            Some(Stop::Iterations) => return Ok((now, Stop::Iterations, trace)),
            _ => {}
        }
        match leave(record, intervals, &now)? {
            Some(next) if round + 1 < ROUNDS => record.begin(next, false),
            // Misled by an old curvature: once more with a clean memory, if this one was any good.
            _ if stop.is_none() && trace.len() > steps && round + 1 < ROUNDS => record.begin(now, false),
            _ => return Ok((now, stop.unwrap_or(Stop::Stalled), trace)),
        }
    }
    let (now, stop, trace) = record.standing();
    now.map(|now| (now, stop.unwrap_or(Stop::Stalled), trace)).ok_or(Error::NoConvergence {
        op: "minimise",
        iterations: 0,
        residual: f64::INFINITY,
        tolerance: own.tolerance,
    })
}

/// A lower point inside, if variables are stuck at ends that f falls away from.
fn leave(record: &Record, intervals: &[Interval], now: &Sample) -> Result<Option<Sample>> {
    for fraction in INSIDE {
        let each = intervals.iter().zip(now.point.iter().zip(&now.outer));
        let next: Vec<f64> = each
            .map(|(i, (&x, &g))| {
                let to = i.inside(x, fraction);
                // Inwards is down.
                if i.inside(x, STUCK) != x && (to - x) * g < 0.0 { to } else { x }
            })
            .collect();
        if next == now.point {
            return Ok(None);
        }
        if let Some(found) = record.at(next)?.filter(|s| s.value < now.value) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
