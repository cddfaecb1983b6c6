//! Newton's method, which for the logistic link is iteratively reweighted least squares, and L-BFGS for many parameters.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::on_device::Near;
use super::passes::Order;
use super::problem::Problem;
use super::sampled::Borrowed;
use crate::learn::{Report, Stop};
use crate::linalg::eigh;
use crate::linalg::small_cholesky::{cholesky, solve as back_substitute};
use crate::optim::{self, Minimiser};
use crate::{Error, Progress, Result};

/// Relative size of an eigenvalue below which a direction is not in the data.
const RANK: f64 = 1e-12;
/// Change of a score that a converged Newton step does not make, unless there is no maximum to converge to.
const RUNAWAY: f64 = 0.1;

/// How long to go on.
pub(super) struct Control<'a> {
    pub op: &'static str,
    pub max_iterations: usize,
    pub tolerance: f64,
    pub progress: &'a Progress,
}

impl Control<'_> {
    pub fn separable(&self) -> Error {
        Error::Separable { op: self.op }
    }
}

/// `H⁻¹ g` for a symmetric H without negative eigenvalues, by Cholesky, else by the eigenvectors that are in the data;
/// with the rank that H was taken to have.
pub(in crate::models::linear) fn solve(
    h: ArrayView2<f64>,
    g: ArrayView1<f64>,
) -> Result<(Array1<f64>, usize)> {
    let n = g.len();
    let mut l: Vec<f64> = h.iter().copied().collect();
    if cholesky(&mut l, n).is_ok() && well_conditioned(&l, n, RANK) {
        let mut x = g.to_vec();
        back_substitute(&l, &mut x);
        return Ok((x.into(), n));
    }
    let e = eigh(h)?;
    let floor = RANK * e.values[0].max(f64::MIN_POSITIVE);
    let inverse = e.values.mapv(|v| if v > floor { 1.0 / v } else { 0.0 });
    let rank = e.values.iter().filter(|v| **v > floor).count();
    Ok((e.vectors.dot(&(inverse * e.vectors.t().dot(&g))), rank))
}

/// All scores may rise together without a change of the probabilities: for parameters without a penalty the Hessian gets
/// the projection on that direction, times its own size. The result is that size for each parameter.
pub(super) fn pin(problem: &Problem, h: &mut Array2<f64>) -> Vec<(usize, f64)> {
    let (p, c) = (problem.width(), problem.columns);
    if c == 1 {
        return Vec::new();
    }
    let free = (0..p).filter(|&j| problem.l2[j] == 0.0);
    let pinned: Vec<_> =
        free.map(|j| (j, (0..c).map(|a| h[[a * p + j, a * p + j]]).sum::<f64>().max(1e-300))).collect();
    for &(j, size) in &pinned {
        for a in 0..c {
            for b in 0..c {
                h[[a * p + j, b * p + j]] += size / c as f64;
            }
        }
    }
    pinned
}

/// Parameters by column, one after the other.
pub(super) fn flat(w: ArrayView2<f64>) -> Array1<f64> {
    w.columns().into_iter().flat_map(|c| c.to_vec()).collect()
}

pub(super) fn folded(v: ArrayView1<f64>, columns: usize) -> Array2<f64> {
    let p = v.len() / columns;
    Array2::from_shape_fn((p, columns), |(j, c)| v[c * p + j])
}

/// What a search has found.
pub(super) struct Found {
    pub w: Array2<f64>,
    /// The rank that the last Hessian was taken to have.
    pub rank: usize,
    pub report: Report,
    /// The likelihood's part of the objective.
    pub loss: f64,
    /// The Hessian at w, if it was made.
    pub hessian: Option<Array2<f64>>,
}

/// Steps with a Hessian of a device or of a sample, before it is made anew.
const BORROWED: usize = 12;
/// What a step with such a Hessian leaves of a gain, about.
const SHRINKS: f64 = 0.02;
/// Share of the weight below which a gain leaves the Hessian as it is.
const SETTLED: f64 = 1e-12;

