//! Absolute penalties: Newton's quadratic model with the penalty, minimised coordinate by coordinate; for many parameters
//! accelerated proximal gradients (FISTA with restarts).

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::newton::{Control, Found, flat, folded, pin};
use super::passes::Order;
use super::problem::Problem;
use crate::Result;
use crate::learn::{Report, Stop};

/// Passes of a coordinate descent.
const SWEEPS: usize = 2000;

/// `sign(a) max(|a| - t, 0)`.
fn soft(a: f64, t: f64) -> f64 {
    (a.abs() - t).max(0.0) * a.signum()
}

/// `argmin gᵀd + ½ dᵀHd + Σ l |w + d|`, d from zero.
fn descend(
    h: ArrayView2<f64>,
    g: ArrayView1<f64>,
    w: ArrayView1<f64>,
    l1: impl Fn(usize) -> f64,
) -> Array1<f64> {
    let n = g.len();
    let mut d = Array1::<f64>::zeros(n);
    // g + H d.
    let mut slope = g.to_owned();
    for _ in 0..SWEEPS {
        let mut largest = 0f64;
        for j in 0..n {
            let curvature = h[[j, j]];
            if curvature <= 0.0 {
                continue;
            }
            let now = w[j] + d[j];
            let next = soft(now - slope[j] / curvature, l1(j) / curvature);
            let step = next - now;
            if step != 0.0 {
                slope.scaled_add(step, &h.column(j));
                d[j] += step;
                largest = largest.max(step * step * curvature);
            }
        }
        if largest <= 1e-22 * (1.0 + g.dot(&g)) {
            break;
        }
    }
    d
}

/// The parameters, and how it went.
pub(super) fn proximal_newton(problem: &Problem, control: &Control) -> Result<Found> {
    let (p, c) = (problem.width(), problem.columns);
    let objective = |w: ArrayView2<f64>| Ok::<f64, crate::Error>(problem.smooth(w)? + problem.lasso(w));
    let mut w = Array2::<f64>::zeros((p, c));
    let total = problem.total;
    let mut value = objective(w.view())?;
    let (mut trace, mut stop) = (vec![value], Stop::Iterations);
    while trace.len() <= control.max_iterations {
        let here = problem.at(w.view(), Order::Curve)?;
        let mut h = here.hessian.expect("asked for");
        pin(problem, &mut h);
        let (g, flat_w) = (flat(here.gradient.view()), flat(w.view()));
        let step = descend(h.view(), g.view(), flat_w.view(), |j| problem.l1[j % p]);
        let moved = folded(step.view(), c);
        // What the model says that the whole step gains.
        let gain = -(g.dot(&step) + problem.lasso((&w + &moved).view()) - problem.lasso(w.view()));
        let done = gain <= control.tolerance * total;
        // The last step is worth taking though its gain is lost in the rounding of the objective: it is Newton's.
        let slack = if done { 1e-13 * value.abs() } else { 0.0 };
        let mut size = 1.0;
        let next = loop {
            let next = &w + &(size * &moved);
            let there = objective(next.view())?;
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
        if done {
            stop = Stop::Converged;
            break;
        }
    }
    let loss = problem.at(w.view(), Order::Value)?.loss;
    let report = Report { iterations: trace.len() - 1, stop, trace, starts: vec![value] };
    Ok(Found { w, rank: p * c, report, loss, hessian: None })
}

/// The same by gradients alone.
pub(super) fn proximal_gradient(problem: &Problem, control: &Control) -> Result<Found> {
    let (p, c) = (problem.width(), problem.columns);
    let mut w = Array2::<f64>::zeros((p, c));
    let (mut ahead, mut momentum) = (w.clone(), 1.0f64);
    let total = problem.total;
    let mut value = problem.smooth(w.view())? + problem.lasso(w.view());
    let (mut trace, mut stop, mut lipschitz) = (vec![value], Stop::Iterations, 0.25 * total);
    let most = control.max_iterations.saturating_mul(50);
    let mut quiet = 0;
    while trace.len() <= most {
        let at = problem.at(ahead.view(), Order::Slope)?;
        let (g, here) = (at.gradient, at.value);
        let (next, smooth) = loop {
            let mut next = &ahead - &(&g / lipschitz);
            for (mut row, l) in next.rows_mut().into_iter().zip(&problem.l1) {
                row.mapv_inplace(|v| soft(v, l / lipschitz));
            }
            let step = &next - &ahead;
            let bound = here + (&g * &step).sum() + 0.5 * lipschitz * (&step * &step).sum();
            let smooth = problem.smooth(next.view())?;
            if smooth <= bound + 1e-12 * here.abs() || lipschitz > 1e300 {
                break (next, smooth);
            }
            lipschitz *= 2.0;
        };
        let there = smooth + problem.lasso(next.view());
        if there > value && momentum > 1.0 {
            // The momentum has overshot: on from where it was, without.
            (ahead, momentum) = (w.clone(), 1.0);
            continue;
        }
        let after = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        ahead = &next + &(((momentum - 1.0) / after) * (&next - &w));
        momentum = after;
        quiet = if value - there <= control.tolerance * total { quiet + 1 } else { 0 };
        (w, value) = (next, there);
        trace.push(value);
        control.progress.report(control.op, trace.len() - 1, most, value)?;
        if quiet == 10 {
            stop = Stop::Converged;
            break;
        }
    }
    let loss = problem.at(w.view(), Order::Value)?.loss;
    let report = Report { iterations: trace.len() - 1, stop, trace, starts: vec![value] };
    Ok(Found { w, rank: p * c, report, loss, hessian: None })
}
