//! Support vector machines, the quadratic programs behind them, and other methods of a kernel's function space: theorems,
//! numbers by hand, LIBSVM, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod blocks;
mod classify;
mod components;
mod components_device;
mod duality;
mod golden;
mod input;
mod oracle;
mod others;
mod perceptron;
mod quadratic;
mod relevance_classifier;
mod risk;
mod rows;
mod spectral;
mod stress;
mod validity;

use mercer::Device;
use ndarray::{Array2, array};

fn cpu() -> Device {
    Device::cpu()
}

/// The eight points of the notes.
fn eight() -> (Array2<f64>, Vec<i32>) {
    let x = array![
        [2.0, 2.0],
        [1.0, 3.0],
        [3.0, 0.5],
        [-1.0, -1.0],
        [-2.0, 0.0],
        [0.5, -0.5],
        [-0.5, 0.5],
        [0.5, 0.0]
    ];
    (x, vec![1, 1, 1, -1, -1, -1, 1, -1])
}

/// The coefficients a of all rows, from those of the support vectors.
fn alphas<L>(fitted: &mercer::models::kernel_methods::FittedSvm<L>, n: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    for (i, c) in fitted.support().iter().zip(fitted.dual_coefficients().column(0)) {
        all[*i] = c.abs();
    }
    all
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{what}: {got} instead of {want}");
}

#[track_caller]
fn all_near<'a>(got: impl IntoIterator<Item = &'a f64>, want: &[f64], tolerance: f64, what: &str) {
    let got: Vec<f64> = got.into_iter().copied().collect();
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        near(*g, *w, tolerance, &format!("{what}[{i}]"));
    }
}
