//! The thin singular value decomposition, in f64 on the CPU: by faer, or of many rows by two Cholesky factors before.

use faer::MatRef;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::small_cholesky::cholesky;
use crate::host::memory::{copy, mirror_lower};
use crate::host::zero_upper::restored;
use crate::ops::{Triangle, accumulate_lower_alone, product, solve_in_place};
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
    let many = n >= 8 * d && n * d * d > 1 << 24;
    if let Some(found) = many.then(|| of_many_rows(a.view(), unit)).flatten() {
        return found;
    }
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

/// Columns up to which [`of_many_rows`] is worth it.
const NARROW: usize = 256;
/// The least pivot of a factor of unit columns, squared: its condition is below 1e4 about, and the second factor makes up
/// for what the first has lost.
const PIVOT: f64 = 1e-8;
/// Rows that are multiplied at a time, and separate sums of them, added in order.
const ROWS: usize = 512;
const SUMS: usize = 8;

/// `A D⁻¹ = Q R` by the Cholesky factor of its square, once more of Q itself, and the decomposition of the small R D: four
/// passes of products. None if columns nearly depend on each other, which squares would not see.
fn of_many_rows(a: ArrayView2<f64>, unit: f64) -> Option<Result<Svd>> {
    let d = a.ncols();
    if d > NARROW {
        return None;
    }
    let mut square = square(a);
    let lengths: Vec<f64> = square.diag().iter().map(|v| v.sqrt()).collect();
    if lengths.iter().any(|l| *l <= 0.0 || !l.is_finite()) {
        return None;
    }
    for ((i, j), v) in square.indexed_iter_mut() {
        *v /= lengths[i] * lengths[j];
    }
    let first = factor(square, PIVOT)?;
    // R = Lᵀ D of the columns as they are.
    let mut upper = first.t().to_owned();
    upper.columns_mut().into_iter().zip(&lengths).for_each(|(mut column, l)| column *= *l);
    let mut q = copy(a);
    // Each row of Q solves `Rᵀ q = a`: backward stable, row by row.
    solve_in_place(upper.t(), Triangle::Lower, q.view_mut().reversed_axes());
    let second = factor(self::square(q.view()), 0.25)?;
    let mut small = Array2::zeros((d, d));
    product(1.0, second.t(), upper.view(), 0.0, small.view_mut());
    let Svd { u, values, v } = match thin_svd(small.view()) {
        Ok(found) => found,
        Err(e) => return Some(Err(e)),
    };
    let mut turn = u;
    solve_in_place(second.t(), Triangle::Upper, turn.view_mut());
    in_place(&mut q, turn.view());
    Some(Ok(Svd { u: q, values: values * unit, v }))
}

/// `AᵀA`, in one pass on every core.
fn square(a: ArrayView2<f64>) -> Array2<f64> {
    let (n, d) = a.dim();
    let part = |rows: ArrayView2<f64>| {
        let mut sum = Array2::zeros((d, d));
        for block in rows.axis_chunks_iter(Axis(0), ROWS) {
            accumulate_lower_alone(block.t(), block, sum.view_mut());
        }
        sum
    };
    let parts: Vec<ArrayView2<f64>> = a.axis_chunks_iter(Axis(0), n.div_ceil(SUMS)).collect();
    let parts: Vec<Array2<f64>> = parts.into_par_iter().map(part).collect();
    let mut all = parts.iter().fold(Array2::zeros((d, d)), |all: Array2<f64>, part| all + part);
    mirror_lower(&mut all);
    all
}

/// The lower factor, if no pivot is below `least`.
fn factor(square: Array2<f64>, least: f64) -> Option<Array2<f64>> {
    let d = square.nrows();
    let mut l = square.into_raw_vec_and_offset().0;
    cholesky(&mut l, d).ok()?;
    let fine = (0..d).all(|j| l[j * d + j] * l[j * d + j] >= least);
    for i in 0..d {
        l[i * d + i + 1..(i + 1) * d].fill(0.0);
    }
    Array2::from_shape_vec((d, d), l).ok().filter(|_| fine)
}

/// `A ← A T`, a block of rows at a time.
fn in_place(a: &mut Array2<f64>, t: ArrayView2<f64>) {
    let each = |mut block: ArrayViewMut2<f64>| {
        let before = block.to_owned();
        crate::ops::product_alone(1.0, before.view(), t, block.slice_mut(s![.., ..]));
    };
    let blocks: Vec<ArrayViewMut2<f64>> = a.axis_chunks_iter_mut(Axis(0), ROWS).collect();
    blocks.into_par_iter().for_each(each);
}
