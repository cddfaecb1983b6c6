//! Norms and products: of vectors, without overflow, and the 1-norm of a matrix that can only be applied: Hager's method with Higham's safeguard.
//!
//! `‖M‖₁ = max ‖Mx‖₁ over ‖x‖₁ = 1` is climbed from vertex to vertex of that ball, two or three products each.
//! It is a lower bound, and rarely off by more than a factor of three.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::Result;

const MOVES: usize = 5;

/// An estimate of `‖M‖₁` for a symmetric M from products with it.
pub(in crate::linalg) fn norm1(n: usize, apply: impl Fn(Array2<f64>) -> Result<Array2<f64>>) -> Result<f64> {
    let column = |v: Array1<f64>| apply(v.insert_axis(Axis(1))).map(|y| y.index_axis_move(Axis(1), 0));
    let size = |y: &Array1<f64>| y.iter().map(|v| v.abs()).sum::<f64>();
    let mut x = Array1::from_elem(n, 1.0 / n as f64);
    let mut best = 0f64;
    for _ in 0..MOVES {
        let y = column(x.clone())?;
        let now = size(&y);
        if now.is_nan() {
            return Ok(now);
        }
        if now <= best {
            break;
        }
        best = now;
        let slope = column(y.mapv(f64::signum))?;
        let steepest = (0..n).max_by(|&i, &j| slope[i].abs().total_cmp(&slope[j].abs())).unwrap_or(0);
        if slope[steepest].abs() <= slope.dot(&x) {
            break;
        }
        x = Array1::zeros(n);
        x[steepest] = 1.0;
    }
    // A vector that defeats the cancellations which the climb can be trapped by.
    let last = (n - 1).max(1) as f64;
    let rough = Array1::from_shape_fn(n, |i| {
        let size = 1.0 + i as f64 / last;
        if i % 2 == 0 { size } else { -size }
    });
    let other = 2.0 * size(&column(rough)?) / (3.0 * n as f64);
    Ok(if other.is_nan() { other } else { best.max(other) })
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
