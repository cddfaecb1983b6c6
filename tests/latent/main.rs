//! Latent linear models: theorems, scikit-learn's numbers, every adapter, bad input.
#![allow(clippy::unreadable_literal)] // digits are those of the specification

#[path = "../support/mod.rs"]
mod support;

mod devices;
mod factor_analysis;
mod ica;
mod input;
mod mixture;
mod moments;
mod oracle;
mod pca;
mod ppca;
mod ppca_missing;
mod svd;

use mercer::linalg::eigh;
use ndarray::{Array1, Array2, ArrayView2, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The six points of the specification's examples.
fn six() -> Array2<f64> {
    array![
        [2.0, 0.0, 1.0],
        [0.0, 1.0, -1.0],
        [-1.0, -1.0, 0.0],
        [1.0, 2.0, 2.0],
        [-2.0, -1.0, -1.0],
        [0.0, -1.0, -1.0]
    ]
}

fn normal(rows: usize, cols: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, cols), || StandardNormal.sample(&mut rng))
}

/// `n` rows around a k-dimensional subspace of d dimensions, away from the origin.
fn near_subspace(n: usize, d: usize, k: usize, noise: f64, seed: u64) -> Array2<f64> {
    let scales = Array1::from_shape_fn(k, |j| 1.0 + j as f64);
    let signal = (normal(n, k, seed) * &scales).dot(&normal(k, d, seed + 1));
    signal + normal(n, d, seed + 2) * noise + Array1::from_shape_fn(d, |j| j as f64 - 2.0)
}

/// `log N(x; mean, C)` by the textbook: eigenvalues of C, nothing saved.
fn gaussian(x: ArrayView2<f64>, mean: &Array1<f64>, c: &Array2<f64>) -> Array1<f64> {
    let e = eigh(c.view()).unwrap();
    let along = (&x - mean).dot(&e.vectors);
    let quadratic = (&along * &along / &e.values).sum_axis(ndarray::Axis(1));
    let constant = e.values.mapv(f64::ln).sum() + mean.len() as f64 * (2.0 * std::f64::consts::PI).ln();
    (quadratic + constant) * -0.5
}

/// The covariance over n, by plain loops.
fn covariance(x: &Array2<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    let mean: Vec<f64> = (0..d).map(|j| x.column(j).sum() / n as f64).collect();
    Array2::from_shape_fn((d, d), |(a, b)| {
        (0..n).map(|i| (x[[i, a]] - mean[a]) * (x[[i, b]] - mean[b])).sum::<f64>() / n as f64
    })
}

#[track_caller]
fn close(got: &Array2<f64>, want: &Array2<f64>, tolerance: f64, what: &str) {
    assert_eq!(got.dim(), want.dim(), "{what}: shape");
    let scale = want.iter().fold(0f64, |s, v| s.max(v.abs())).max(f64::MIN_POSITIVE);
    for ((i, j), w) in want.indexed_iter() {
        let off = (got[[i, j]] - w).abs() / scale;
        assert!(off <= tolerance, "{what}: [{i}, {j}] is {} and should be {w} ({off:e})", got[[i, j]]);
    }
}

#[track_caller]
fn close1(got: &Array1<f64>, want: &Array1<f64>, tolerance: f64, what: &str) {
    let column = |a: &Array1<f64>| a.clone().insert_axis(ndarray::Axis(1));
    close(&column(got), &column(want), tolerance, what);
}

/// The objective never falls, but for rounding.
#[track_caller]
fn rises(trace: &[f64], what: &str) {
    assert!(trace.len() > 2, "{what}: a trace of {} says nothing", trace.len());
    for (i, w) in trace.windows(2).enumerate() {
        assert!(w[1] >= w[0] - 1e-10 * w[0].abs(), "{what}: {} then {} at {i}", w[0], w[1]);
    }
}