/// From zero, or from near the minimum with a Hessian of f32: gradients are of f64 in any case, and so is the last Hessian.
pub(super) fn newton(problem: &Problem, control: &Control, near: Option<Near>) -> Result<Found> {
    let c = problem.columns;
    let total = problem.total;
    let nowhere = || Near { w: Array2::zeros((problem.width(), c)), hessian: None, trace: Vec::new() };
    let Near { mut w, hessian, mut trace } = near.unwrap_or_else(nowhere);
    let mut borrowed = hessian.and_then(|mut h| {
        pin(problem, &mut h);
        Borrowed::new(h.view())
    });
    let mut here = problem.at(w.view(), if borrowed.is_some() { Order::Slope } else { Order::Curve })?;
    trace.push(here.value);
    let (start, mut stop, mut rank) = (trace.len(), Stop::Iterations, w.len());
    // What a device has begun is ended here, however few iterations are left.
    let most = if start > 1 { control.max_iterations.max(start + BORROWED) } else { control.max_iterations };
    while trace.len() <= most {
        if trace.len() > start + BORROWED && borrowed.is_some() && here.hessian.is_none() {
            borrowed = None;
            here = problem.at(w.view(), Order::Curve)?;
        }
        let g = flat(here.gradient.view());
        let (step, found) = match (&here.hessian, &borrowed) {
            (None, Some(borrowed)) => (borrowed.step(g.view()), rank),
            (hessian, _) => {
                let mut h = hessian.clone().expect("asked for");
                pin(problem, &mut h);
                solve(h.view(), g.view())?
            }
        };
        // At zero all rows weigh alike, so that this is the rank of the data; a direction that fades later on is one in
        // which the likelihood still rises.
        if !problem.penalised() && trace.len() > start && found < rank {
            return Err(control.separable());
        }
        rank = found;
        let gain = g.dot(&step);
        let step = folded(step.view(), c);
        let done = gain <= control.tolerance * total;
        if done && !problem.penalised() && problem.largest_score(step.view())? > RUNAWAY {
            return Err(control.separable());
        }
        // The last step is worth taking though its gain is lost in the rounding of the objective: it is Newton's.
        let slack = if done { 1e-13 * here.value.abs() } else { 0.0 };
        // A borrowed Hessian ends where the next gain will be the last; the one that is made there serves to the end.
        let near = gain * SHRINKS <= SETTLED * total;
        let all = match (&borrowed, &here.hessian) {
            (Some(_), None) if near && !done => Order::Curve,
            (Some(_), _) => Order::Slope,
            _ => Order::Curve,
        };
        let mut size = 1.0;
        let next = loop {
            let next = &w - &(size * &step);
            // Nearly always the whole step is taken: its derivatives come from the same pass.
            let there = problem.at(next.view(), if size == 1.0 { all } else { Order::Value })?;
            if there.value <= here.value - 1e-4 * size * gain + slack {
                let mut there = if size == 1.0 { there } else { problem.at(next.view(), all)? };
                there.value = there.value.min(here.value);
                break Some((next, there));
            }
            size *= 0.5;
            if size < 1e-10 || done {
                break None;
            }
        };
        let Some((next, there)) = next else {
            stop = if done { Stop::Converged } else { Stop::Stalled };
            break;
        };
        if let Some(borrowed) = &mut borrowed {
            borrowed.learn(flat((&next - &w).view()), flat(there.gradient.view()) - g);
        }
        let made = here.hessian.take().filter(|_| borrowed.is_some());
        (w, here) = (next, there);
        here.hessian = here.hessian.or(made);
        trace.push(here.value);
        control.progress.report(control.op, trace.len() - 1, control.max_iterations, here.value)?;
        if !problem.penalised() && here.separated {
            return Err(control.separable());
        }
        if done {
            stop = Stop::Converged;
            break;
        }
    }
    if here.hessian.is_none() {
        here = problem.at(w.view(), Order::Curve)?;
    }
    let (starts, iterations) = (vec![here.value], trace.len() - 1);
    let report = Report { iterations, stop, trace, starts };
    Ok(Found { w, rank, report, loss: here.loss, hessian: here.hessian })
}

/// The same by gradients alone.
pub(super) fn quasi_newton(problem: &Problem, control: &Control, near: Option<Near>) -> Result<Found> {
    let (p, c) = (problem.width(), problem.columns);
    let total = problem.total;
    let minimiser = Minimiser::new()
        .max_iterations(control.max_iterations)
        .tolerance(control.tolerance.sqrt().max(1e-12))
        .progress(control.progress.clone());
    let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); p * c];
    let start = near.map_or_else(|| vec![0.0; p * c], |near| flat(near.w.view()).to_vec());
    let found = minimiser.run(&start, &bounds, |v| {
        let w = folded(ArrayView1::from(v), c);
        let here = problem.at(w.view(), Order::Slope)?;
        Ok((here.value / total, (flat(here.gradient.view()) / total).to_vec()))
    })?;
    let w = folded(ArrayView1::from(&found.point), c);
    let there = problem.at(w.view(), Order::Value)?;
    if !problem.penalised() && there.separated {
        return Err(control.separable());
    }
    let stop = match found.stop {
        optim::Stop::Gradient | optim::Stop::Value => Stop::Converged,
        optim::Stop::Iterations => Stop::Iterations,
        optim::Stop::Stalled => Stop::Stalled,
    };
    let trace: Vec<f64> = found.trace.iter().map(|v| v * total).collect();
    let report = Report { iterations: found.iterations, stop, trace, starts: vec![found.value * total] };
    Ok(Found { w, rank: p * c, report, loss: there.loss, hessian: None })
}

/// The inverse of a Hessian, without the direction in which all scores rise together.
pub(super) fn covariance(problem: &Problem, mut h: Array2<f64>) -> Result<Array2<f64>> {
    let (p, c) = (problem.width(), problem.columns);
    let pinned = pin(problem, &mut h);
    let mut out = inverse(h.view())?;
    for (j, size) in pinned {
        for a in 0..c {
            for b in 0..c {
                out[[a * p + j, b * p + j]] -= 1.0 / (size * c as f64);
            }
        }
    }
    Ok(out)
}

/// `H⁻¹`, or that of the directions that are in the data.
fn inverse(h: ArrayView2<f64>) -> Result<Array2<f64>> {
    let n = h.nrows();
    let mut l: Vec<f64> = h.iter().copied().collect();
    if cholesky(&mut l, n).is_ok() && well_conditioned(&l, n, RANK) {
        let mut out = Array2::eye(n);
        out.rows_mut().into_iter().for_each(|mut e| back_substitute(&l, e.as_slice_mut().expect("a row")));
        let t = out.t().to_owned();
        return Ok(0.5 * out + 0.5 * t);
    }
    let e = eigh(h)?;
    let floor = RANK * e.values[0].max(f64::MIN_POSITIVE);
    let inverse = e.values.mapv(|v| if v > floor { 1.0 / v } else { 0.0 });
    Ok((&e.vectors * &inverse).dot(&e.vectors.t()))
}

/// Whether the squares of the pivots of a Cholesky factor are all above this share of the largest.
pub(in crate::models::linear) fn well_conditioned(l: &[f64], n: usize, least_ratio: f64) -> bool {
    let pivots = || (0..n).map(|i| l[i * n + i]);
    let (least, most) = (pivots().fold(f64::INFINITY, f64::min), pivots().fold(0.0, f64::max));
    least * least > least_ratio * most * most
}
