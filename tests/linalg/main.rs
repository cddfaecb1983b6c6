//! What is composed of verbs, against theorems, textbook definitions and the f64 answer, on every adapter.

#[path = "../support/mod.rs"]
mod support;

mod cg;
mod crossings;
mod double_double;
mod eigen;
mod input;
mod inverse;
mod lanczos_log_det;
mod low_rank;
mod preconditioner;
mod small_noise;
mod spd;
mod spd_grown;
mod spd_kernel;

use mercer::Device;
use mercer::linalg::eigh;
use ndarray::{Array1, Array2};

use support::{adapters, random};

/// The CPU and every adapter.
fn everywhere() -> impl Iterator<Item = Device> {
    std::iter::once(Device::cpu()).chain(adapters().cloned())
}

/// A random orthogonal matrix.
fn orthogonal(n: usize, seed: u64) -> Array2<f64> {
    let a = random(n, n, seed);
    eigh((&a + &a.t()).view()).unwrap().vectors
}

/// A symmetric matrix with these eigenvalues, exactly symmetric.
fn with_spectrum(values: &Array1<f64>, seed: u64) -> Array2<f64> {
    let q = orthogonal(values.len(), seed);
    let a = (&q * values).dot(&q.t());
    (&a + &a.t()) * 0.5
}

/// Eigenvalues from 1 down to `1 / condition`, evenly on a logarithmic scale.
fn conditioned(n: usize, condition: f64, seed: u64) -> Array2<f64> {
    with_spectrum(&Array1::from_shape_fn(n, |i| condition.powf(-(i as f64) / (n - 1) as f64)), seed)
}

/// The textbook solution in f64: Cholesky, forwards, backwards.
fn textbook(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for j in 0..n {
        let row: f64 = (0..j).map(|k| l[[j, k]] * l[[j, k]]).sum();
        l[[j, j]] = (a[[j, j]] - row).sqrt();
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum();
            l[[i, j]] = (a[[i, j]] - dot) / l[[j, j]];
        }
    }
    let mut x = b.clone();
    for c in 0..b.ncols() {
        for i in 0..n {
            let dot: f64 = (0..i).map(|k| l[[i, k]] * x[[k, c]]).sum();
            x[[i, c]] = (x[[i, c]] - dot) / l[[i, i]];
        }
        for i in (0..n).rev() {
            let dot: f64 = (i + 1..n).map(|k| l[[k, i]] * x[[k, c]]).sum();
            x[[i, c]] = (x[[i, c]] - dot) / l[[i, i]];
        }
    }
    x
}

fn norm(a: &Array2<f64>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// `‖got - want‖ / ‖want‖`.
fn relative(got: &Array2<f64>, want: &Array2<f64>) -> f64 {
    norm(&(got - want)) / norm(want)
}
