//! Networks: theorems, finite differences, numbers of a reference in Python, bad input.

#![allow(clippy::unreadable_literal, reason = "as the notes print them")]

#[path = "../support/mod.rs"]
mod support;

mod activations;
mod adversarial;
mod autoencoder;
mod backward;
mod bayesian;
mod c2st;
mod classifier;
mod complex_step;
mod devices;
mod dictionary;
mod elbo;
mod flow;
mod gan;
mod input;
mod layers;
mod losses;
mod nmf;
mod oracle;
mod regressor;
mod sklearn;
mod sparse_devices;
mod symmetries;
mod transfer;
mod vae;
mod wide;

use mercer::prelude::*;
use ndarray::Array2;

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    // Written so that a NaN fails.
    assert!((got - want).abs() <= tolerance, "{got} and should be {want}");
}

/// Central differences of a function of a vector.
fn slopes(at: &[f64], h: f64, mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let one = |i: usize| {
        let (mut up, mut down) = (at.to_vec(), at.to_vec());
        up[i] += h;
        down[i] -= h;
        (f(&up) - f(&down)) / (2.0 * h)
    };
    (0..at.len()).map(one).collect()
}

#[track_caller]
fn all_near(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{what}: {i} is {g} and should be {w}");
    }
}

/// Parameters that are no zeros.
fn parameters(net: &Network, seed: u64) -> Vec<f64> {
    support::random(1, net.parameters(), seed).iter().map(|v| 0.8 * v).collect()
}

fn flat(a: &Array2<f64>) -> Vec<f64> {
    a.iter().copied().collect()
}
