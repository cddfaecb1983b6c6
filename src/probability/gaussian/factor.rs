//! Cholesky factors on the host, and what is solved with them.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::check::symmetric;
use crate::ops::{Triangle, cholesky_in_place, solve_in_place};
use crate::{Error, Result};

/// L with `L Lᵀ = a`, for `a` symmetric and positive definite; zero above the diagonal.
pub(crate) fn lower(op: &'static str, a: ArrayView2<f64>) -> Result<Array2<f64>> {
    let mut l =
        cholesky_in_place(symmetric(op, a)?).and_then(crate::Matrix::into_array).map_err(|e| match e {
            Error::NotPositiveDefinite { pivot, value, .. } => {
                Error::NotPositiveDefinite { op, pivot, value }
            }
            other => other,
        })?;
    let n = l.nrows();
    for i in 0..n {
        for j in i + 1..n {
            l[[i, j]] = 0.0;
        }
    }
    Ok(l)
}

/// `L⁻¹ b`.
pub(crate) fn forward(l: &Array2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut out = b.as_standard_layout().into_owned();
    solve_in_place(l.view(), Triangle::Lower, out.view_mut());
    out
}

/// `(L Lᵀ)⁻¹ b`.
pub(crate) fn solve(l: &Array2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    let mut out = forward(l, b);
    let upper = l.t().as_standard_layout().into_owned();
    solve_in_place(upper.view(), Triangle::Upper, out.view_mut());
    out
}

/// `(L Lᵀ)⁻¹ b` for one vector.
pub(crate) fn solve_one(l: &Array2<f64>, b: ArrayView1<f64>) -> Array1<f64> {
    solve(l, b.insert_axis(Axis(1))).index_axis_move(Axis(1), 0)
}

/// `(L Lᵀ)⁻¹`, symmetric to the last bit.
pub(crate) fn inverse(l: &Array2<f64>) -> Array2<f64> {
    let half = forward(l, Array2::eye(l.nrows()).view());
    symmetrised(half.t().dot(&half))
}

/// `ln |L Lᵀ|`.
pub(crate) fn log_det(l: &Array2<f64>) -> f64 {
    2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>()
}

/// `(a + aᵀ)/2`.
pub(crate) fn symmetrised(a: Array2<f64>) -> Array2<f64> {
    (&a + &a.t()) * 0.5
}
