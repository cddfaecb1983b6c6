//! Sequential minimal optimisation of a part of the variables, the others held: two at a time, or one where no sum binds
//! them. The first violates the optimality conditions most, the second gains most with it (Fan, Chen and Lin, 2005).
//!
//! In terms of `c a` every problem is the same: v = -c g is how much a variable wants to go up, and e = c σ turns kernel
//! values into second derivatives.

use super::lanes::{self, First};
use super::lazy::Lazy;
use super::problem::{Constraint, Problem, Unit};
use super::smo::Settings;
use crate::Result;

/// Iterations between two calls of the progress.
const TELL: usize = 64;
/// Iterations between two values of the trace.
const ROUND: usize = 1000;

/// How far from optimal variables are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distance {
    /// Largest `v` of variables that can go up with its place, and least of those that can go down, by sum.
    pub top: [(f64, usize); 2],
    pub bottom: [f64; 2],
    pub violation: f64,
    /// About the margin, if the constraint has one.
    pub level: f64,
}

impl Distance {
    fn new(constraint: Constraint, top: [(f64, usize); 2], bottom: [f64; 2]) -> Self {
        let apart = |s: usize| if top[s].0 == f64::NEG_INFINITY { 0.0 } else { top[s].0 - bottom[s] };
        let middle = |s: usize| match (top[s].0.is_finite(), bottom[s].is_finite()) {
            (true, true) => 0.5 * (top[s].0 + bottom[s]),
            (true, false) => top[s].0,
            (false, true) => bottom[s],
            _ => 0.0,
        };
        let (violation, level) = match constraint {
            Constraint::None => (top[0].0.max(-bottom[0]), f64::NAN),
            Constraint::Sum => (apart(0), middle(0)),
            // With two sums the multipliers are r₁ = -middle(0) and r₂ = middle(1), and the margin is their mean.
            Constraint::SumOfEachSide => (apart(0).max(apart(1)), 0.5 * (middle(1) - middle(0))),
        };
        Distance { top, bottom, violation: violation.max(0.0), level }
    }

    /// The violation that is allowed.
    pub fn enough(&self, unit: Unit, tolerance: f64) -> f64 {
        let unit = match unit {
            Unit::Fixed(unit) => unit,
            Unit::Margin => self.level.abs(),
        };
        (tolerance * unit).max(f64::MIN_POSITIVE)
    }
}

/// Variables of a problem that may move; as many of each kind as the kernel matrix has rows.
pub(super) struct Local {
    constraint: Constraint,
    unit: Unit,
    flat: f64,
    width: usize,
    pub a: Vec<f64>,
    pub v: Vec<f64>,
    e: Vec<f64>,
    side: Vec<f64>,
    upper: Vec<f64>,
    diagonal: Vec<f64>,
    /// Zero for variables that can go up, else minus infinity, by sum; and zero for those that can go down, else infinity.
    up: [Vec<f64>; 2],
    low: [Vec<f64>; 2],
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Converged,
    /// Rounding leaves the variables where they are.
    Stalled,
    /// No more iterations are allowed.
    Spent,
}

/// When a search is to end besides its own optimality.
pub(super) struct Limits {
    /// A violation that is enough.
    pub floor: f64,
    /// Most iterations, all searches together.
    pub most: usize,
}

impl Local {
    /// These variables of the problem, where `v` is of all of them; `width` of them have rows of their own.
    pub fn new(
        p: &Problem,
        which: impl Iterator<Item = usize> + Clone,
        width: usize,
        a: &[f64],
        v: &[f64],
        diagonal: &[f64],
        flat: f64,
    ) -> Self {
        let take = |from: &[f64]| which.clone().map(|t| from[t]).collect::<Vec<f64>>();
        let side = take(&p.side);
        let e = which.clone().map(|t| p.side[t] * p.sign[t]).collect();
        let diagonal = which.clone().map(|t| diagonal[p.point[t]]).collect();
        let empty = || [Vec::new(), Vec::new()];
        let mut local = Local {
            constraint: p.constraint,
            unit: p.unit,
            flat,
            width,
            a: take(a),
            v: take(v),
            e,
            side,
            upper: take(&p.upper),
            diagonal,
            up: empty(),
            low: empty(),
        };
        let l = local.a.len();
        for s in 0..local.sums() {
            local.up[s] = vec![f64::NEG_INFINITY; l];
            local.low[s] = vec![f64::INFINITY; l];
        }
        (0..l).for_each(|t| local.mark(t));
        local
    }

    fn sums(&self) -> usize {
        if self.constraint == Constraint::SumOfEachSide { 2 } else { 1 }
    }

    /// Notes which ways a variable can go.
    fn mark(&mut self, t: usize) {
        let sum = usize::from(self.constraint == Constraint::SumOfEachSide && self.side[t] < 0.0);
        let (below, above) = (self.a[t] < self.upper[t], self.a[t] > 0.0);
        let (up, low) = if self.side[t] > 0.0 { (below, above) } else { (above, below) };
        self.up[sum][t] = if up { 0.0 } else { f64::NEG_INFINITY };
        self.low[sum][t] = if low { 0.0 } else { f64::INFINITY };
    }

