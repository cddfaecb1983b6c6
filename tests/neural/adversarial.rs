//! The fast gradient sign method.

use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::near;
use crate::support::random;

#[test]
fn a_linear_margin_falls_by_epsilon_times_the_norm() {
    let w = [2.0, -1.0, 0.5];
    let net = Network::new(vec![Layer::linear(3, 1)]).unwrap();
    let (x, epsilon) = (random(4, 3, 1), 0.3);
    let t = Array2::ones((4, 1));
    let moved = fgsm(&net, &w, OutputLoss::Bernoulli, &x, &t, epsilon).unwrap();
    let (before, after) = (net.forward(&w, &x).unwrap(), net.forward(&w, &moved).unwrap());
    before.iter().zip(&after).for_each(|(b, a)| near(b - a, epsilon * 3.5, 1e-12));
}

#[test]
fn the_loss_does_not_fall_for_small_steps() {
    let (x, y) = (random(30, 2, 2), (0..30).map(|n| n % 3).collect::<Vec<usize>>());
    let fitted = NeuralClassifier::new(&[6])
        .training(Training::default().epochs(30))
        .fit(&Device::cpu(), &x, &y)
        .unwrap();
    let hot = Array2::from_shape_fn((30, 3), |(n, k)| f64::from(u8::from(y[n] == k)));
    let loss = |x: &Array2<f64>| {
        let a = fitted.network().forward(fitted.parameters(), x).unwrap();
        a.rows()
            .into_iter()
            .zip(hot.rows())
            .map(|(a, t)| OutputLoss::Softmax.row(a, t).unwrap())
            .collect::<Vec<_>>()
    };
    let moved = fitted.adversarial(&x, &y, 1e-4).unwrap();
    loss(&x).iter().zip(loss(&moved)).for_each(|(a, b)| assert!(b >= *a));
    assert!((&moved - &x).iter().all(|d| d.abs() <= 1e-4 + 1e-15));
    assert_eq!(fitted.adversarial(&x, &y, 0.0).unwrap(), x);
    assert!(fitted.adversarial(&x, &y, -1.0).is_err());
    assert!(fitted.adversarial(&x, vec![7; 30], 0.1).is_err(), "a label outside the outputs");
    assert!(fitted.adversarial(array![[0.0]], [0], 0.1).is_err());
}
