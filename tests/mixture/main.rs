//! Mixtures.

#[path = "../support/mod.rs"]
mod support;

mod bayesian;
mod devices;
mod discrete;
mod gaussian;
mod gaussian_input;
mod gaussian_theorems;
mod latent_class;
mod missing;
mod monotone;
mod regressions;
mod sample;

use support::oracle::{list, matrix as table, numbers as oracle};
use support::same;

use mercer::models::mixture::{Covariance, GaussianParams};
use ndarray::{Array1, Array2, Array3};

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
