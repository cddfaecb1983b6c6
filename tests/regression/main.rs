//! Regression: losses and risks, least squares with its inference, sparse, robust and generalised models.

#![allow(clippy::unreadable_literal, reason = "as the notes and the oracles print them")]
#![allow(clippy::approx_constant, reason = "goldens are what they are")]

#[path = "../support/mod.rs"]
mod support;

mod augment;
mod bias_variance;
mod elastic_net;
mod glm;
mod glm_adapters;
mod huber;
mod importance;
mod input;
mod least_squares;
mod loss;
mod quantile;
mod risk;
mod stratified;

use support::oracle::{matrix, vector};

use ndarray::{Array1, Array2, array};
use serde_json::Value;

/// What `tests/oracle/regression.py` wrote.
fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracle/regression.json")).unwrap()
}

/// Every entry within `tolerance` of the largest entry of `want`, or of one if that is more.
#[track_caller]
fn near<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (got, want): (Vec<f64>, Vec<f64>) =
        (got.into_iter().copied().collect(), want.into_iter().copied().collect());
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(1f64, |m, v| m.max(v.abs()));
    for (g, w) in got.iter().zip(&want) {
        assert!((g - w).abs() <= tolerance * scale, "{what}: {got:?} should be {want:?}");
    }
}

/// The five rows of ref:D.
fn five() -> (Array2<f64>, Array1<f64>) {
    (array![[1.0, 2.0], [2.0, 0.0], [3.0, 1.0], [4.0, 3.0], [5.0, -1.0]], array![3.0, 2.0, 4.0, 8.0, 3.0])
}

/// `x_n` = 0.05, 0.15, ..., 0.95 and its targets.
fn sin10() -> (Array2<f64>, Array1<f64>) {
    let x = Array2::from_shape_fn((10, 1), |(i, _)| 0.05 + 0.1 * i as f64);
    (x, array![0.509, 0.409, 1.1, 1.109, 0.109, 0.191, -1.109, -0.95, -0.559, -0.659])
}

/// 1, x, ..., x^M.
fn monomials(x: &Array2<f64>, order: usize) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), order + 1), |(i, j)| std::iter::repeat_n(x[[i, 0]], j).product())
}
