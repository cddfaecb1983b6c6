//! A start for many rows: the optimum of a sample of them, with its Hessian.
//!
//! A sixteenth of the rows knows the optimum of all to about `√(p/n)` of a score's deviation. From there gradients of all
//! rows, measured by the Hessian of the sample, come to the same optimum as Newton's steps from zero, which would make
//! seven Hessians of all rows. Checked in `tests/classify/many_rows.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::newton::{Control, newton, well_conditioned};
use super::on_device::Near;
use super::problem::{Data, Problem};
use crate::Progress;
use crate::learn::ranks::Meeting;
use crate::linalg::small_cholesky::{cholesky, solve};

/// Entries of all rows from which a sample is worth it.
const MANY: usize = 200_000;
/// One row of so many is taken, but of each parameter as many as twice this.
const SHARE: usize = 16;
/// Newton's gain, as a share of the weight, at which the sample's optimum is near enough.
const ENOUGH: f64 = 1e-7;
/// Squared ratio of the pivots of the sample's Hessian below which all rows are asked.
const RESOLVED: f64 = 1e-8;

/// None if there are not that many rows, or if the sample has no optimum of its own.
pub(super) fn sampled(problem: &Problem, control: &Control) -> Option<Near> {
    let (n, p, c) = (problem.rows(), problem.width(), problem.columns);
    let count = (n / SHARE).max(2 * SHARE * p * c);
    if !problem.all.alone() || n * p < MANY || 4 * count > n {
        return None;
    }
    let rows: Vec<usize> = (0..count).map(|i| place(i, n, count)).collect();
    let sample = Sample::of(problem, &rows);
    let (quiet, here) = (Progress::none(), Meeting::alone_here());
    let some = Control { op: control.op, max_iterations: 30, tolerance: ENOUGH, progress: &quiet };
    let Ok(found) = newton(&sample.problem(problem, &here), &some, None) else { return None };
    let near = Near { w: found.w, hessian: found.hessian, trace: Vec::new() };
    (found.rank == p * c).then_some(near)
}

/// A row of the i-th of `count` equal parts of n rows, any of them: rows often come in turns.
fn place(i: usize, n: usize, count: usize) -> usize {
    let (from, to) = (i * n / count, (i + 1) * n / count);
    // The mixing of SplitMix64.
    let mut z = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    from + (z ^ (z >> 31)) as usize % (to - from)
}

/// A Hessian that is not quite that of the objective, and what steps have shown of it since: L-BFGS from a good start.
pub(super) struct Borrowed {
    factor: Vec<f64>,
    /// Moves of the parameters, of the gradient, and one over their product.
    seen: Vec<(Array1<f64>, Array1<f64>, f64)>,
}

impl Borrowed {
    /// None for a Hessian that says nothing of some direction.
    pub fn new(h: ArrayView2<f64>) -> Option<Self> {
        let mut factor: Vec<f64> = h.iter().copied().collect();
        let known =
            cholesky(&mut factor, h.nrows()).is_ok() && well_conditioned(&factor, h.nrows(), RESOLVED);
        known.then_some(Borrowed { factor, seen: Vec::new() })
    }

    /// What the parameters and the gradient have moved by.
    pub fn learn(&mut self, moved: Array1<f64>, gradient: Array1<f64>) {
        let product = moved.dot(&gradient);
        if product > 0.0 {
            self.seen.push((moved, gradient, 1.0 / product));
        }
    }

    /// About `H⁻¹ g`.
    pub fn step(&self, g: ArrayView1<f64>) -> Array1<f64> {
        let mut q = g.to_owned();
        let mut along = Vec::with_capacity(self.seen.len());
        for (s, y, inverse) in self.seen.iter().rev() {
            let a = inverse * s.dot(&q);
            q.scaled_add(-a, y);
            along.push(a);
        }
        let mut r = q.to_vec();
        solve(&self.factor, &mut r);
        let mut r = Array1::from(r);
        for ((s, y, inverse), a) in self.seen.iter().zip(along.iter().rev()) {
            let b = inverse * y.dot(&r);
            r.scaled_add(a - b, s);
        }
        r
    }
}

/// Rows of their own, scaled as those they come from.
struct Sample {
    x: Array2<f64>,
    index: Vec<usize>,
    weights: Array1<f64>,
    offset: Option<Array1<f64>>,
}

impl Sample {
    /// Some of the rows, each with the weight of the many for which it stands.
    fn of(problem: &Problem, rows: &[usize]) -> Sample {
        let weights = problem.weights.select(Axis(0), rows);
        let share = problem.total / weights.sum();
        Sample {
            x: problem.x.select(Axis(0), rows),
            index: rows.iter().map(|&i| problem.index[i]).collect(),
            weights: weights * share,
            offset: problem.offset.as_ref().map(|o| o.select(Axis(0), rows)),
        }
    }

    /// The same objective of these rows alone.
    fn problem<'a>(&'a self, of: &Problem, all: &'a Meeting<'a>) -> Problem<'a> {
        let data = Data {
            x: self.x.view(),
            index: &self.index,
            weights: self.weights.clone(),
            offset: self.offset.clone(),
            l1: of.l1.clone(),
            l2: of.l2.clone(),
            live: of.live.clone(),
            shift: of.shift.clone(),
            scale: of.scale.clone(),
            inverse: of.inverse.clone(),
            columns: of.columns,
            link: of.link,
            intercept: of.intercept,
        };
        Problem { data, all, total: of.total }
    }
}
