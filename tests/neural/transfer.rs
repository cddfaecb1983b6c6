//! Tasks that share their lower layers.

use mercer::prelude::*;
use ndarray::{Array2, Axis};

use crate::support::random;
use crate::{all_near, near, slopes};

fn layers() -> SharedLayers {
    let trunk = Network::mlp(2, &[4], 3, Activation::Tanh)
        .unwrap()
        .then(Layer::activate(3, Activation::Tanh))
        .unwrap();
    let head = |k| Network::mlp(3, &[], k, Activation::Tanh).unwrap();
    SharedLayers::new(trunk, vec![(head(1), OutputLoss::Gaussian), (head(2), OutputLoss::Softmax)]).unwrap()
}

#[test]
fn the_gradient_of_shared_layers_is_the_sum_over_tasks() {
    let net = layers();
    let w: Vec<f64> = random(1, net.parameters(), 1).iter().copied().collect();
    let (x, t) = (random(5, 2, 2), random(5, 1, 3));
    let hot = Array2::from_shape_fn((4, 2), |(n, k)| f64::from(u8::from(n % 2 == k)));
    let other = random(4, 2, 4);
    let each = |w: &[f64]| {
        let a = net.gradient(w, 0, (x.view(), t.view())).unwrap();
        let b = net.gradient(w, 1, (other.view(), hot.view())).unwrap();
        (a, b)
    };
    let ((_, a), (_, b)) = each(&w);
    let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let want = slopes(&w, 1e-5, |w| {
        let ((a, _), (b, _)) = each(w);
        a + b
    });
    all_near(&sum, &want, 1e-7, "sum over tasks");
    // Each head belongs to one task alone.
    let heads = net.parameters() - 8 - 4;
    assert!(a[heads + 4..].iter().all(|g| *g == 0.0) && b[27..31].iter().all(|g| *g == 0.0));
}

#[test]
fn a_new_task_needs_few_rows_on_a_trained_trunk() {
    let trunk = Network::mlp(1, &[8], 4, Activation::Tanh)
        .unwrap()
        .then(Layer::activate(4, Activation::Tanh))
        .unwrap();
    let head = Network::mlp(4, &[], 1, Activation::Tanh).unwrap();
    let net = SharedLayers::new(trunk, vec![(head.clone(), OutputLoss::Gaussian); 2]).unwrap();
    let x = ndarray::Array::linspace(-3.0, 3.0, 60).insert_axis(Axis(1));
    let (a, b) = (x.mapv(f64::sin), x.mapv(f64::cos));
    let training = Training::new(Minimiser::new()).epochs(400).seed(1);
    let (w, report) = net.fit_tasks(&[(x.view(), a.view()), (x.view(), b.view())], &training).unwrap();
    assert!(report.objective() < 1e-3, "{report}");
    near(net.predict(&w, 1, ndarray::array![[0.5]]).unwrap()[[0, 0]], 0.5f64.cos(), 0.05);
    // sin(x + 1) is a combination of what the trunk knows.
    let few = x.select(Axis(0), &[2, 12, 22, 32, 42, 52, 58, 7]);
    let t = few.mapv(|v| (v + 1.0).sin());
    let own = net.adapt(&w, &head, OutputLoss::Gaussian, (few.view(), t.view()), &training).unwrap();
    let p = head.forward(&own, net.features(&w, &x).unwrap()).unwrap();
    let error = (&p - &x.mapv(|v| (v + 1.0).sin())).mapv(|v| v * v).mean().unwrap();
    assert!(error < 0.02, "{error}");
}

/// A decay shrinks the weights of trunk and heads, not the biases.
#[test]
fn weights_of_all_layers_decay() {
    let net = layers();
    let (x, t) = (random(5, 2, 2), random(5, 1, 3));
    let hot = Array2::from_shape_fn((5, 2), |(n, k)| f64::from(u8::from(n % 2 == k)));
    let tasks = [(x.view(), t.view()), (x.view(), hot.view())];
    let norm = |decay: f64| {
        let training = Training::new(Minimiser::new()).epochs(300).weight_decay(decay);
        let (w, _) = net.fit_tasks(&tasks, &training).unwrap();
        w[..8].iter().chain(&w[w.len() - 8..w.len() - 2]).map(|v| v * v).sum::<f64>()
    };
    let (strong, weak) = (norm(10.0), norm(1e-3));
    assert!(strong < 1e-6 && weak > 0.1, "{strong} {weak}");
}

#[test]
fn heads_that_do_not_fit_are_errors() {
    let trunk = Network::mlp(2, &[4], 3, Activation::Tanh).unwrap();
    assert!(SharedLayers::new(trunk.clone(), Vec::new()).is_err());
    let head = Network::mlp(2, &[], 1, Activation::Tanh).unwrap();
    assert!(SharedLayers::new(trunk, vec![(head, OutputLoss::Gaussian)]).is_err());
    let net = layers();
    let w = net.initial(1);
    assert!(net.predict(&w, 2, random(3, 2, 1)).is_err());
    assert!(net.gradient(&w, 0, (random(3, 2, 1).view(), random(3, 2, 1).view())).is_err());
    assert!(net.fit_tasks(&[], &Training::default()).is_err());
}
