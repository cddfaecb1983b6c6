//! What is refused, and what does no harm.

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array1, array};

use crate::support::random;

#[test]
fn settings_out_of_their_domain_are_errors() {
    let (x, y) = (random(10, 2, 1), Array1::<f64>::zeros(10));
    let fit = |training: Training| NeuralRegressor::new(&[3]).training(training).fit(&Device::cpu(), &x, &y);
    assert!(fit(Training::default().epochs(0)).is_err());
    assert!(matches!(fit(Training::default().batch(11)), Err(Error::Parameter { .. })), "more than the data");
    assert!(fit(Training::default().batch(0)).is_err());
    assert!(fit(Training::default().weight_decay(-1.0)).is_err());
    assert!(fit(Training::default().validation(1.0)).is_err());
    assert!(fit(Training::default().validation(0.2).patience(0)).is_err());
    assert!(fit(Training::new(Adam::new(-1.0))).is_err());
    assert!(NeuralRegressor::new(&[3, 0]).fit(&Device::cpu(), &x, &y).is_err());
    assert!(NeuralRegressor::new(&[3]).dropout(1.0).fit(&Device::cpu(), &x, &y).is_err());
    assert!(NeuralRegressor::new(&[usize::MAX / 4]).fit(&Device::cpu(), &x, &y).is_err());
    let other = Network::mlp(3, &[2], 1, Activation::Tanh).unwrap();
    assert!(NeuralRegressor::new(&[]).network(other).fit(&Device::cpu(), &x, &y).is_err());
    assert!(NeuralRegressor::new(&[2]).start(vec![0.0; 3]).fit(&Device::cpu(), &x, &y).is_err());
}

/// Units that no input wakes have no gradient: they do no harm, and the rest learns.
#[test]
fn dead_units_do_no_harm() {
    let x = random(30, 1, 2).mapv(f64::abs);
    let y: Array1<f64> = x.column(0).mapv(|v| 2.0 * v);
    // Four units: three of them always below zero.
    let start = vec![-1.0, -1.0, -1.0, 1.0, -5.0, -5.0, -5.0, 0.1, 1.0, 1.0, 1.0, 0.5, 0.0];
    let training = Training::new(Adam::new(0.05)).epochs(300);
    let model =
        NeuralRegressor::new(&[4]).activation(Activation::Relu).start(start.clone()).training(training);
    let fitted = model.fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fitted.parameters()[..3], start[..3], "dead units stay");
    assert!(fitted.score(&x, &y).unwrap() > 0.999);
}

#[test]
fn one_class_and_labels_that_are_missing_are_errors() {
    let x = random(4, 2, 3);
    assert!(NeuralClassifier::new(&[2]).fit(&Device::cpu(), &x, [1, 1, 1, 1]).is_err());
    assert!(NeuralClassifier::new(&[2]).fit(&Device::cpu(), &x, [1, 2, 1]).is_err());
    assert!(NeuralClassifier::new(&[2]).fit(&Device::cpu(), array![[f64::NAN], [1.0]], [1, 2]).is_err());
    // Two outputs have no place for a third label, and four one too many.
    for outputs in [2, 4] {
        let own = Network::mlp(2, &[], outputs, Activation::Tanh).unwrap();
        let refused =
            NeuralClassifier::new(&[]).network(own).fit(&Device::cpu(), &x, [1, 2, 3, 1]).unwrap_err();
        assert!(refused.to_string().contains("2 to 3"), "{refused}");
    }
    let three = Network::mlp(2, &[], 3, Activation::Tanh).unwrap();
    assert!(NeuralClassifier::new(&[]).network(three).fit(&Device::cpu(), &x, [1, 2, 3, 1]).is_ok());
    let fitted = NeuralClassifier::new(&[2]).fit(&Device::cpu(), &x, [1, 2, 1, 2]).unwrap();
    assert!(fitted.score(&x, [1, 2, 3, 1]).unwrap() < 1.0);
}
