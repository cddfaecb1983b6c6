//! Against `PyTorch` in f64, by numbers that `tests/oracle/neural_torch.py` made.

use mercer::optim::{Adam, Schedule, Sgd};
use mercer::prelude::*;
use ndarray::Array2;
use serde_json::Value;

use crate::support::oracle::{list as vector, matrix};
use crate::{all_near, flat, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/neural_torch.json")).unwrap()
}

#[test]
fn gradients_of_every_loss_and_activation() {
    let all = &numbers()["dense"];
    let (x, w) = (matrix(&all["x"]), vector(&all["parameters"]));
    let cases = all["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    for case in cases {
        let name = case["loss"].as_str().unwrap();
        let loss = match name {
            "gaussian" => OutputLoss::Gaussian,
            "bernoulli" => OutputLoss::Bernoulli,
            "softmax" => OutputLoss::Softmax,
            _ => OutputLoss::Poisson,
        };
        let h = match case["activation"].as_str().unwrap() {
            "tanh" => Activation::Tanh,
            "sigmoid" => Activation::Sigmoid,
            "relu" => Activation::Relu,
            "softplus" => Activation::Softplus,
            _ => Activation::Erf,
        };
        let t = matrix(&all["targets"][name]);
        let net = Network::mlp(3, &[4, 5], 2, h).unwrap();
        let tape = net.record(&w, &x, None).unwrap();
        near(
            loss.value(tape.output().view(), t.view(), None).unwrap(),
            case["value"].as_f64().unwrap(),
            1e-10,
        );
        let delta = loss.delta(tape.output().view(), t.view(), None).unwrap();
        let got = net.backward(&w, &tape, &delta).unwrap();
        all_near(&got.parameters, &vector(&case["gradient"]), 1e-10, &format!("{name} {h:?}"));
    }
}

#[test]
fn convolutions_and_pools() {
    let all = numbers();
    let picture = Picture { channels: 2, height: 7, width: 6 };
    let c = &all["convolution"];
    let (x, w) = (matrix(&c["x"]), vector(&c["parameters"]));
    let net = Network::new(vec![Layer::convolution(picture, 3, 3, 2, 1)]).unwrap();
    let tape = net.record(&w, &x, None).unwrap();
    all_near(&flat(tape.output()), &flat(&matrix(&c["y"])), 1e-12, "convolution");
    let g = net.backward(&w, &tape, matrix(&c["delta"])).unwrap();
    all_near(&g.parameters, &vector(&c["gradient"]), 1e-12, "its parameters");
    all_near(&flat(&g.inputs), &flat(&matrix(&c["inputs"])), 1e-12, "its inputs");
    for (name, pooling) in [("max", Pooling::Max), ("mean", Pooling::Mean)] {
        let net = Network::new(vec![Layer::pool(picture, 2, pooling)]).unwrap();
        let tape = net.record(&[], &x, None).unwrap();
        all_near(&flat(tape.output()), &flat(&matrix(&all[name]["y"])), 1e-14, name);
        let (n, k) = tape.output().dim();
        let delta = Array2::from_shape_fn((n, k), |(i, j)| (i * k + j) as f64);
        let g = net.backward(&[], &tape, &delta).unwrap();
        all_near(&flat(&g.inputs), &flat(&matrix(&all[name]["inputs"])), 1e-14, name);
    }
}

/// Twenty steps on all rows, step for step, with constant rates and with rates that fall.
#[test]
fn a_trajectory_of_training() {
    let all = numbers();
    let d = &all["dense"];
    let (x, w, t) = (matrix(&d["x"]), vector(&d["parameters"]), matrix(&d["targets"]["gaussian"]));
    let net = Network::mlp(3, &[4, 5], 2, Activation::Tanh).unwrap();
    let inverse = Schedule::Inverse { rate: 0.1, decay: 0.2 };
    let exponential = Schedule::Exponential { rate: 0.05, factor: 0.9 };
    for (name, optimiser) in [
        ("adam", Optimiser::from(Adam::new(0.05))),
        ("sgd", Optimiser::from(Sgd::new(0.05).momentum(0.9))),
        ("inverse", Optimiser::from(Sgd::new(inverse))),
        ("exponential", Optimiser::from(Adam::new(exponential))),
    ] {
        let training = Training::new(optimiser).epochs(20);
        let model = NeuralRegressor::new(&[]).network(net.clone()).start(w.clone()).training(training);
        let fitted = model.fit(&Device::cpu(), &x, &t).unwrap();
        all_near(&fitted.report().trace, &vector(&all[name]["trace"]), 1e-8, name);
        all_near(fitted.parameters(), &vector(&all[name]["parameters"]), 1e-8, name);
    }
}
