//! Against scikit-learn's networks, by numbers that `tests/oracle/neural_sklearn.py` made: the same weights to begin with, all
//! rows at every step, 25 steps.

use mercer::optim::{Adam, Sgd};
use mercer::prelude::*;
use ndarray::Array2;
use serde_json::Value;

use crate::all_near;

fn vector(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(v: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(vector).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

fn training(case: &Value, decay: f64) -> Training {
    let training = if case["solver"] == "adam" {
        Training::new(Adam::new(0.02).epsilon(0.0))
    } else {
        Training::new(Sgd::new(0.05).momentum(0.8))
    };
    training.epochs(25).batch(12).weight_decay(decay)
}

fn unit(case: &Value) -> Activation {
    match case["activation"].as_str().unwrap() {
        "logistic" => Activation::Sigmoid,
        "relu" => Activation::Relu,
        _ => Activation::Tanh,
    }
}

#[test]
fn trajectories_are_those_of_scikit_learn() {
    let all: Value = serde_json::from_str(include_str!("../oracle/neural_sklearn.json")).unwrap();
    let (x, t, decay) = (matrix(&all["x"]), matrix(&all["targets"]), all["decay"].as_f64().unwrap());
    let labels: Vec<usize> = vector(&all["labels"]).iter().map(|v| *v as usize).collect();
    for case in all["classifier"].as_array().unwrap() {
        let model = NeuralClassifier::new(&[4]).activation(unit(case)).start(vector(&case["start"]));
        let fitted = model.training(training(case, decay)).fit(&Device::cpu(), &x, &labels).unwrap();
        all_near(fitted.parameters(), &vector(&case["parameters"]), 1e-9, "a classifier");
        all_near(&fitted.report().trace, &vector(&case["loss"]), 1e-9, "its losses");
    }
    for case in all["regressor"].as_array().unwrap() {
        let model = NeuralRegressor::new(&[4]).activation(unit(case)).start(vector(&case["start"]));
        let fitted = model.training(training(case, decay)).fit(&Device::cpu(), &x, &t).unwrap();
        all_near(fitted.parameters(), &vector(&case["parameters"]), 1e-9, "a regressor");
    }
}
