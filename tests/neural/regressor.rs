//! Networks for regression, and how they are trained.

use mercer::learn::Stop;
use mercer::optim::{Adam, Schedule, Sgd};
use mercer::prelude::*;
use ndarray::{Array, Array1, Array2, Axis, array};

use crate::near;
use crate::support::random;

fn sine(n: usize) -> (Array2<f64>, Array1<f64>) {
    let x = Array::linspace(-1.0, 1.0, n).insert_axis(Axis(1));
    let y = x.column(0).mapv(|v| (std::f64::consts::PI * v).sin());
    (x, y)
}

#[test]
fn a_sine_is_learned() {
    let (x, y) = sine(50);
    let training = Training::new(Adam::new(0.05)).epochs(400).seed(2);
    let fitted = NeuralRegressor::new(&[10]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fitted.score(&x, &y).unwrap() > 0.99);
    let trace = &fitted.report().trace;
    assert!(trace[trace.len() - 1] < 0.02 * trace[0]);
}

#[test]
fn without_hidden_layers_it_is_least_squares_and_decay_is_ridge() {
    let (x, e) = (random(30, 3, 1), random(30, 1, 2));
    let y: Array1<f64> =
        x.rows().into_iter().zip(e.column(0)).map(|(r, e)| 1.0 + r[0] - 2.0 * r[2] + 0.1 * e).collect();
    for penalty in [0.0, 3.0] {
        let training =
            Training::new(Minimiser::new().tolerance(1e-10)).epochs(300).weight_decay(penalty / 30.0);
        let fitted = NeuralRegressor::new(&[]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
        let ridge = Ridge::new(penalty).fit(&Device::cpu(), &x, &y).unwrap();
        let (a, b) = (fitted.predict(&x).unwrap(), ridge.predict(&x).unwrap());
        a.iter().zip(&b).for_each(|(a, b)| near(*a, *b, 1e-6));
    }
}

#[test]
fn pipelines_and_cross_validation_take_it() {
    let (x, y) = sine(60);
    let (x, y) = (x.mapv(|v| 300.0 + 50.0 * v), y);
    let training = Training::new(Adam::new(0.05)).epochs(300).seed(1);
    let model = Pipeline::new(Standardise::new(), NeuralRegressor::new(&[8]).training(training));
    let folds = KFold::new(3).shuffled(0);
    let scores = cross_validate(&model, &Device::cpu(), &x, &y, &folds, r2).unwrap();
    assert!(scores.mean() > 0.95, "{}", scores.mean());
    // Far from the origin and unscaled it learns little.
    let bare = NeuralRegressor::new(&[8]).training(Training::new(Adam::new(0.05)).epochs(300).seed(1));
    let without = cross_validate(&bare, &Device::cpu(), &x, &y, &folds, r2).unwrap();
    assert!(without.mean() < scores.mean());
}

#[test]
fn a_small_step_on_all_rows_lowers_the_loss() {
    let (x, y) = sine(20);
    let training = Training::new(Sgd::new(0.01)).epochs(20);
    let fitted = NeuralRegressor::new(&[5]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fitted.report().trace.windows(2).all(|t| t[1] < t[0]));
}

#[test]
fn the_seed_decides_everything() {
    let (x, y) = sine(30);
    let fit = |seed: u64| {
        let training = Training::new(Adam::new(0.02)).epochs(10).batch(7).seed(seed);
        let fitted =
            NeuralRegressor::new(&[6]).dropout(0.2).training(training).fit(&Device::cpu(), &x, &y).unwrap();
        fitted.parameters().to_vec()
    };
    assert_eq!(fit(3), fit(3));
    assert_ne!(fit(3), fit(4));
}

#[test]
fn early_stopping_keeps_the_best_epoch() {
    let x = random(40, 2, 7);
    let y: Array1<f64> = random(40, 1, 8).column(0).to_owned(); // nothing to learn but noise
    let training = Training::new(Adam::new(0.05)).epochs(500).validation(0.3).patience(5);
    let fitted = NeuralRegressor::new(&[20]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
    let losses = fitted.validation();
    assert!(losses.len() < 500 && fitted.report().stop == Stop::Converged, "{}", losses.len());
    let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(losses[fitted.best_epoch() - 1], best);
    assert_eq!(fitted.best_epoch() + 5, losses.len());
}

#[test]
fn a_loss_that_explodes_is_said_and_the_best_epoch_kept() {
    let (x, y) = sine(40);
    let x = x * 30.0;
    let training =
        Training::new(Sgd::new(Schedule::Exponential { rate: 1e-6, factor: 1.0 }).momentum(0.0)).epochs(5);
    NeuralRegressor::new(&[]).training(training).fit(&Device::cpu(), &x, &y).unwrap();
    let training = Training::new(Sgd::new(0.05)).epochs(500);
    let fitted = NeuralRegressor::new(&[]).training(training.clone()).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fitted.report().stop, Stop::Diverged);
    let step = fitted.exploded().unwrap();
    assert!(step > 1 && fitted.best_epoch() < step);
    assert!(fitted.predict(&x).unwrap().iter().all(|v| v.is_finite()));
    let trace = &fitted.report().trace;
    let best = trace.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(trace[fitted.best_epoch() - 1], best);
    let at_once = NeuralRegressor::new(&[]).training(training).fit(&Device::cpu(), &x * 1e200, &y);
    assert!(matches!(at_once, Err(Error::NoConvergence { .. })), "{at_once:?}");
}

#[test]
fn counts_have_an_exponential_mean() {
    let x = random(60, 1, 9);
    let y: Array1<f64> = x.column(0).mapv(|v| (1.5 * v + 1.0).exp().round());
    let training = Training::new(Minimiser::new()).epochs(200);
    let fitted = NeuralRegressor::new(&[])
        .loss(OutputLoss::Poisson)
        .training(training)
        .fit(&Device::cpu(), &x, &y)
        .unwrap();
    let p = fitted.predict(&x).unwrap();
    assert!(p.iter().all(|v| *v > 0.0));
    // A canonical link: the residuals sum to zero.
    near((&p - &y).sum(), 0.0, 1e-3);
    assert!(NeuralRegressor::new(&[]).loss(OutputLoss::Poisson).fit(&Device::cpu(), &x, -&y).is_err());
}

#[test]
fn one_dimension_in_one_dimension_out() {
    let (x, y) = sine(10);
    let quick = Training::default().epochs(2);
    let one: Array1<f64> = NeuralRegressor::new(&[2])
        .training(quick.clone())
        .fit(&Device::cpu(), &x, &y)
        .unwrap()
        .predict(&x)
        .unwrap();
    let two: Array2<f64> = NeuralRegressor::new(&[2])
        .training(quick)
        .fit(&Device::cpu(), &x, y.clone().insert_axis(Axis(1)))
        .unwrap()
        .predict(&x)
        .unwrap();
    assert_eq!(one, two.column(0));
    assert!(
        NeuralRegressor::new(&[2])
            .skip(true)
            .fit(&Device::cpu(), &x, &y)
            .unwrap()
            .predict(array![[0.0, 1.0]])
            .is_err()
    );
}
