//! Classifiers and decisions: theorems, the numbers of the notes, scikit-learn and statsmodels, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod adapters;
mod bagging;
mod bayesian;
mod boosting;
mod calibration;
mod conjugate;
mod decisions;
mod densities;
mod discriminants;
mod generative_adapters;
mod geometry;
mod input;
mod links;
mod logistic;
mod many_rows;
mod multiclass;
mod naive_bayes;
mod neighbours;
mod perceptron;
mod text;

use support::oracle::{labels, matrix, vector};

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde_json::Value;

/// What `tests/oracle/classifiers.py` says.
fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracle/classifiers.json")).unwrap()
}

/// Two overlapping species of iris, and their labels.
fn two() -> (Array2<f64>, Vec<i64>) {
    let all = oracle();
    (matrix(&all["x2"]), labels(&all["y2"]))
}

/// Three species of iris, and their labels.
fn three() -> (Array2<f64>, Vec<i64>) {
    let all = oracle();
    (matrix(&all["x3"]), labels(&all["y3"]))
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{got} is not {want}");
}

#[track_caller]
fn close(got: ArrayView2<f64>, want: ArrayView2<f64>, tolerance: f64) {
    assert_eq!(got.dim(), want.dim());
    for ((i, j), w) in want.indexed_iter() {
        let off = (got[[i, j]] - w).abs();
        assert!(off <= tolerance * w.abs().max(1.0), "[{i}, {j}] is {} and should be {w}", got[[i, j]]);
    }
}

fn column(v: &Array1<f64>) -> Array2<f64> {
    v.clone().insert_axis(Axis(1))
}

/// The six points of the notes: x = 0..5 and their labels.
fn six() -> (Array2<f64>, [bool; 6]) {
    (Array2::from_shape_fn((6, 1), |(i, _)| i as f64), [false, false, true, false, true, true])
}

const XOR: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];

fn xor() -> (Array2<f64>, [bool; 4]) {
    (Array2::from_shape_fn((4, 2), |(i, j)| XOR[i][j]), [false, true, true, false])
}
