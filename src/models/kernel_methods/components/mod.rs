//! Directions and coordinates of a feature space. Checked in `tests/svm/components.rs` against scikit-learn and the notes.

mod centring;
mod kernel_pca;
mod leading;
mod pre_image;
mod scaling;

pub use centring::centred_rows;
pub use kernel_pca::{FittedKernelPca, KernelPca};
pub use scaling::{ClassicalScaling, classical_scaling};

use ndarray::{Array1, Array2, ArrayView1};
use rayon::prelude::*;

/// `H K H` in place, and the means of the rows and of all of K.
fn centred(k: &mut Array2<f64>) -> (Array1<f64>, f64) {
    let n = k.nrows() as f64;
    let rows = k.sum_axis(ndarray::Axis(1)) / n;
    let mean = rows.sum() / n;
    let each: Vec<_> = k.rows_mut().into_iter().zip(&rows).collect();
    each.into_par_iter().for_each(|(mut row, own)| {
        ndarray::Zip::from(&mut row).and(&rows).for_each(|v, other| *v += mean - own - other);
    });
    (rows, mean)
}

/// The vector turned so that its largest entry is positive, the first of those that tie but for rounding.
fn turned(v: ArrayView1<f64>) -> Array1<f64> {
    let largest = v.iter().fold(0f64, |m, v| m.max(v.abs()));
    let sign = v.iter().find(|v| v.abs() >= largest * (1.0 - 1e-9)).map_or(1.0, |v| v.signum());
    sign * &v
}
