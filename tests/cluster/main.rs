//! Clusters without probabilities.

#[path = "../support/mod.rs"]
mod support;

mod devices;
mod dp_means;
mod kmeans;
mod kmeans_input;
mod kmedoids;

use support::oracle::{list, matrix as table, numbers as oracle};
use support::same;

use ndarray::Array2;

/// The notes' six points.
fn x1() -> Array2<f64> {
    ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.5]]
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
