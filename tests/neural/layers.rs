//! What layers compute.

use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::{all_near, flat, near, parameters};

#[test]
fn two_layers_by_their_formula() {
    let net = Network::mlp(3, &[4], 2, Activation::Tanh).unwrap();
    let (w, x) = (parameters(&net, 1), random(5, 3, 2));
    let y = net.forward(&w, &x).unwrap();
    for n in 0..5 {
        let z: Vec<f64> = (0..4)
            .map(|m| ((0..3).map(|d| w[m * 3 + d] * x[[n, d]]).sum::<f64>() + w[12 + m]).tanh())
            .collect();
        for k in 0..2 {
            near(y[[n, k]], (0..4).map(|m| w[16 + k * 4 + m] * z[m]).sum::<f64>() + w[24 + k], 1e-14);
        }
    }
    assert_eq!(net.parameters(), 26);
    let mut zero = w.clone();
    zero[..16].fill(0.0);
    let y = net.forward(&zero, &x).unwrap();
    (0..5).for_each(|n| near(y[[n, 0]], w[24], 1e-15));
}

#[test]
fn deep_networks_chain_and_count() {
    let net = Network::mlp(3, &[5, 4], 2, Activation::Relu).unwrap();
    assert_eq!(net.parameters(), 3 * 5 + 5 + 5 * 4 + 4 + 4 * 2 + 2);
    let (w, x) = (parameters(&net, 3), random(6, 3, 4));
    let lower = Network::mlp(3, &[5], 4, Activation::Relu)
        .unwrap()
        .then(Layer::activate(4, Activation::Relu))
        .unwrap();
    let upper = Network::mlp(4, &[], 2, Activation::Relu).unwrap();
    let (a, b) = w.split_at(lower.parameters());
    let want = upper.forward(b, lower.forward(a, &x).unwrap()).unwrap();
    all_near(&flat(&net.forward(&w, &x).unwrap()), &flat(&want), 0.0, "in two parts");
}

#[test]
fn identity_units_collapse_to_one_matrix() {
    let net = Network::mlp(3, &[4, 4], 2, Activation::Identity).unwrap();
    let w = parameters(&net, 5);
    let f = |x: Array2<f64>| net.forward(&w, x).unwrap();
    let (a, b) = (random(1, 3, 6), random(1, 3, 7));
    let zero = f(Array2::zeros((1, 3)));
    let linear = f(&a * 2.0 + &b * 3.0) - &zero;
    all_near(&flat(&linear), &flat(&((f(a) - &zero) * 2.0 + (f(b) - &zero) * 3.0)), 1e-12, "linear");
}

#[test]
fn skip_connections_add_a_direct_path() {
    let (deep, direct) = (
        Network::mlp(2, &[3], 1, Activation::Tanh).unwrap(),
        Network::new(vec![Layer::linear(2, 1)]).unwrap(),
    );
    let net = Network::new(vec![Layer::sum(vec![deep.clone(), direct])]).unwrap();
    let (w, x) = (parameters(&net, 8), random(4, 2, 9));
    let (own, skip) = w.split_at(deep.parameters());
    let want = deep.forward(own, &x).unwrap() + x.dot(&array![[skip[0]], [skip[1]]]);
    all_near(&flat(&net.forward(&w, &x).unwrap()), &flat(&want), 1e-14, "skip");
    let residual =
        Network::new(vec![Layer::residual(Network::mlp(2, &[3], 2, Activation::Tanh).unwrap())]).unwrap();
    let zeros = vec![0.0; residual.parameters()];
    all_near(&flat(&residual.forward(&zeros, &x).unwrap()), &flat(&x), 0.0, "residual");
}

/// Small first weights keep tanh linear, large second ones undo them: a hidden unit can be a skip connection.
#[test]
fn a_sigmoidal_unit_mimics_a_skip_connection() {
    let net = Network::mlp(1, &[1], 1, Activation::Tanh).unwrap();
    let x = random(10, 1, 10);
    let error = |s: f64| {
        let y = net.forward(&[s, 0.0, 1.0 / s, 0.0], &x).unwrap();
        (&y - &x).iter().fold(0f64, |m, v| m.max(v.abs()))
    };
    assert!(error(1e-3) < 1e-6 && error(1e-1) > error(1e-2));
}

#[test]
fn a_masked_weight_is_a_missing_edge() {
    let mask = array![[true, false, true], [false, true, true]];
    let net = Network::new(vec![Layer::sparse(&mask)]).unwrap();
    let (w, x) = (parameters(&net, 11), random(4, 3, 12));
    let y = net.forward(&w, &x).unwrap();
    (0..4).for_each(|n| near(y[[n, 0]], w[0] * x[[n, 0]] + w[2] * x[[n, 2]] + w[6], 1e-15));
    let tape = net.record(&w, &x, None).unwrap();
    let g = net.backward(&w, &tape, random(4, 2, 13)).unwrap().parameters;
    assert_eq!((g[1], g[3]), (0.0, 0.0));
    let initial = net.initial(1);
    assert!(initial[1] == 0.0 && initial[3] == 0.0 && initial[0] != 0.0);
}

