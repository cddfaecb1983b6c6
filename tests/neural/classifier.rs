//! Networks for classification.

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::near;
use crate::support::random;

fn rings() -> (Array2<f64>, Vec<&'static str>) {
    let x = random(120, 2, 1) * 2.0;
    let y = x.rows().into_iter().map(|r| if r.dot(&r) < 1.4 { "inside" } else { "outside" }).collect();
    (x, y)
}

#[test]
fn exclusive_or_is_learned_without_error() {
    let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let y = [0, 1, 1, 0];
    let training = Training::new(Adam::new(0.1)).epochs(400).restarts(6);
    let fitted = NeuralClassifier::new(&[2]).training(training).fit(&Device::cpu(), &x, y).unwrap();
    assert_eq!(fitted.predict(&x).unwrap(), y);
    let starts = &fitted.report().starts;
    assert_eq!(starts.len(), 6, "what each start came to is said");
    assert!(starts.iter().all(|s| *s >= fitted.report().objective()));
}

#[test]
fn a_ring_is_learned_in_batches() {
    let (x, y) = rings();
    let training = Training::new(Adam::new(0.02)).epochs(60).batch(16);
    let fitted = NeuralClassifier::new(&[12]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fitted.score(&x, &y).unwrap() > 0.95);
    assert_eq!(fitted.classes(), ["inside", "outside"]);
    let p = fitted.predict_proba(&x).unwrap();
    p.rows().into_iter().for_each(|r| near(r.sum(), 1.0, 1e-12));
    let d = fitted.decision(&x).unwrap();
    d.iter().zip(p.column(1)).for_each(|(d, p)| near(1.0 / (1.0 + (-d).exp()), *p, 1e-12));
}

#[test]
fn pipelines_and_cross_validation_take_it() {
    let (x, y) = rings();
    let training = Training::new(Adam::new(0.05)).epochs(150);
    let model = Pipeline::new(Standardise::new(), NeuralClassifier::new(&[8]).training(training));
    let scores =
        cross_validate(&model, &Device::cpu(), &x, &y, &KFold::new(3).shuffled(0), accuracy).unwrap();
    assert!(scores.mean() > 0.85, "{}", scores.mean());
}

#[test]
fn weights_are_repeated_rows() {
    let (x, y) = rings();
    let weights: Vec<f64> = (0..120).map(|i| f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..120).flat_map(|i| vec![i; i % 3]).collect();
    let training = Training::new(Minimiser::new()).epochs(15);
    let model = NeuralClassifier::new(&[4]).training(training);
    let twice = model
        .fit(
            &Device::cpu(),
            x.select(ndarray::Axis(0), &rows),
            rows.iter().map(|&i| y[i]).collect::<Vec<_>>(),
        )
        .unwrap();
    let weighted =
        FitWeighted::fit_weighted(&model, &Device::cpu(), x.view(), &y, ndarray::ArrayView1::from(&weights))
            .unwrap();
    let (a, b) = (twice.predict_proba(&x).unwrap(), weighted.predict_proba(&x).unwrap());
    a.iter().zip(&b).for_each(|(a, b)| near(*a, *b, 1e-8));
}

#[test]
fn a_convolutional_network_tells_bars_apart() {
    // 6 x 6 pictures with a horizontal or a vertical bar at a random place.
    let noise = random(60, 36, 5) * 0.2;
    let x = Array2::from_shape_fn((60, 36), |(n, i)| {
        let (row, col, at) = (i / 6, i % 6, n % 5);
        let on = if n % 2 == 0 { row == at } else { col == at };
        f64::from(u8::from(on)) + noise[[n, i]]
    });
    let y: Vec<char> = (0..60).map(|n| if n % 2 == 0 { '-' } else { '|' }).collect();
    let picture = Picture { channels: 1, height: 6, width: 6 };
    let filters = Layer::convolution(picture, 4, 3, 1, 0);
    let pool = Layer::pool(filters.picture().unwrap(), 4, Pooling::Max);
    let net =
        Network::new(vec![filters, Layer::activate(64, Activation::Relu), pool, Layer::dense(4, 2)]).unwrap();
    let training = Training::new(Adam::new(0.05)).epochs(150).restarts(2);
    let model = NeuralClassifier::new(&[]).network(net).training(training);
    assert!(model.fit(&Device::cpu(), &x, &y).unwrap().score(&x, &y).unwrap() > 0.95);
}
