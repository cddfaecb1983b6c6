//! Orthonormal bases, one vector a row: Gram-Schmidt, each projection made twice, dependent vectors left out.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

use crate::ops::{Trans, gemm, gemm_add};
use crate::{Matrix, Result};

/// What is left of a unit vector that depends on the others is below this.
const DEPENDENT: f64 = 1e-8;

/// An orthonormal basis of what the rows of `w` add to the span of the orthonormal rows of `v`: at most `w.nrows()`.
pub(in crate::linalg) fn extend(v: &Array2<f64>, mut w: Array2<f64>) -> Result<Array2<f64>> {
    let n = w.ncols();
    for mut row in w.rows_mut() {
        let length = row.dot(&row).sqrt();
        if length > 0.0 {
            row /= length;
        }
    }
    if v.nrows() > 0 {
        // The first pass for all of them at once, as matrix products.
        let (basis, block) = (Matrix::from_host(v.clone()), Matrix::from_host(w));
        let along = gemm(1.0, &block, Trans::No, &basis, Trans::Yes)?;
        w = gemm_add(-1.0, &along, Trans::No, &basis, Trans::No, 1.0, &block)?.to_array()?;
    }
    let mut out = Array2::zeros((w.nrows(), n));
    let mut kept = 0;
    for row in w.rows() {
        if let Some(new) = outside(row, &[v.view(), out.slice(s![..kept, ..])], DEPENDENT) {
            out.row_mut(kept).assign(&new);
            kept += 1;
        }
    }
    Ok(out.slice_move(s![..kept, ..]))
}

/// The unit vector along what `w` has outside of the span of the orthonormal rows of each basis; none if that is no longer
/// than `least`.
pub(crate) fn outside(w: ArrayView1<f64>, bases: &[ArrayView2<f64>], least: f64) -> Option<Array1<f64>> {
    let project = |w: Array1<f64>| bases.iter().fold(w, |w, basis| without(w, *basis));
    let once = unit(project(w.to_owned()), least)?;
    // Cancellation may have left rounding along what was removed; a unit vector loses nothing more to it.
    unit(project(once), 0.5)
}

/// `w` minus its projection on the rows of `basis`.
fn without(w: Array1<f64>, basis: ArrayView2<f64>) -> Array1<f64> {
    if basis.nrows() == 0 {
        return w;
    }
    let along = basis.dot(&w);
    w - along.dot(&basis)
}

fn unit(w: Array1<f64>, least: f64) -> Option<Array1<f64>> {
    let length = w.dot(&w).sqrt();
    // Written so that a NaN is left out.
    (length > least).then(|| w / length)
}

/// `‖v‖₂` of each row.
pub(in crate::linalg) fn lengths(rows: &Array2<f64>) -> Array1<f64> {
    rows.map_axis(Axis(1), |row: ArrayView1<f64>| row.dot(&row).sqrt())
}
