//! The classifier two-sample test, and generators judged by it.

use mercer::optim::Adam;
use mercer::prelude::*;
use ndarray::{Array2, s};

use crate::near;
use crate::support::random;

fn judge() -> NeuralClassifier {
    NeuralClassifier::new(&[8]).training(Training::new(Adam::new(0.02)).epochs(30).batch(32))
}

/// Under one distribution p-values of many seeds are about uniform; a shift is seen.
#[test]
fn samples_of_one_distribution_are_not_told_apart() {
    let plain = NeuralClassifier::new(&[]).training(Training::new(Adam::new(0.05)).epochs(5).batch(20));
    let p: Vec<f64> = (0..60)
        .map(|seed| {
            let (x, y) = (random(40, 2, 2 * seed), random(55, 2, 2 * seed + 1));
            let found = c2st(&Device::cpu(), &plain, &x, &y, seed).unwrap();
            assert_eq!(found.held_out, 40);
            found.p_value
        })
        .collect();
    let below = |level: f64| p.iter().filter(|p| **p <= level).count();
    // Exact: at most as many as a binomial law allows.
    assert!(below(0.05) <= 8 && below(0.5) <= 40 && below(0.999) >= 30, "{p:?}");
    let (x, y) = (random(200, 2, 1), random(200, 2, 2) + 0.7);
    let shifted = c2st(&Device::cpu(), &judge(), &x, &y, 1).unwrap();
    assert!(shifted.accuracy > 0.6 && shifted.p_value < 1e-3, "{shifted:?}");
}

/// Four rows held out of either sample, all of them named: one order of the labels in C(8, 4) = 70.
#[test]
fn the_p_value_counts_orders_of_labels() {
    let x = Array2::from_shape_fn((8, 1), |(i, _)| i as f64 / 8.0);
    let judge = || NeuralClassifier::new(&[]).training(Training::new(Minimiser::new()).epochs(200));
    let far = c2st(&Device::cpu(), &judge(), &x, &(&x + 50.0), 3).unwrap();
    near(far.accuracy, 1.0, 0.0);
    near(far.p_value, 1.0 / 70.0, 1e-9);
    assert!(c2st(&Device::cpu(), &judge(), &x, random(8, 2, 1), 3).is_err());
    assert!(c2st(&Device::cpu(), &judge(), &x, random(3, 1, 1), 3).is_err());
}

/// Digits of 8 x 8 by a generator that learns from a kernel: harder to tell from digits than it was, and nearer by MMD.
#[test]
fn a_generator_of_digits_is_judged() {
    let text = include_str!("../../examples/data/digits.csv");
    let numbers: Vec<Vec<f64>> = text
        .lines()
        .skip_while(|l| l.starts_with('#'))
        .skip(1)
        .map(|l| l.split(',').map(|v| v.parse::<f64>().unwrap()).collect())
        .filter(|row: &Vec<f64>| row[0] < 1.5)
        .collect();
    let all = Array2::from_shape_fn((300, 64), |(i, j)| numbers[i][j + 1] / 16.0);
    let (x, fresh) = (all.slice(s![..150, ..]).to_owned(), all.slice(s![150.., ..]).to_owned());
    let model = Gan::new(6)
        .generator([24])
        .loss(GanLoss::Mmd { lengthscales: vec![0.7, 1.5, 3.0] })
        .batch(48)
        .generator_rate(0.01)
        .seed(1);
    let mmd = Mmd::new(Kernel::rbf(1.5));
    let judged = |rounds: usize| {
        let y = model.clone().rounds(rounds).fit(&Device::cpu(), &x).unwrap().sample(150, 2).unwrap();
        let told = c2st(&Device::cpu(), &judge(), &fresh, &y, 1).unwrap();
        (mmd.biased(&Device::cpu(), &fresh, &y).unwrap(), told.accuracy)
    };
    let (before, after) = (judged(1), judged(250));
    assert!(after.0 < 0.35 * before.0, "{before:?} {after:?}");
    assert!(before.1 > 0.95 && after.1 < before.1 - 0.05, "{before:?} {after:?}");
}

/// Two clusters in the plane by games with a discriminator: what comes out is nearer to rows that were kept from it, and harder
/// to tell from them, than one Gaussian of the same mean and covariance.
#[test]
fn games_in_the_plane_are_judged() {
    let noise = random(400, 2, 6) * 0.5;
    let all = Array2::from_shape_fn((400, 2), |(n, j)| {
        noise[[n, j]] + if n % 2 == 0 { 2.0 } else { -2.0 } * if j == 0 { 1.0 } else { 0.5 }
    });
    let (x, fresh) = (all.slice(s![..200, ..]).to_owned(), all.slice(s![200.., ..]).to_owned());
    let mmd = Mmd::new(Kernel::rbf(1.0));
    let judged = |y: &Array2<f64>| {
        let told = c2st(&Device::cpu(), &judge(), &fresh, y, 1).unwrap();
        (mmd.unbiased(&Device::cpu(), &fresh, y).unwrap(), told.accuracy)
    };
    let one = GaussianMixture::new(1).fit(&Device::cpu(), &x).unwrap().sample(200, 3).unwrap();
    let normal = judged(&one);
    let games = [
        (GanLoss::NonSaturating, 2, 800, (0.005, 0.01)),
        (GanLoss::Wasserstein { clip: 0.5 }, 3, 1500, (0.01, 0.02)),
    ];
    for (loss, steps, rounds, (rate, critic_rate)) in games {
        let model = Gan::new(2).generator([16]).critic([16]).loss(loss.clone()).critic_steps(steps);
        let model = model.rounds(rounds).batch(64).generator_rate(rate).critic_rate(critic_rate).seed(1);
        let found = judged(&model.fit(&Device::cpu(), &x).unwrap().sample(200, 2).unwrap());
        assert!(found.0 < 0.25 * normal.0 && found.1 < normal.1 - 0.1, "{loss:?}: {found:?} {normal:?}");
    }
}
