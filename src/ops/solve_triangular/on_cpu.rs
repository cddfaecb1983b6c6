//! Substitution on the host, by halves.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::Triangle;
#[cfg(target_arch = "x86_64")]
use crate::host::product::x86;
use crate::host::zero_upper;
use crate::ops::gemm::product;

/// Rows that are solved in one go, and columns that a thread takes with them.
const BASE: usize = 64;
const COLS: usize = 128;

/// `x = t⁻¹ x`; what is in the other triangle does not matter.
///
/// `[T11 0; T21 T22] X = B` is `T11 X1 = B1` and `T22 X2 = B2 - T21 X1`: the flops are in the product.
pub(crate) fn solve_in_place(t: ArrayView2<f64>, triangle: Triangle, mut x: ArrayViewMut2<f64>) {
    let (n, cols) = x.dim();
    if cols < 16 {
        // Reading the matrix is the work, and once is enough.
        let par = if n * n * cols < 100_000 { Par::Seq } else { Par::rayon(0) };
        return zero_upper::restored(|| directly(t, triangle, x, par));
    }
    #[cfg(target_arch = "x86_64")]
    if n <= x86::MOST && x86::suits() {
        return x86::substitute(t, triangle == Triangle::Lower, x);
    }
    if n <= BASE {
        let chunks: Vec<ArrayViewMut2<f64>> = x.axis_chunks_iter_mut(Axis(1), COLS).collect();
        return chunks.into_par_iter().for_each(|x| zero_upper::restored(|| by_columns(t, triangle, x)));
    }
    let half = (n / 2).next_multiple_of(BASE);
    let (mut upper, mut lower) = x.view_mut().split_at(Axis(0), half);
    let (t11, t22) = (t.slice(s![..half, ..half]), t.slice(s![half.., half..]));
    if triangle == Triangle::Lower {
        solve_in_place(t11, triangle, upper.view_mut());
        product(-1.0, t.slice(s![half.., ..half]), upper.view(), 1.0, lower.view_mut());
        solve_in_place(t22, triangle, lower);
    } else {
        solve_in_place(t22, triangle, lower.view_mut());
        product(-1.0, t.slice(s![..half, half..]), lower.view(), 1.0, upper.view_mut());
        solve_in_place(t11, triangle, upper);
    }
}

/// By faer, which likes columns: rows are turned before and after.
fn by_columns(t: ArrayView2<f64>, triangle: Triangle, mut x: ArrayViewMut2<f64>) {
    if x.strides()[0] == 1 {
        return directly(t, triangle, x, Par::Seq);
    }
    let mut turned = Array2::zeros((x.ncols(), x.nrows())).reversed_axes();
    turned.assign(&x);
    directly(t, triangle, turned.view_mut(), Par::Seq);
    x.assign(&turned);
}

fn directly(t: ArrayView2<f64>, triangle: Triangle, mut x: ArrayViewMut2<f64>, par: Par) {
    let ((n, cols), [x_rows, x_cols]) = (x.dim(), [x.strides()[0], x.strides()[1]]);
    // SAFETY: pointers, shapes and strides describe live arrays, and the borrow of `x` is exclusive.
    let (t, x) = unsafe {
        (
            MatRef::from_raw_parts(t.as_ptr(), n, n, t.strides()[0], t.strides()[1]),
            MatMut::from_raw_parts_mut(x.as_mut_ptr(), n, cols, x_rows, x_cols),
        )
    };
    if triangle == Triangle::Lower {
        solve_lower_triangular_in_place(t, x, par);
    } else {
        solve_upper_triangular_in_place(t, x, par);
    }
}
