//! Transformations of inputs, to be put in front of a model by [`Pipeline`](super::Pipeline).
//!
//! | transformation | of a row x | undone |
//! |---|---|---|
//! | [`Standardise`] | `(x - mean) / deviation`, by column | yes |
//! | [`MinMax`] | `(x - min) / (max - min)`, by column | yes |
//! | [`Whiten`] | `W (x - mean)`, of unit covariance: [`Whiten::new`] by principal axes, [`Whiten::zca`] as near to x as can be | yes, but for what has no variance |
//! | [`Polynomial`] | all monomials up to a degree | |
//! | [`Basis::gaussian`] | `exp(-(x_j - c)² / 2s²)` for centres c along each feature | |
//! | [`Basis::sigmoidal`] | `1 / (1 + exp(-(x_j - c) / s))` for centres c along each feature | |
//! | [`BiasColumn`] | `(1, x)` | yes |
//! | [`RandomLayer`] | `h(Vx + c)`, V and c drawn | |
//!
//! All are computed in f64 on the CPU, learn from inputs alone, and take weights. A column that is constant, and all of
//! them are if there is one row, is not divided by its deviation: [`FittedStandardise::constant`] and its like say which.
//! Checked in `tests/learn/preprocess.rs` against scikit-learn.

mod basis;
mod bias;
mod min_max;
mod polynomial;
mod random_layer;
mod standardise;
mod whiten;

pub use basis::{Basis, FittedBasis};
pub use bias::{BiasColumn, FittedBiasColumn};
pub use min_max::{FittedMinMax, MinMax};
pub use polynomial::{FittedPolynomial, Polynomial};
pub use random_layer::{FittedRandomLayer, RandomActivation, RandomLayer};
pub use standardise::{FittedStandardise, Standardise};
pub use whiten::{FittedWhiten, Whiten};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2};

use crate::Result;
use crate::check::numbers;

/// The rows that weigh something, and their weights: one, if none are given.
fn kept<'a>(x: ArrayView2<'a, f64>, w: Option<ArrayView1<f64>>) -> (CowArray<'a, f64, Ix2>, Array1<f64>) {
    let Some(w) = w else { return (x.into(), Array1::ones(x.nrows())) };
    let rows: Vec<usize> = (0..w.len()).filter(|&i| w[i] > 0.0).collect();
    (x.select(Axis(0), &rows).into(), w.select(Axis(0), &rows))
}

/// The least and the largest value of each column.
fn range(x: ArrayView2<f64>) -> (Array1<f64>, Array1<f64>) {
    let fold = |start: f64, f: fn(f64, f64) -> f64| x.map_axis(Axis(0), |c| c.fold(start, |m, v| f(m, *v)));
    (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max))
}

/// A result that has not overflowed.
fn bounded(op: &'static str, z: Array2<f64>) -> Result<Array2<f64>> {
    numbers(op, "the transformed x", z.view())?;
    Ok(z)
}