    /// How far from optimal its variables are.
    pub fn distance(&self) -> Distance {
        let (mut top, mut bottom) = ([(f64::NEG_INFINITY, usize::MAX); 2], [f64::INFINITY; 2]);
        for s in 0..self.sums() {
            let (most, at, least) = lanes::extremes(&self.v, &self.up[s], &self.low[s]);
            (top[s], bottom[s]) = ((most, at), least);
        }
        Distance::new(self.constraint, top, bottom)
    }

    /// Moves variables until none violates the conditions by more than is allowed. Rows of kernel values come from `k`,
    /// made by `fill`.
    pub fn run(
        &mut self,
        k: &mut Lazy,
        fill: &dyn Fn(usize, &mut [f64]),
        settings: &Settings,
        limits: &Limits,
        iterations: &mut usize,
        mut round: impl FnMut(&Local),
    ) -> Result<End> {
        loop {
            let distance = self.distance();
            let enough = distance.enough(self.unit, settings.tolerance).max(limits.floor);
            if distance.violation <= enough {
                return Ok(End::Converged);
            }
            if *iterations == limits.most {
                return Ok(End::Spent);
            }
            if iterations.is_multiple_of(TELL) {
                settings.progress.report(settings.op, *iterations + 1, None, distance.violation)?;
            }
            let moved = match self.constraint {
                Constraint::None => self.one(k, fill),
                _ => self.two(&distance, k, fill),
            };
            if !moved {
                return Ok(End::Stalled);
            }
            *iterations += 1;
            if iterations.is_multiple_of(ROUND) {
                round(self);
            }
        }
    }

    /// Moves the pair that gains most; false if rounding leaves it where it is.
    fn two(&mut self, distance: &Distance, k: &mut Lazy, fill: &dyn Fn(usize, &mut [f64])) -> bool {
        let (w, l) = (self.width, self.v.len());
        let (mut best, mut chosen) = (0.0, None);
        for s in 0..self.sums() {
            let (top, i) = distance.top[s];
            if i == usize::MAX || top <= distance.bottom[s] {
                continue;
            }
            let row = k.row(i % w, |row| fill(i % w, row));
            let first = First { top, sign: self.e[i], diagonal: self.diagonal[i], flat: self.flat };
            for from in (0..l).step_by(w) {
                let part = from..from + w;
                let (v, low) = (&self.v[part.clone()], &self.low[s][part.clone()]);
                let (e, diagonal) = (&self.e[part.clone()], &self.diagonal[part]);
                if let Some((gain, at)) = lanes::partner(&first, (v, low), (e, diagonal), row, best) {
                    let curvature = first.diagonal + diagonal[at] - 2.0 * first.sign * e[at] * row[at];
                    let step = (top - v[at]) / curvature.max(self.flat);
                    (best, chosen) = (gain, Some((i, from + at, step)));
                }
            }
        }
        let Some((i, j, step)) = chosen else { return false };
        let room = |t: usize, up: bool| {
            if up == (self.side[t] > 0.0) { self.upper[t] - self.a[t] } else { self.a[t] }
        };
        let (room_i, room_j) = (room(i, true), room(j, false));
        let step = step.min(room_i).min(room_j);
        let by_i = self.push(i, step, step >= room_i);
        let by_j = self.push(j, -step, step >= room_j);
        if by_i == 0.0 && by_j == 0.0 {
            return false;
        }
        k.row(j % w, |row| fill(j % w, row));
        let (row_i, row_j) = k.pair(i % w, j % w);
        for (v, e) in self.v.chunks_exact_mut(w).zip(self.e.chunks_exact(w)) {
            lanes::step(v, e, (row_i, by_i), (row_j, by_j));
        }
        true
    }

    /// Moves the variable that gains most by itself; false if rounding leaves it where it is.
    fn one(&mut self, k: &mut Lazy, fill: &dyn Fn(usize, &mut [f64])) -> bool {
        let (mut best, mut i) = (0.0, usize::MAX);
        for t in 0..self.v.len() {
            let v = self.v[t];
            if (v > 0.0 && self.up[0][t] == 0.0) || (v < 0.0 && self.low[0][t] == 0.0) {
                let gain = v * v / self.diagonal[t].max(self.flat);
                if gain > best {
                    (best, i) = (gain, t);
                }
            }
        }
        if i == usize::MAX {
            return false;
        }
        let wanted = self.v[i] / self.diagonal[i].max(self.flat);
        let up = (wanted > 0.0) == (self.side[i] > 0.0);
        let room = if up { self.upper[i] - self.a[i] } else { self.a[i] };
        let by = self.push(i, wanted.signum() * wanted.abs().min(room), wanted.abs() >= room);
        if by == 0.0 {
            return false;
        }
        let w = self.width;
        let row = k.row(i % w, |row| fill(i % w, row));
        for (v, e) in self.v.chunks_exact_mut(w).zip(self.e.chunks_exact(w)) {
            lanes::step(v, e, (row, by), (row, 0.0));
        }
        true
    }

    /// Moves `c a` by a step, to the bound if that is `whole` of the way; returns by how much `σ a` has moved.
    fn push(&mut self, t: usize, step: f64, whole: bool) -> f64 {
        let (before, by) = (self.a[t], self.side[t] * step);
        self.a[t] = match (whole, by > 0.0) {
            (true, true) => self.upper[t],
            (true, false) => 0.0,
            _ => (before + by).clamp(0.0, self.upper[t]),
        };
        self.mark(t);
        self.e[t] * self.side[t] * (self.a[t] - before)
    }
}
