//! Mean functions `m(x) = h(x)ᵀβ`, with β by generalised least squares.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use crate::linalg::{SpdFactor, SpdParams};
use crate::models::check::require;
use crate::{Device, Error, Result};

/// The mean of the process before data: `m(x) = h(x)ᵀβ`.
///
/// β maximises the likelihood given the other hyper-parameters: `β = (HᵀC⁻¹H)⁻¹HᵀC⁻¹y`, `C = K + noise`. Predictions
/// take it as known; to count the uncertainty about it put the mean into the kernel instead,
/// `k + Kernel::constant(c) + Kernel::linear_weighted(w)` with large c and w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mean {
    /// 0.
    #[default]
    Zero,
    /// β₀.
    Constant,
    /// `β₀ + Σ_f β_f x_f`.
    Linear,
}

impl Mean {
    /// H, `n x p`; none for a mean of zero.
    pub(super) fn design(self, x: ArrayView2<f64>) -> Option<Array2<f64>> {
        let ones = Array2::ones((x.nrows(), 1));
        match self {
            Mean::Zero => None,
            Mean::Constant => Some(ones),
            // Both have as many rows, so that this cannot fail.
            Mean::Linear => concatenate(Axis(1), &[ones.view(), x]).ok(),
        }
    }

    /// `Hβ` at new inputs.
    pub(super) fn at(self, x: ArrayView2<f64>, coefficients: &Array2<f64>) -> Array2<f64> {
        match self.design(x) {
            None => Array2::zeros((x.nrows(), coefficients.ncols())),
            Some(h) => h.dot(coefficients),
        }
    }
}

/// β and what it was found by; all of it empty for a mean of zero.
#[derive(Debug)]
pub(super) struct Trend {
    /// β, `p x q`.
    pub coefficients: Array2<f64>,
    /// `C⁻¹H`, `n x p`.
    pub weighted: Array2<f64>,
    /// `HᵀC⁻¹H`, factored.
    pub normal: Option<SpdFactor>,
}

impl Trend {
    /// From `C⁻¹[H y]`, solved together.
    pub fn new(design: Option<&Array2<f64>>, solved: &Array2<f64>, targets: usize) -> Result<Self> {
        let n = solved.nrows();
        let Some(h) = design else {
            let (coefficients, weighted) = (Array2::zeros((0, targets)), Array2::zeros((n, 0)));
            return Ok(Trend { coefficients, weighted, normal: None });
        };
        let p = h.ncols();
        require("GpRegressor::fit", p <= n, || {
            format!("a mean of {p} coefficients cannot be told from {n} points; take a simpler mean")
        })?;
        let weighted = solved.slice(ndarray::s![.., ..p]).to_owned();
        let gram = h.t().dot(&weighted);
        let gram = (&gram + &gram.t()) * 0.5;
        let normal =
            SpdFactor::new(&Device::cpu(), gram.view(), &SpdParams::default()).map_err(|e| match e {
                // Whose move it is: not the kernel's.
                Error::NotPositiveDefinite { pivot, value, .. } => {
                    Error::NotPositiveDefinite { op: "GpRegressor::fit, columns of the mean", pivot, value }
                }
                other => other,
            })?;
        let right = h.t().dot(&solved.slice(ndarray::s![.., p..]));
        let coefficients = normal.solve(right.view())?.x;
        Ok(Trend { coefficients, weighted, normal: Some(normal) })
    }
}
