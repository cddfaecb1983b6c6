//! The thin singular value decomposition, in f64 on the CPU, by faer.

use faer::MatRef;
use ndarray::{Array1, Array2, ArrayView2};

use crate::host::zero_upper::restored;
use crate::{Error, Result};

/// `A = U diag(σ) Vᵀ`, where U and V have as many columns as A has rows or columns, whichever are fewer.
pub(crate) struct Svd {
    /// Orthonormal columns, in the order of the values.
    pub u: Array2<f64>,
    /// Descending, none negative.
    pub values: Array1<f64>,
    /// Orthonormal columns.
    pub v: Array2<f64>,
}

/// Of `a`, `n x d`. Small values are as exact as the largest: to its rounding, not to that of its square.
pub(crate) fn thin_svd(a: ArrayView2<f64>) -> Result<Svd> {
    // A common power of two, so that squares stay within f64 whatever the units.
    let largest = a.iter().fold(0f64, |m, v| m.max(v.abs()));
    let unit = if largest > 0.0 { largest.log2().floor().exp2() } else { 1.0 };
    let a = if (1e-100..1e100).contains(&unit) { a.as_standard_layout() } else { (&a / unit).into() };
    let unit = if (1e-100..1e100).contains(&unit) { 1.0 } else { unit };
    let (n, d) = a.dim();
    let k = n.min(d);
    let Some(entries) = a.as_slice().filter(|_| k > 0) else {
        return Ok(Svd { u: Array2::zeros((n, 0)), values: Array1::zeros(0), v: Array2::zeros((d, 0)) });
    };
    let found = restored(|| MatRef::from_row_major_slice(entries, n, d).thin_svd());
    let none =
        |_| Error::NoConvergence { op: "svd", iterations: 0, residual: f64::NAN, tolerance: f64::EPSILON };
    let found = found.map_err(none)?;
    let (u, s, v) = (found.U(), found.S().column_vector(), found.V());
    Ok(Svd {
        u: Array2::from_shape_fn((n, k), |(i, j)| u[(i, j)]),
        values: (0..k).map(|i| s[i] * unit).collect(),
        v: Array2::from_shape_fn((d, k), |(i, j)| v[(i, j)]),
    })
}
