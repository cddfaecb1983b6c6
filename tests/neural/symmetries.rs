//! Weights that give the same function, and what networks can express.

use mercer::prelude::*;

use crate::support::random;
use crate::{all_near, flat, near, parameters};

#[test]
fn hidden_units_may_trade_places_and_signs() {
    let net = Network::mlp(2, &[3], 2, Activation::Tanh).unwrap();
    let (w, x) = (parameters(&net, 1), random(7, 2, 2));
    let y = flat(&net.forward(&w, &x).unwrap());
    let mut swapped = w.clone();
    for d in 0..2 {
        swapped.swap(d, 4 + d); // weights to units 0 and 2
    }
    swapped.swap(6, 8); // their biases
    for k in 0..2 {
        swapped.swap(9 + 3 * k, 9 + 3 * k + 2); // weights from them
    }
    all_near(&flat(&net.forward(&swapped, &x).unwrap()), &y, 1e-15, "permuted");
    let mut flipped = w.clone();
    for at in [2, 3, 7, 10, 13] {
        flipped[at] = -flipped[at]; // all that touches unit 1
    }
    all_near(&flat(&net.forward(&flipped, &x).unwrap()), &y, 1e-15, "sign");
    near(log_symmetries(3, true), (6f64 * 8.0).ln(), 1e-12);
    near(log_symmetries(4, false), 24f64.ln(), 1e-12);
}

/// What starts equal stays equal: the reason for random starts.
#[test]
fn equal_units_have_equal_gradients() {
    let net = Network::mlp(2, &[2], 1, Activation::Tanh).unwrap();
    let w = [0.3, -0.2, 0.3, -0.2, 0.1, 0.1, 0.5, 0.5, 0.0];
    let tape = net.record(&w, random(5, 2, 3), None).unwrap();
    let g = net.backward(&w, &tape, random(5, 1, 4)).unwrap().parameters;
    assert_eq!((g[0], g[1], g[4], g[6]), (g[2], g[3], g[5], g[7]));
}

#[test]
fn one_hidden_layer_has_at_most_width_plus_one_pieces() {
    let net = Network::mlp(1, &[6], 1, Activation::Relu).unwrap();
    let mut most = 0;
    for seed in 0..10 {
        let pieces = count_pieces(&net, &parameters(&net, seed), -4.0, 4.0, 40_000).unwrap();
        assert!(pieces <= 7, "{pieces}");
        most = most.max(pieces);
    }
    assert!(most > 3);
    // Kinks at 0, 1, 2 with slopes that all differ.
    let three = Network::mlp(1, &[3], 1, Activation::Relu).unwrap();
    let w = [1.0, 1.0, 1.0, 0.0, -1.0, -2.0, 1.0, -3.0, 2.5, 0.0];
    assert_eq!(count_pieces(&three, &w, -1.0, 3.0, 1001).unwrap(), 4);
}

#[test]
fn at_equal_parameters_the_count_grows_with_depth() {
    // width² depth = 1600 in both.
    near(approximate_parameters(40, 1).unwrap(), approximate_parameters(20, 4).unwrap(), 0.0);
    assert!(log_regions(20, 4, 3).unwrap() > log_regions(40, 1, 3).unwrap());
    near(log_regions(3, 2, 2).unwrap(), 81f64.ln(), 1e-12);
    assert!(log_regions(0, 1, 1).is_err());
}

/// Counts beyond those of a machine word are numbers; intervals that are none are refused.
#[test]
fn large_counts_and_bad_intervals() {
    near(approximate_parameters(1 << 32, 1).unwrap(), 2f64.powi(64), 1e-12);
    near(log_regions(2, usize::MAX, 2).unwrap() / 2f64.powi(65), 2f64.ln(), 1e-12);
    let net = Network::mlp(1, &[2], 1, Activation::Relu).unwrap();
    let w = parameters(&net, 1);
    assert!(
        count_pieces(&net, &w, 1.0, 1.0, 10).is_err() && count_pieces(&net, &w, 0.0, f64::NAN, 10).is_err()
    );
    assert!(count_pieces(&net, &w, 0.0, 1.0, usize::MAX).is_err());
}
