//! Gaussian process regression: theorems, scikit-learn's numbers, every adapter against the f64 answer, bad input.

#[path = "../support/mod.rs"]
mod support;

mod accuracy;
mod append;
mod budget;
mod device_bytes;
mod devices;
mod gradient;
mod hyper;
mod hyper_posterior;
mod input;
mod leave_one_out;
mod matrix_free;
mod matrix_free_cases;
mod matrix_free_gradient;
mod matrix_free_input;
mod mean;
mod oracle;
mod path;
mod reference;
mod sample;
mod sparse;
mod sparse_fit;
mod sparse_hard;
mod sparse_input;
mod sparse_joint;
mod sparse_oracle;
mod sparse_prior;
mod theorems;
mod vocabulary;

use mercer::{Device, Error, Kernel};
use ndarray::{Array2, ArrayView2, Axis};

use support::random;

/// The CPU and every adapter.
fn everywhere() -> impl Iterator<Item = Device> {
    std::iter::once(Device::cpu()).chain(support::adapters().cloned())
}

/// Inputs in [-3, 3)^d and a wave over them with a little noise.
fn data(n: usize, d: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let x = random(n, d, seed) * 3.0;
    let noise = random(n, 1, seed + 1) * 0.2;
    let y = x.map_axis(Axis(1), |r| (1.3 * r[0]).sin() + 0.2 * r.sum()).insert_axis(Axis(1)) + noise;
    (x, y)
}

/// `k(x, y)` by the definition.
fn gram(kernel: &Kernel, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        kernel.value(x.row(i).as_slice().unwrap(), y.row(j).as_slice().unwrap()).unwrap()
    })
}

#[track_caller]
fn close(
    got: impl IntoIterator<Item = f64>,
    want: impl IntoIterator<Item = f64>,
    tolerance: f64,
    what: &str,
) {
    let (got, want): (Vec<f64>, Vec<f64>) = (got.into_iter().collect(), want.into_iter().collect());
    assert_eq!(got.len(), want.len(), "{what}: length");
    let scale = want.iter().fold(f64::MIN_POSITIVE, |s, v| s.max(v.abs()));
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        // Written so that a NaN fails.
        let off = (g - w).abs() / scale;
        assert!(off <= tolerance, "{what}: [{i}] is {g} and should be {w} ({off:e} of the scale)");
    }
}

fn indefinite(e: &Error) -> bool {
    matches!(e, Error::NotPositiveDefinite { .. })
}
