//! Iterative refinement: `r = b - Ax` in f64, `x += A⁻¹r` by a factor of whatever precision.
//!
//! Progress is measured after equilibration, by `S A S`, so that small entries of x count as much as large ones.
//! Each step multiplies the error by about the factor's rounding times the condition of A.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::factor::Factor;
use super::norm::{largest, largest_by, length};
use super::reference::Reference;
use crate::Result;

/// A step that does not at least halve the backward error is the last.
const PROGRESS: f64 = 0.5;

pub(in crate::linalg) struct Refined {
    pub x: Array2<f64>,
    pub steps: usize,
    /// The worst column's `‖Sr‖∞ / (‖SAS‖∞ ‖S⁻¹x‖∞ + ‖Sb‖∞)`; infinite if nothing finite was found.
    pub backward_error: f64,
    /// The worst column's `‖r‖₂ / ‖b‖₂`.
    pub relative_residual: f64,
}

/// Refines every column until its backward error is at f64 level or stops falling.
pub(in crate::linalg) fn refine(
    reference: &Reference,
    factor: &Factor,
    b: ArrayView2<f64>,
    max_steps: usize,
) -> Result<Refined> {
    let (a, s, norm) = (reference.operator(), reference.scale(), reference.norm()?);
    let inverse = s.map(|s| s.recip());
    let size = |v: ArrayView1<f64>| largest_by(v, s);
    let mut x = Array2::zeros(b.raw_dim());
    let mut rest = b.to_owned();
    // Of b = 0 the solution is zero, exactly.
    let mut error: Vec<f64> =
        b.columns().into_iter().map(|b| if largest(b) > 0.0 { f64::INFINITY } else { 0.0 }).collect();
    let mut active: Vec<usize> = (0..b.ncols()).filter(|&c| error[c] > 0.0).collect();
    let mut steps = 0;
    for step in 0..=max_steps {
        if active.is_empty() {
            break;
        }
        let correction = factor.solve(rest.select(Axis(1), &active))?;
        let next: Array2<f64> = x.select(Axis(1), &active) + correction;
        // f32 has overflowed: what was found so far, if anything, is all that this factor can give.
        if next.iter().any(|v| !v.is_finite()) {
            break;
        }
        steps = step;
        let left = b.select(Axis(1), &active) - a.apply(next.view())?;
        let mut going = Vec::new();
        for (at, &c) in active.iter().enumerate() {
            let (next, left) = (next.column(at), left.column(at));
            let now = size(left) / (norm * largest_by(next, inverse.as_ref()) + size(b.column(c)));
            if now > f64::EPSILON && now <= PROGRESS * error[c] {
                going.push(c);
            }
            if now < error[c] {
                error[c] = now;
                x.column_mut(c).assign(&next);
                rest.column_mut(c).assign(&left);
            }
        }
        active = going;
    }
    let relative = |c: usize| {
        let whole = length(b.column(c));
        if whole > 0.0 { length(rest.column(c)) / whole } else { 0.0 }
    };
    let relative_residual = (0..b.ncols()).map(relative).fold(0.0, f64::max);
    Ok(Refined { x, steps, backward_error: error.into_iter().fold(0.0, f64::max), relative_residual })
}