#[test]
fn dropout_keeps_the_mean_and_is_off_afterwards() {
    let net = Network::new(vec![Layer::dropout(50, 0.3)]).unwrap();
    let x = Array2::<f64>::ones((200, 50));
    assert_eq!(net.forward(&[], &x).unwrap(), x);
    let tape = net.record(&[], &x, Some(1)).unwrap();
    let y = tape.output();
    near(y.mean().unwrap(), 1.0, 0.02);
    assert!(y.iter().all(|v| *v == 0.0 || (*v - 1.0 / 0.7).abs() < 1e-15));
    near(y.iter().filter(|v| **v == 0.0).count() as f64 / 1e4, 0.3, 0.02);
    assert_eq!(net.record(&[], &x, Some(1)).unwrap().output(), y, "the seed decides");
    assert_ne!(net.record(&[], &x, Some(2)).unwrap().output(), y);
    let none = Network::new(vec![Layer::dropout(50, 0.0)]).unwrap();
    assert_eq!(none.record(&[], &x, Some(1)).unwrap().output(), &x);
    assert!(Network::new(vec![Layer::dropout(5, 1.0)]).is_err());
}

fn picture(channels: usize, height: usize, width: usize) -> Picture {
    Picture { channels, height, width }
}

/// The dense matrix whose columns are what a convolution makes of unit pictures.
#[test]
fn a_convolution_is_a_dense_layer_with_tied_local_weights() {
    let layer = Layer::convolution(picture(2, 5, 4), 3, 3, 1, 1);
    let out = layer.picture().unwrap();
    assert_eq!(out, picture(3, 5, 4));
    let net = Network::new(vec![layer]).unwrap();
    let mut w = parameters(&net, 14);
    let bias = w.split_off(3 * 2 * 9);
    // Weight of filter f between output (y, x) and input (c, v, u).
    let dense = Array2::from_shape_fn((40, 60), |(i, o)| {
        let (c, v, u) = (i / 20, i % 20 / 4, i % 4);
        let (f, y, x) = (o / 20, o % 20 / 4, o % 4);
        let (ky, kx) = (v + 1 - y.min(v + 1), u + 1 - x.min(u + 1));
        let inside = y <= v + 1 && x <= u + 1 && ky < 3 && kx < 3;
        if inside { w[((f * 2 + c) * 3 + ky) * 3 + kx] } else { 0.0 }
    });
    let x = random(3, 40, 15);
    let biases: Array1<f64> = (0..60).map(|o| bias[o / 20]).collect();
    let want = x.dot(&dense) + &biases;
    w.extend(&bias);
    all_near(&flat(&net.forward(&w, &x).unwrap()), &flat(&want), 1e-13, "tied");
}

#[test]
fn a_shifted_picture_has_shifted_features() {
    let net = Network::new(vec![Layer::convolution(picture(1, 8, 8), 2, 3, 1, 0)]).unwrap();
    let w = parameters(&net, 16);
    let spot = |y: usize, x: usize| {
        Array2::from_shape_fn((1, 64), |(_, i)| if (i / 8, i % 8) == (y, x) { 1.0 } else { 0.0 })
    };
    let (a, b) = (net.forward(&w, spot(3, 3)).unwrap(), net.forward(&w, spot(4, 5)).unwrap());
    for f in 0..2 {
        for (y, x) in (0..5).flat_map(|y| (0..4).map(move |x| (y, x))) {
            near(b[[0, f * 36 + (y + 1) * 6 + x + 2]], a[[0, f * 36 + y * 6 + x]], 1e-15);
        }
    }
}

#[test]
fn widths_that_do_not_fit_are_errors() {
    assert!(Network::new(vec![Layer::dense(2, 3), Layer::dense(4, 1)]).is_err());
    assert!(Network::new(Vec::new()).is_err());
    assert!(Network::new(vec![Layer::dense(0, 3)]).is_err());
    assert!(Network::new(vec![Layer::convolution(picture(1, 4, 4), 1, 5, 1, 0)]).is_err());
    assert!(Network::new(vec![Layer::convolution(picture(1, 4, 4), 1, 2, 0, 0)]).is_err());
    assert!(Network::new(vec![Layer::pool(picture(1, 4, 4), 5, Pooling::Max)]).is_err());
    let two = Network::mlp(2, &[], 3, Activation::Tanh).unwrap();
    assert!(Network::new(vec![Layer::sum(vec![two.clone(), Network::identity(2)])]).is_err());
    assert!(two.forward(&[0.0; 9], Array2::<f64>::zeros((2, 3))).is_err());
    assert!(two.forward(&[0.0; 8], Array2::<f64>::zeros((2, 2))).is_err());
    assert!(two.forward(&[0.0; 9], array![[f64::NAN, 0.0]]).is_err());
    assert!(Network::mlp(usize::MAX / 2, &[], 3, Activation::Tanh).is_err());
}
