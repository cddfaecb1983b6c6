//! Newton's method, which for the logistic link is iteratively reweighted least squares, and L-BFGS for many parameters.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::problem::Problem;
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
    if cholesky(&mut l, n).is_ok() {
        let pivots = || (0..n).map(|i| l[i * n + i]);
        let (least, most) = (pivots().fold(f64::INFINITY, f64::min), pivots().fold(0.0, f64::max));
        if least * least > RANK * most * most {
            let mut x = g.to_vec();
            back_substitute(&l, &mut x);
            return Ok((x.into(), n));
        }
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

/// The parameters, the rank of the last Hessian, and how it went.
pub(super) fn newton(problem: &Problem, control: &Control) -> Result<(Array2<f64>, usize, Report)> {
    let c = problem.columns;
    let mut w = Array2::zeros((problem.width(), c));
    let total = problem.total;
    let mut value = problem.smooth(w.view())?;
    let (mut trace, mut stop, mut rank) = (vec![value], Stop::Iterations, w.len());
    while trace.len() <= control.max_iterations {
        let (gradient, curvature) = problem.gradient(w.view())?;
        let mut h = problem.hessian(curvature.view())?;
        pin(problem, &mut h);
        let g = flat(gradient.view());
        let (step, found) = solve(h.view(), g.view())?;
        // At zero all rows weigh alike, so that this is the rank of the data; a direction that fades later on is one in
        // which the likelihood still rises.
        if !problem.penalised() && trace.len() > 1 && found < rank {
            return Err(control.separable());
        }
        rank = found;
        let gain = g.dot(&step);
        let step = folded(step.view(), c);
        let done = gain <= control.tolerance * total;
        if done && !problem.penalised() {
            let change = problem.largest_score(step.view())?;
            if change > RUNAWAY {
                return Err(control.separable());
            }
        }
        // The last step is worth taking though its gain is lost in the rounding of the objective: it is Newton's.
        let slack = if done { 1e-13 * value.abs() } else { 0.0 };
        let mut size = 1.0;
        let next = loop {
            let next = &w - &(size * &step);
            let there = problem.smooth(next.view())?;
            if there <= value - 1e-4 * size * gain + slack {
                break Some((next, there.min(value)));
            }
            size *= 0.5;
            if size < 1e-10 {
                break None;
            }
        };
        let Some((next, there)) = next else {
            stop = if done { Stop::Converged } else { Stop::Stalled };
            break;
        };
        (w, value) = (next, there);
        trace.push(value);
        control.progress.report(control.op, trace.len() - 1, control.max_iterations, value)?;
        if !problem.penalised() && problem.separates(w.view())? {
            return Err(control.separable());
        }
        if done {
            stop = Stop::Converged;
            break;
        }
    }
    let starts = vec![value];
    Ok((w, rank, Report { iterations: trace.len() - 1, stop, trace, starts }))
}

/// The same by gradients alone.
pub(super) fn quasi_newton(problem: &Problem, control: &Control) -> Result<(Array2<f64>, usize, Report)> {
    let (p, c) = (problem.width(), problem.columns);
    let total = problem.total;
    let minimiser = Minimiser::new()
        .max_iterations(control.max_iterations)
        .tolerance(control.tolerance.sqrt().max(1e-12))
        .progress(control.progress.clone());
    let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); p * c];
    let found = minimiser.run(&vec![0.0; p * c], &bounds, |v| {
        let w = folded(ArrayView1::from(v), c);
        let g = problem.gradient(w.view())?.0;
        Ok((problem.smooth(w.view())? / total, (flat(g.view()) / total).to_vec()))
    })?;
    let w = folded(ArrayView1::from(&found.point), c);
    if !problem.penalised() && problem.separates(w.view())? {
        return Err(control.separable());
    }
    let stop = match found.stop {
        optim::Stop::Gradient | optim::Stop::Value => Stop::Converged,
        optim::Stop::Iterations => Stop::Iterations,
        optim::Stop::Stalled => Stop::Stalled,
    };
    let trace: Vec<f64> = found.trace.iter().map(|v| v * total).collect();
    let report = Report { iterations: found.iterations, stop, trace, starts: vec![found.value * total] };
    Ok((w, p * c, report))
}

/// The inverse of the Hessian at the parameters, without the direction in which all scores rise together.
pub(super) fn covariance(problem: &Problem, w: ArrayView2<f64>) -> Result<Array2<f64>> {
    let (p, c) = (problem.width(), problem.columns);
    let mut h = problem.hessian(problem.gradient(w)?.1.view())?;
    let pinned = pin(problem, &mut h);
    let e = eigh(h.view())?;
    let floor = RANK * e.values[0].max(f64::MIN_POSITIVE);
    let inverse = e.values.mapv(|v| if v > floor { 1.0 / v } else { 0.0 });
    let mut out = (&e.vectors * &inverse).dot(&e.vectors.t());
    for (j, size) in pinned {
        for a in 0..c {
            for b in 0..c {
                out[[a * p + j, b * p + j]] -= 1.0 / (size * c as f64);
            }
        }
    }
    Ok(out)
}
