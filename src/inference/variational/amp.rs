//! Approximate message passing for sparse regression. Checked in `tests/inference/amp.rs` against the Lasso's conditions.

use ndarray::{Array1, ArrayView1};

use crate::check::{pairs, parameter};
use crate::learn::Inputs;
use crate::{Error, Result};

/// What approximate message passing ended with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AmpSolution {
    /// The coefficients, most of them zero.
    pub coefficients: Array1<f64>,
    /// The penalty λ of the Lasso `½|y - Xw|² + λ|w|₁` that they solve: the threshold less its share for the correction.
    pub penalty: f64,
    /// The threshold at the end.
    pub threshold: f64,
    /// Iterations made.
    pub iterations: usize,
}

/// `w ← S(w + Xᵀr, θ)`, `r ← y - Xw + (|w|₀/N) r`: the messages of loopy belief propagation on a dense sparse-regression
/// graph, summed. S is soft thresholding and `θ = ratio |r|/√N`.
///
/// Columns of `x` should have norm one and be nearly independent (i.i.d. normal entries of variance 1/N): then the fixed
/// point solves the Lasso of [`AmpSolution::penalty`].
///
/// # Errors
/// Bad data, a ratio that is not positive, [`Error::NoConvergence`] where the columns are too alike for it.
pub fn approximate_message_passing(
    x: impl Inputs,
    y: ArrayView1<f64>,
    ratio: f64,
    max_iterations: usize,
) -> Result<AmpSolution> {
    const OP: &str = "approximate_message_passing";
    const TOLERANCE: f64 = 1e-10;
    let x = x.inputs();
    pairs(OP, x.view(), y.insert_axis(ndarray::Axis(1)))?;
    parameter("ratio", ratio, ratio > 0.0 && ratio.is_finite(), "must be positive and finite")?;
    let n = x.nrows() as f64;
    let mut w = Array1::<f64>::zeros(x.ncols());
    let mut r = y.to_owned();
    let scale = (y.dot(&y) / n).sqrt().max(f64::MIN_POSITIVE);
    let mut moved = f64::INFINITY;
    for iterations in 1..=max_iterations {
        let threshold = ratio * (r.dot(&r) / n).sqrt();
        let next = (&w + &x.t().dot(&r)).mapv(|v| v.signum() * (v.abs() - threshold).max(0.0));
        let active = next.iter().filter(|v| **v != 0.0).count() as f64;
        r = &y - &x.dot(&next) + &r * (active / n);
        moved = (&next - &w)
            .iter()
            .fold(0.0, |m: f64, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) });
        w = next;
        if moved <= TOLERANCE * scale {
            let penalty = threshold * (1.0 - active / n);
            return Ok(AmpSolution { coefficients: w, penalty, threshold, iterations });
        }
        if !moved.is_finite() {
            break;
        }
    }
    Err(Error::NoConvergence {
        op: OP,
        iterations: max_iterations,
        residual: moved,
        tolerance: TOLERANCE * scale,
    })
}
