//! Backpropagation against finite differences, for every layer.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array, s};

use crate::support::random;
use crate::{all_near, flat, near, parameters, slopes};

/// `Σ δ y` by parameters and by inputs, both ways.
fn check(net: &Network, x: &Array2<f64>, training: Option<u64>, what: &str) {
    let w = parameters(net, 21);
    let delta = random(x.nrows(), net.outputs(), 22);
    let value = |w: &[f64], x: &Array2<f64>| (net.record(w, x, training).unwrap().output() * &delta).sum();
    let tape = net.record(&w, x, training).unwrap();
    let got = net.backward(&w, &tape, &delta).unwrap();
    all_near(&got.parameters, &slopes(&w, 1e-5, |w| value(w, x)), 1e-7, &format!("{what}: parameters"));
    let by_x =
        slopes(&flat(x), 1e-5, |v| value(&w, &Array2::from_shape_vec(x.raw_dim(), v.to_vec()).unwrap()));
    all_near(&flat(&got.inputs), &by_x, 1e-7, &format!("{what}: inputs"));
}

#[test]
fn every_layer_agrees_with_finite_differences() {
    let shape = |c, h, w| Picture { channels: c, height: h, width: w };
    let x = random(3, 4, 20);
    check(&Network::new(vec![Layer::dense(4, 3)]).unwrap(), &x, None, "dense");
    check(&Network::new(vec![Layer::linear(4, 3)]).unwrap(), &x, None, "linear");
    for h in [
        Activation::Sigmoid,
        Activation::Tanh,
        Activation::Relu,
        Activation::Softplus,
        Activation::Erf,
        Activation::Identity,
    ] {
        check(&Network::new(vec![Layer::activate(4, h)]).unwrap(), &x, None, "activation");
        check(&Network::mlp(4, &[5, 3], 2, h).unwrap(), &x, None, "deep");
    }
    check(&Network::new(vec![Layer::dropout(4, 0.4)]).unwrap(), &x, Some(3), "dropout");
    let inner = Network::mlp(4, &[3], 4, Activation::Tanh).unwrap();
    check(
        &Network::new(vec![Layer::residual(inner.clone()), Layer::dense(4, 2)]).unwrap(),
        &x,
        None,
        "residual",
    );
    let sum = Layer::sum(vec![
        Network::mlp(4, &[3], 2, Activation::Tanh).unwrap(),
        Network::new(vec![Layer::linear(4, 2)]).unwrap(),
    ]);
    check(&Network::new(vec![sum]).unwrap(), &x, None, "sum");
    let pixels = random(2, 2 * 5 * 6, 23);
    check(
        &Network::new(vec![Layer::convolution(shape(2, 5, 6), 3, 3, 1, 0)]).unwrap(),
        &pixels,
        None,
        "convolution",
    );
    check(
        &Network::new(vec![Layer::convolution(shape(2, 5, 6), 2, 3, 2, 1)]).unwrap(),
        &pixels,
        None,
        "strided",
    );
    for pooling in [Pooling::Max, Pooling::Mean] {
        check(&Network::new(vec![Layer::pool(shape(2, 5, 6), 2, pooling)]).unwrap(), &pixels, None, "pool");
    }
    let first = Layer::convolution(shape(2, 5, 6), 2, 2, 1, 0);
    let second = Layer::pool(first.picture().unwrap(), 2, Pooling::Max);
    let width = second.outputs();
    let net = Network::new(vec![
        first,
        second,
        Layer::activate(width, Activation::Tanh),
        Layer::dropout(width, 0.2),
        Layer::dense(width, 2),
    ])
    .unwrap();
    check(&net, &pixels, Some(9), "all of them");
}

#[test]
fn masked_weights_have_no_slope() {
    let mask = array![[true, false, true], [true, true, false]];
    let net = Network::new(vec![Layer::sparse(&mask), Layer::activate(2, Activation::Tanh)]).unwrap();
    check(&net, &random(4, 3, 24), None, "sparse");
}

