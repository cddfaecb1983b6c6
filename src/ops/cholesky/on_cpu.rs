//! The factor on the host, by halves.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltError, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::{MatMut, Par, Spec};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use crate::host::memory::room;
use crate::host::zero_upper;
use crate::ops::gemm::{add_lower, on_a_worker};
use crate::ops::solve_triangular::{Triangle, solve_in_place};

/// Rows that are factored in one go.
const BASE: usize = 128;

/// A pivot that is not positive: its index, and what is left of the diagonal entry.
pub(super) type Pivot = (usize, f64);

/// The factor of a copy of the lower triangle.
pub(super) fn factored(a: &Array2<f64>) -> Result<Array2<f64>, Pivot> {
    let mut l = room(a.nrows(), a.nrows());
    by_rows(&mut l, &|i, row| {
        row[..=i].iter_mut().zip(a.slice(ndarray::s![i, ..=i])).for_each(|(to, from)| *to = *from);
    });
    factored_in_place(l)
}

/// The factor in the memory of the matrix, of which the lower triangle is read.
pub(super) fn factored_in_place(mut a: Array2<f64>) -> Result<Array2<f64>, Pivot> {
    on_a_worker(a.len() * a.nrows() / 6, || by_halves(a.view_mut()))?;
    // What was there, and products of tiles that reach a little above the diagonal.
    by_rows(&mut a, &|i, row| row[i + 1..].fill(0.0));
    Ok(a)
}

fn by_rows(a: &mut Array2<f64>, f: &(dyn Fn(usize, &mut [f64]) + Sync)) {
    let n = a.ncols().max(1);
    let entries = a.as_slice_mut().expect("in row order");
    entries.par_chunks_mut(n).with_min_len(64).enumerate().for_each(|(i, row)| f(i, row));
}

/// `[L11 0; L21 L22]` of `[A11 .; A21 A22]`: `L11 L11^T = A11`, `L21 = A21 L11^-T`, `L22 L22^T = A22 - L21 L21^T`.
fn by_halves(mut a: ArrayViewMut2<f64>) -> Result<(), Pivot> {
    let n = a.nrows();
    if n <= BASE {
        return directly(a);
    }
    let half = (n / 2).next_multiple_of(BASE);
    let (upper, lower) = a.view_mut().split_at(Axis(0), half);
    let (mut a11, _) = upper.split_at(Axis(1), half);
    let (mut a21, mut a22) = lower.split_at(Axis(1), half);
    by_halves(a11.view_mut())?;
    solve_in_place(a11.view(), Triangle::Lower, a21.view_mut().reversed_axes());
    add_lower(-1.0, a21.view(), a21.t(), 1.0, a22.view_mut());
    by_halves(a22).map_err(|(pivot, left)| (half + pivot, left))
}

/// By faer, which likes columns. Where that fails the block is as it was.
fn directly(mut a: ArrayViewMut2<f64>) -> Result<(), Pivot> {
    let n = a.nrows();
    let columns = by_faer(a.view(), n).map_err(|pivot| (pivot, left_of(a.view(), pivot)))?;
    for (i, mut row) in a.rows_mut().into_iter().enumerate() {
        row.iter_mut().take(i + 1).enumerate().for_each(|(j, v)| *v = columns[j * n + i]);
    }
    Ok(())
}

/// The factor of the leading `n x n` block by columns, or the index of the pivot that failed.
fn by_faer(a: ArrayView2<f64>, n: usize) -> Result<Vec<f64>, usize> {
    let mut columns = vec![0.0; n * n];
    for (i, row) in a.rows().into_iter().enumerate().take(n) {
        row.iter().take(i + 1).enumerate().for_each(|(j, v)| columns[j * n + i] = *v);
    }
    let scratch = cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let done = zero_upper::restored(|| {
        let view = MatMut::from_column_major_slice_mut(&mut columns, n, n);
        let stack = MemStack::new(&mut memory);
        cholesky_in_place(view, LltRegularization::default(), Par::Seq, stack, Spec::default())
    });
    match done {
        Ok(_) => Ok(columns),
        Err(LltError::NonPositivePivot { index }) => Err(index),
    }
}

/// What is left of the diagonal entry `j` once the columns before it are eliminated.
fn left_of(a: ArrayView2<f64>, j: usize) -> f64 {
    let Ok(columns) = by_faer(a, j) else { return f64::NAN };
    let mut w = a.slice(ndarray::s![j, ..j]).to_owned();
    for i in 0..j {
        let dot: f64 = (0..i).map(|k| columns[k * j + i] * w[k]).sum();
        w[i] = (w[i] - dot) / columns[i * j + i];
    }
    a[[j, j]] - w.dot(&w)
}
