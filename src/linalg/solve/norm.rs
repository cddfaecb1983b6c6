//! Norms and products: of vectors, without overflow, and the 1-norm of a matrix that can only be applied: Hager's method in blocks, as Higham and Tisseur have it.
//!
//! `‖M‖₁ = max ‖Mx‖₁ over ‖x‖₁ = 1`: from a few columns inside that ball one climbs to its steepest vertices. It is a lower bound, and
//! rarely off by more than a factor of three.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::Result;

/// Columns that climb together.
const COLUMNS: usize = 4;

/// An estimate of `‖M‖₁` for a symmetric M from three products with a few columns.
pub(in crate::linalg) fn norm1(n: usize, apply: impl Fn(Array2<f64>) -> Result<Array2<f64>>) -> Result<f64> {
    let lengths = |y: &Array2<f64>| y.map_axis(Axis(0), |column| column.iter().map(|v| v.abs()).sum::<f64>());
    // NaN wins: a norm that is not a number is no norm.
    let longest = |y: &Array2<f64>| {
        lengths(y).iter().fold(0f64, |m, &v| if m.is_nan() || v.is_nan() { f64::NAN } else { m.max(v) })
    };
    if n <= COLUMNS {
        return Ok(longest(&apply(Array2::eye(n))?));
    }
    let first = apply(starts(n))?;
    let flat = longest(&first);
    if flat.is_nan() {
        return Ok(flat);
    }
    // The slope of `‖Mx‖₁` along each vertex, the steepest of all columns.
    let slopes = apply(first.mapv(f64::signum))?.map_axis(Axis(1), largest);
    let mut order: Vec<usize> = (0..n).collect();
    order.select_nth_unstable_by(COLUMNS - 1, |&i, &j| slopes[j].total_cmp(&slopes[i]));
    let mut vertices = Array2::zeros((n, COLUMNS));
    (0..COLUMNS).for_each(|c| vertices[[order[c], c]] = 1.0);
    let sharp = longest(&apply(vertices)?);
    Ok(if sharp.is_nan() { sharp } else { flat.max(sharp) })
}

/// Columns of 1-norm one to begin with: the middle of the ball, a vector that defeats the cancellations which a climb
/// can be trapped by, and signs that follow no pattern.
fn starts(n: usize) -> Array2<f64> {
    let last = (n - 1) as f64;
    let mut x = Array2::from_shape_fn((n, COLUMNS), |(i, c)| match c {
        0 => 1.0,
        1 => (1.0 + i as f64 / last) * if i % 2 == 0 { 1.0 } else { -1.0 },
        // Bits of the golden ratio's multiples.
        _ => {
            if (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (61 - c) & 1 == 0 {
                1.0
            } else {
                -1.0
            }
        }
    });
    for mut column in x.columns_mut() {
        let size: f64 = column.iter().map(|v| v.abs()).sum();
        column /= size;
    }
    x
}

/// `‖v‖∞`.
pub(in crate::linalg) fn largest(v: ArrayView1<f64>) -> f64 {
    v.iter().fold(0f64, |s, x| s.max(x.abs()))
}

/// `‖diag(s) v‖∞`.
pub(in crate::linalg) fn largest_by(v: ArrayView1<f64>, s: Option<&Array1<f64>>) -> f64 {
    match s {
        None => largest(v),
        Some(s) => v.iter().zip(s).fold(0f64, |m, (x, s)| m.max((x * s).abs())),
    }
}

/// `‖v‖₂`.
pub(in crate::linalg) fn length(v: ArrayView1<f64>) -> f64 {
    let unit = largest(v);
    if unit > 0.0 { unit * v.iter().map(|x| (x / unit).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
}

/// The product of each column of `a` with that of `b`.
pub(crate) fn dots(a: &Array2<f64>, b: &Array2<f64>) -> Array1<f64> {
    (a * b).sum_axis(Axis(0))
}