#[test]
fn every_loss_agrees_with_finite_differences() {
    let net = Network::mlp(3, &[4], 2, Activation::Tanh).unwrap();
    let (w, x) = (parameters(&net, 25), random(5, 3, 26));
    let weights = array![1.0, 2.0, 0.5, 0.0, 3.0];
    let bits = random(5, 2, 27).mapv(|v| f64::from(u8::from(v > 0.0)));
    let hot = Array2::from_shape_fn((5, 2), |(n, k)| f64::from(u8::from(n % 2 == k)));
    for (loss, t) in [
        (OutputLoss::Gaussian, random(5, 2, 28)),
        (OutputLoss::Bernoulli, bits),
        (OutputLoss::Softmax, hot),
        (OutputLoss::Poisson, random(5, 2, 29).mapv(|v| (3.0 + 3.0 * v).round())),
    ] {
        let tape = net.record(&w, &x, None).unwrap();
        let delta = loss.delta(tape.output().view(), t.view(), Some(weights.view())).unwrap();
        let got = net.backward(&w, &tape, &delta).unwrap().parameters;
        let want = slopes(&w, 1e-5, |w| {
            loss.value(net.forward(w, &x).unwrap().view(), t.view(), Some(weights.view())).unwrap()
        });
        all_near(&got, &want, 1e-7, &format!("{loss:?}"));
    }
}

#[test]
fn the_gradient_of_a_batch_is_the_sum_over_rows() {
    let net = Network::mlp(3, &[4], 2, Activation::Relu).unwrap();
    let (w, x, delta) = (parameters(&net, 30), random(6, 3, 31), random(6, 2, 32));
    let all = net.backward(&w, &net.record(&w, &x, None).unwrap(), &delta).unwrap();
    let mut sum = vec![0.0; w.len()];
    for n in 0..6 {
        let row = x.slice(s![n..=n, ..]);
        let one =
            net.backward(&w, &net.record(&w, row, None).unwrap(), delta.row(n).insert_axis(Axis(0))).unwrap();
        sum.iter_mut().zip(&one.parameters).for_each(|(s, g)| *s += g);
        one.inputs.iter().zip(all.inputs.row(n)).for_each(|(a, b)| near(*a, *b, 1e-15));
    }
    all_near(&all.parameters, &sum, 1e-13, "sum over rows");
}

/// Without a hidden layer it is `(y - t) xᵀ`.
#[test]
fn no_hidden_layer_is_the_gradient_of_a_logistic_regression() {
    let net = Network::new(vec![Layer::linear(3, 2)]).unwrap();
    let (w, x) = (parameters(&net, 33), random(1, 3, 34));
    let t = array![[0.0, 1.0]];
    let tape = net.record(&w, &x, None).unwrap();
    let delta = OutputLoss::Softmax.delta(tape.output().view(), t.view(), None).unwrap();
    let y = OutputLoss::Softmax.outputs(tape.output().view());
    let got = net.backward(&w, &tape, &delta).unwrap().parameters;
    for k in 0..2 {
        (0..3).for_each(|d| near(got[k * 3 + d], (y[[0, k]] - t[[0, k]]) * x[[0, d]], 1e-15));
    }
}

/// Parameters and tapes of another network are refused.
#[test]
fn a_tape_of_another_network_is_an_error() {
    let net = Network::mlp(2, &[3], 1, Activation::Tanh).unwrap();
    let (w, delta) = (net.initial(1), ndarray::array![[1.0]]);
    let tape = net.record(&w, ndarray::array![[0.5, 1.0]], None).unwrap();
    assert!(net.backward(&w, &tape, &delta).is_ok());
    assert!(net.backward(&[], &tape, &delta).is_err());
    for other in [
        Network::mlp(2, &[4], 1, Activation::Tanh).unwrap(),
        Network::mlp(2, &[], 1, Activation::Tanh).unwrap(),
        Network::new(vec![Layer::dense(2, 3), Layer::dropout(3, 0.5), Layer::dense(3, 1)]).unwrap(),
        Network::new(vec![Layer::residual(Network::mlp(2, &[3], 2, Activation::Tanh).unwrap())]).unwrap(),
    ] {
        let own = other.initial(1);
        assert!(other.backward(&own, &tape, &delta).is_err(), "{other:?}");
    }
}
