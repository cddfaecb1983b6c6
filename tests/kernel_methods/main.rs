//! Kernel ridge regression, exactly and on landmarks, and features that stand for kernels: theorems, oracles, every
//! adapter, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod adapters;
mod cv;
mod device_memory;
mod falkon;
mod fourier;
mod input;
mod kernel_ridge;
mod memory;
mod nystrom;
mod oracle;
mod plan;
mod shifted;

use ndarray::{Array2, ArrayView2};

use support::random;

/// Inputs and a smooth target with some noise, two columns of it.
fn problem(n: usize, d: usize, seed: u64) -> (Array2<f64>, Array2<f64>) {
    let x = random(n, d, seed) * 2.0;
    let noise = random(n, 2, seed + 1000);
    let y = Array2::from_shape_fn((n, 2), |(i, t)| {
        let s: f64 = x.row(i).iter().enumerate().map(|(j, v)| ((t + j + 1) as f64 * v).sin()).sum();
        s + 0.1 * noise[[i, t]] + 0.5
    });
    (x, y)
}

/// The largest difference, relative to the largest entry of `want`.
#[track_caller]
fn close(got: ArrayView2<f64>, want: ArrayView2<f64>, tolerance: f64, what: &str) {
    assert_eq!(got.dim(), want.dim(), "{what}: shape");
    let scale = want.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let worst =
        (&got - &want).iter().fold(0f64, |m, v| if v.is_nan() { f64::NAN } else { m.max(v.abs()) }) / scale;
    // Written so that a NaN fails.
    assert!(worst <= tolerance, "{what}: off by {worst:e}");
}

/// The textbook solution of a small system.
fn solved(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let params = mercer::linalg::SpdParams::default();
    mercer::linalg::solve_spd(&mercer::Device::cpu(), a.view(), b.view(), &params).unwrap().x
}

/// How conjugate gradients went.
fn info<D>(fit: &mercer::models::kernel_methods::FittedFalkon<D>) -> &mercer::linalg::CgInfo {
    match fit.report() {
        mercer::linalg::SolveReport::Iterative(info) => info,
        other => panic!("{other:?}"),
    }
}
