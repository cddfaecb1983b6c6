//! One run of L-BFGS, down from one start: the two-loop recursion, and rounds of it that leave bounds it is stuck at.

use std::collections::VecDeque;

use super::line_search::line_search;
use super::minimiser::{Minimiser, Stop};
use super::objective::{Objective, Sample};
use crate::Result;

/// Pairs that are remembered.
const MEMORY: usize = 10;
/// Longest first trial of a search, in the largest entry of u: a fold of the sine is half a turn.
const REACH: f64 = 0.25;
/// A step that gains less than this part of the tolerance, relative to the value, is the last.
const GAIN: f64 = 1e-6;
/// Times that a search is set off again from where it got stuck.
const ROUNDS: usize = 5;
/// Variables this fraction of their interval away from an end hardly feel the slope of f.
const STUCK: f64 = 1e-4;
/// How far inside they are put, the first that goes down.
const INSIDE: [f64; 4] = [1e-2, 1e-4, 1e-6, 1e-8];

/// The last steps `s`, each with the change `y` of the gradient along it: `s·y > 0`.
#[derive(Default)]
struct Memory(VecDeque<(Vec<f64>, Vec<f64>)>);

impl Memory {
    fn learn(&mut self, from: &Sample, to: &Sample) {
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
        let (s, y) = (minus(&to.inner, &from.inner), minus(&to.gradient, &from.gradient));
        if dot(&s, &y) > 0.0 {
            self.0.push_back((s, y));
        }
        if self.0.len() > MEMORY {
            self.0.pop_front();
        }
    }

    /// `-H g`, where H is the inverse Hessian that the pairs make of a multiple of the identity.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.0.len());
        for (s, y) in self.0.iter().rev() {
            let share = dot(s, &q) / dot(s, y);
            add(&mut q, -share, y);
            shares.push(share);
        }
        if let Some((s, y)) = self.0.back() {
            let scale = dot(s, y) / dot(y, y);
            for q in &mut q {
                *q *= scale;
            }
        }
        for ((s, y), share) in self.0.iter().zip(shares.iter().rev()) {
            let missing = share - dot(y, &q) / dot(s, y);
            add(&mut q, missing, s);
        }
        q
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, v: &[f64]) {
    to.iter_mut().zip(v).for_each(|(to, v)| *to += times * v);
}

/// Where a run has come to.
pub(super) struct Run {
    pub now: Sample,
    /// Values after each iteration, the start's first.
    pub trace: Vec<f64>,
    pub stop: Stop,
}

/// All runs of one minimisation.
pub(super) struct Descent<'f> {
    pub settings: &'f Minimiser,
    pub objective: Objective<'f>,
    /// Iterations in all runs.
    pub iterations: usize,
}

impl Descent<'_> {
    /// The sample at a start, or a little inside if it is at an end where f fails; none if it fails there too.
    pub fn begin(&mut self, x: &[f64]) -> Result<Option<Sample>> {
        let each = || self.objective.intervals.iter().zip(x);
        let start: Vec<f64> = each().map(|(i, &x)| i.nearest(x)).collect();
        let inside = |(i, &x): (&super::bounds::Interval, &f64)| {
            if i.inside(x, STUCK) == x { x } else { i.inside(x, INSIDE[0]) }
        };
        let inside: Vec<f64> = each().map(inside).collect();
        match self.objective.at(start.clone())? {
            None if inside != start => self.objective.at(inside),
            found => Ok(found),
        }
    }

    /// Rounds of L-BFGS, each with a clean memory, until one ends for a reason that stands.
    pub fn run(&mut self, from: Sample) -> Result<Run> {
        let mut trace = vec![from.value];
        let off = if self.settings.max_iterations > 0 { self.leave(&from)? } else { None };
        let mut now = off.unwrap_or(from);
        let mut left = ROUNDS;
        loop {
            let steps = trace.len();
            let stop = self.round(&mut now, &mut trace)?;
            left -= 1;
            let stands = matches!(stop, Some(Stop::Gradient | Stop::Iterations)) || left == 0;
            let next = if stands { None } else { self.leave(&now)? };
            // Misled by an old curvature: once more with a clean memory, if this one was any good.
            let misled = stop.is_none() && trace.len() > steps;
            match next {
                Some(next) => now = next,
                None if misled && !stands => {}
                None => return Ok(Run { now, trace, stop: stop.unwrap_or(Stop::Stalled) }),
            }
        }
    }

    /// Why L-BFGS stopped; none if no step went down.
    fn round(&mut self, now: &mut Sample, trace: &mut Vec<f64>) -> Result<Option<Stop>> {
        let Minimiser { max_iterations, tolerance, restarts, progress, .. } = self.settings;
        let most = max_iterations.saturating_mul(restarts.saturating_add(1));
        if self.objective.slope(now) <= *tolerance {
            return Ok(Some(Stop::Gradient));
        }
        let mut memory = Memory::default();
        while trace.len() <= *max_iterations {
            // The first step of all has no curvature to go by, and is as long as the gradient happens to be.
            let reach = if trace.len() == 1 { REACH } else { 4.0 * REACH };
            let direction = memory.direction(&now.gradient);
            let Some(next) = line_search(&mut self.objective, now, &direction, reach)? else {
                return Ok(None);
            };
            memory.learn(now, &next);
            let gain = now.value - next.value;
            *now = next;
            trace.push(now.value);
            self.iterations += 1;
            progress.report("minimise", self.iterations, most, now.value)?;
            if self.objective.slope(now) <= *tolerance {
                return Ok(Some(Stop::Gradient));
            }
            if gain <= GAIN * tolerance * now.value.abs().max(1.0) {
                return Ok(Some(Stop::Value));
            }
        }
        Ok(Some(Stop::Iterations))
    }

    /// A lower point inside, if variables are stuck at ends that f falls away from.
    fn leave(&mut self, now: &Sample) -> Result<Option<Sample>> {
        for fraction in INSIDE {
            let each = self.objective.intervals.iter().zip(now.point.iter().zip(&now.outer));
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
            if let Some(found) = self.objective.at(next)?.filter(|s| s.value < now.value) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
