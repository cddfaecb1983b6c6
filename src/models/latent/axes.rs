//! Orthonormal axes: completed where data gives no direction, with signs that do not depend on the algorithm.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

use crate::linalg::outside;

/// What is left of a unit vector that depends on the others is below this.
const DEPENDENT: f64 = 1e-6;

/// Rows made orthonormal in their order. A row that adds no direction of its own is replaced by the first unit vectors
/// that do, so `k <= d` rows always come out as k.
pub(super) fn orthonormal(rows: ArrayView2<f64>) -> Array2<f64> {
    let (k, d) = rows.dim();
    let mut out = Array2::zeros((k, d));
    let mut spare = 0;
    for i in 0..k {
        let mut found = rest(rows.row(i), out.slice(s![..i, ..]));
        while found.is_none() && spare < d {
            let mut unit = Array1::zeros(d);
            unit[spare] = 1.0;
            spare += 1;
            found = rest(unit.view(), out.slice(s![..i, ..]));
        }
        if let Some(row) = found {
            out.row_mut(i).assign(&row);
        }
    }
    out
}

/// The unit vector along what `w` has outside of the span of `done`.
fn rest(w: ArrayView1<f64>, done: ArrayView2<f64>) -> Option<Array1<f64>> {
    outside(outside(w, &[], 0.0)?.view(), &[done], DEPENDENT)
}

/// Rows turned so that the entry largest in size is positive: the first of those that tie but for rounding.
pub(super) fn fix_signs(rows: &mut Array2<f64>) {
    for mut row in rows.rows_mut() {
        if sign(row.view()) < 0.0 {
            row *= -1.0;
        }
    }
}

/// The sign of the entry that decides.
pub(super) fn sign(row: ArrayView1<f64>) -> f64 {
    let largest = row.iter().fold(0f64, |m, v| m.max(v.abs()));
    // Antisymmetric vectors have two largest entries, and rounding must not choose between them.
    row.iter().find(|v| v.abs() >= largest * (1.0 - 1e-9)).map_or(1.0, |v| v.signum())
}
