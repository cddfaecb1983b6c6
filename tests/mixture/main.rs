//! Mixtures.

#[path = "../support/mod.rs"]
mod support;

mod bayesian;
mod devices;
mod discrete;
mod gaussian;
mod gaussian_input;
mod gaussian_theorems;
mod missing;
mod monotone;
mod regressions;
mod sample;

use std::path::Path;

use mercer::models::mixture::{Covariance, GaussianParams};
use ndarray::{Array1, Array2, Array3};
use serde_json::Value;

/// What a script in `tests/oracle` has left.
fn oracle(stem: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle").join(format!("{stem}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn table(v: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(list).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

/// `|got - want| <= tolerance (1 + |want|)`, entry by entry.
#[track_caller]
fn same<'a>(
    got: impl IntoIterator<Item = &'a f64>,
    want: impl IntoIterator<Item = &'a f64>,
    tolerance: f64,
    what: &str,
) {
    let (got, want): (Vec<_>, Vec<_>) = (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        assert!(
            (**g - **w).abs() <= tolerance * (1.0 + w.abs()),
            "{what}: entry {i} is {g} and should be {w}"
        );
    }
}

/// The covariances, one after the other.
fn flat(c: &Covariance) -> Vec<f64> {
    match c {
        Covariance::Full(a) => a.iter().copied().collect(),
        Covariance::Tied(a) | Covariance::Diagonal(a) => a.iter().copied().collect(),
        Covariance::Spherical(a) => a.to_vec(),
    }
}

/// The notes' six points.
fn x1() -> Array2<f64> {
    ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.5]]
}

/// A start for two components in one dimension.
fn pair(means: [f64; 2], variance: f64) -> GaussianParams {
    GaussianParams {
        weights: Array1::from_elem(2, 0.5),
        means: ndarray::array![[means[0]], [means[1]]],
        covariance: Covariance::Full(Array3::from_elem((2, 1, 1), variance)),
    }
}

/// Three clouds of different shapes, `n x d`.
fn clouds(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let noise = support::random(n, d, seed);
    Array2::from_shape_fn((n, d), |(i, j)| {
        let k = i % 3;
        let turn = if j > 0 { 0.5 * noise[[i, j - 1]] } else { 0.0 };
        (noise[[i, j]] + turn) * (0.5 + 0.4 * k as f64) + 1.5 * ((k * (j + 2)) % 5) as f64
    })
}
