//! Positive definite matrices of a few rows, by the thousand: no blocks, no threads.

use ndarray::{Array2, ArrayView2, Axis};

use crate::{Error, Result};

/// A factored positive definite matrix of a few rows.
pub(crate) struct Small {
    l: Vec<f64>,
    pub log_det: f64,
}

impl Small {
    /// Only the lower triangle of `a` is read.
    pub fn new(op: &'static str, a: ArrayView2<f64>) -> Result<Self> {
        let mut l: Vec<f64> = a.iter().copied().collect();
        let log_det = cholesky(&mut l, a.nrows()).map_err(|pivot| pivot.error(op))?;
        Ok(Small { l, log_det })
    }

    /// `B A⁻¹`: each row of `b` solved for.
    pub fn solve_rows(&self, b: ArrayView2<f64>) -> Array2<f64> {
        let mut out = b.as_standard_layout().into_owned();
        for mut row in out.axis_iter_mut(Axis(0)) {
            if let Some(row) = row.as_slice_mut() {
                solve(&self.l, row);
            }
        }
        out
    }

    /// `L⁻¹` row after row, lower triangular.
    pub fn inverse_factor(&self, k: usize) -> Vec<f64> {
        let mut w = vec![0.0; k * k];
        for j in 0..k {
            for i in j..k {
                let one = if i == j { 1.0 } else { 0.0 };
                let dot: f64 = (j..i).map(|p| self.l[i * k + p] * w[p * k + j]).sum();
                w[i * k + j] = (one - dot) / self.l[i * k + i];
            }
        }
        w
    }

    pub fn inverse(&self, k: usize) -> Array2<f64> {
        self.solve_rows(Array2::eye(k).view())
    }
}

/// Where a factorisation ended.
pub(crate) struct Pivot {
    index: usize,
    value: f64,
}

impl Pivot {
    pub fn error(self, op: &'static str) -> Error {
        Error::NotPositiveDefinite { op, pivot: self.index, value: self.value }
    }
}

/// `a`, `k x k` row after row, becomes its Cholesky factor in the lower triangle; the result is `log |a|`, or the
/// pivot that is not positive.
pub(crate) fn cholesky(a: &mut [f64], k: usize) -> std::result::Result<f64, Pivot> {
    let mut log_det = 0.0;
    for j in 0..k {
        for i in j..k {
            let dot: f64 = (0..j).map(|p| a[i * k + p] * a[j * k + p]).sum();
            a[i * k + j] -= dot;
        }
        let pivot = a[j * k + j];
        // Written so that a NaN is refused.
        let positive = pivot > 0.0;
        if !positive {
            return Err(Pivot { index: j, value: pivot });
        }
        log_det += pivot.ln();
        let root = pivot.sqrt();
        for i in j..k {
            a[i * k + j] /= root;
        }
    }
    Ok(log_det)
}

/// `b` becomes `(L L^T)⁻¹ b`.
pub(crate) fn solve(l: &[f64], b: &mut [f64]) {
    let k = b.len();
    for i in 0..k {
        let dot: f64 = (0..i).map(|p| l[i * k + p] * b[p]).sum();
        b[i] = (b[i] - dot) / l[i * k + i];
    }
    for i in (0..k).rev() {
        let dot: f64 = (i + 1..k).map(|p| l[p * k + i] * b[p]).sum();
        b[i] = (b[i] - dot) / l[i * k + i];
    }
}
