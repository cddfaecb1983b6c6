//! Maps from scores to probabilities.

use mercer::prelude::*;
use ndarray::{Array1, Axis, array};

use crate::support::random;
use crate::{labels, near, oracle, three, two, vector};

#[test]
fn scikit_learn_agrees() {
    let all = oracle();
    let (want, y) = (&all["calibration"], labels(&all["y2"]));
    let scores = vector(&want["scores"]);
    let platt = Platt::of(&scores, &y).unwrap();
    let ab = vector(&want["platt"]);
    near(platt.slope(), ab[0], 1e-4);
    near(platt.offset(), ab[1], 1e-4);
    let isotonic = Isotonic::of(&scores, &y).unwrap();
    let got = isotonic.map(&vector(&want["grid"]));
    got.iter().zip(vector(&want["isotonic"])).for_each(|(g, w)| near(*g, w, 1e-9));
}

#[test]
fn maps_are_monotone() {
    let scores: Array1<f64> = random(200, 1, 1).column(0).mapv(|s| 4.0 * s);
    let noise = random(200, 1, 2);
    let y: Vec<bool> = scores.iter().zip(noise.column(0)).map(|(s, e)| s + 2.0 * e > 0.3).collect();
    let grid = Array1::linspace(-6.0, 6.0, 101);
    let rising = |p: Array1<f64>| {
        p.windows(2).into_iter().all(|w| w[1] >= w[0]) && p.iter().all(|v| (0.0..=1.0).contains(v))
    };
    let (platt, isotonic) = (Platt::of(&scores, &y).unwrap(), Isotonic::of(&scores, &y).unwrap());
    assert!(platt.slope() > 0.0 && rising(platt.map(&grid)) && rising(isotonic.map(&grid)));
    // The mean of the isotonic map is the share of the class, and no constant moves a block's error.
    near(isotonic.map(&scores).sum() / 200.0, y.iter().filter(|y| **y).count() as f64 / 200.0, 1e-12);
    // Scores that separate the classes do not end in certainty.
    let p = Platt::of(&array![-2.0, -1.0, 1.0, 2.0], &[0, 0, 1, 1]).unwrap().map(&array![-2.0, 2.0]);
    assert!(p[0] > 0.0 && p[1] < 1.0 && p[0] < 0.5 && p[1] > 0.5);
    assert!(Platt::of(&array![1.0, 2.0], &[0, 0]).is_err() && Isotonic::of(&array![1.0], &[0, 1]).is_err());
    assert!(Platt::of(&array![1.0, f64::NAN], &[0, 1]).is_err());
}

/// A temperature changes no prediction, and is stationary: the mean score is that of the true classes.
#[test]
fn temperature() {
    let logits = random(300, 3, 3) * 5.0;
    let noise = random(300, 3, 4) * 8.0;
    let truth: Vec<usize> = (&logits + &noise)
        .rows()
        .into_iter()
        .map(|r| (0..3).max_by(|a, b| r[*a].total_cmp(&r[*b])).unwrap())
        .collect();
    let map = Temperature::of(&logits, &truth).unwrap();
    assert!(map.temperature() > 1.0);
    let p = map.map(&logits).unwrap();
    let expected: f64 = (&p * &logits).sum();
    let seen: f64 = truth.iter().enumerate().map(|(i, k)| logits[[i, *k]]).sum();
    near(expected, seen, 1e-8);
    assert!(matches!(Temperature::of(array![[2.0, 0.0], [0.0, 1.0]], &[0, 1]), Err(Error::Separable { .. })));
    assert!(Temperature::of(array![[2.0, 0.0]], &[2]).is_err());
}

/// Calibrated scores of a perceptron lose less, on rows that it has not seen, than its own answers as probabilities of 0
/// and 1, of which Brier's score is twice the share that is wrong.
#[test]
fn a_calibrated_classifier() {
    let (x, y) = two();
    let noisy = &x + &(random(x.nrows(), 4, 31) * 0.8);
    let (train, test): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|i| i % 2 == 0);
    let of = |rows: &[usize]| (noisy.select(Axis(0), rows), rows.iter().map(|&i| y[i]).collect::<Vec<i64>>());
    let ((train, known), (test, truth)) = (of(&train), of(&test));
    let plain = Perceptron::new().max_passes(50).fit(&Device::cpu(), &train, &known).unwrap();
    let wrong = 1.0 - plain.score(&test, &truth).unwrap();
    assert!(wrong > 0.1, "the data are too easy: {wrong}");
    let hard = |k: usize| {
        plain.predict(&test).unwrap().iter().map(|y| f64::from(u8::from(*y == k as i64))).collect()
    };
    let columns: [Array1<f64>; 2] = [hard(0), hard(1)];
    let sure = brier(&truth, &ndarray::stack![Axis(1), columns[0], columns[1]]).unwrap();
    for map in [CalibrationMap::Platt, CalibrationMap::Isotonic, CalibrationMap::Temperature] {
        let fit = Calibrated::new(Perceptron::new().max_passes(50), map)
            .fit(&Device::cpu(), &train, &known)
            .unwrap();
        let lost = brier(&truth, &fit.predict_proba(&test).unwrap()).unwrap();
        assert!(lost < 0.85 * sure, "{map:?}: {lost} of {sure}");
    }
    for map in [CalibrationMap::Platt, CalibrationMap::Isotonic] {
        let fit = Calibrated::new(Perceptron::new().max_passes(50), map)
            .seed(1)
            .fit(&Device::cpu(), &x, &y)
            .unwrap();
        let p = fit.predict_proba(&x).unwrap();
        p.rows().into_iter().for_each(|row| near(row.sum(), 1.0, 1e-12));
        assert!(fit.score(&x, &y).unwrap() > 0.85);
    }
    assert!(
        Calibrated::new(Perceptron::new(), CalibrationMap::Platt)
            .folds(1)
            .fit(&Device::cpu(), &x, &y)
            .is_err()
    );
}

/// A temperature of held-out scores, for any number of classes: no prediction changes, it is stationary on the scores that it
/// was learned from, and new rows are predicted no worse than without it.
#[test]
fn a_temperature_keeps_predictions() {
    let (x, y) = three();
    let noisy = &x + &(random(x.nrows(), 4, 33) * 1.2);
    let new = &x + &(random(x.nrows(), 4, 34) * 1.2);
    let sure = LinearDiscriminant::new();
    let plain = sure.fit(&Device::cpu(), &noisy, &y).unwrap();
    let fit =
        Calibrated::new(sure.clone(), CalibrationMap::Temperature).fit(&Device::cpu(), &noisy, &y).unwrap();
    assert_eq!(fit.classes(), [0, 1, 2]);
    assert_eq!(fit.predict(&new).unwrap(), plain.predict(&new).unwrap());
    let p = fit.predict_proba(&new).unwrap();
    p.rows().into_iter().for_each(|row| near(row.sum(), 1.0, 1e-12));
    // Every row has one temperature: log-odds over those of the classifier.
    let scores = plain.decision(&new).unwrap();
    let ratio = |i: usize| (scores[[i, 1]] - scores[[i, 0]]) / (p[[i, 1]] / p[[i, 0]]).ln();
    for i in 1..20 {
        near(ratio(i), ratio(0), 1e-6);
    }
    assert!((ratio(0) - 1.0).abs() > 0.01, "{}", ratio(0));
    // Two classes, by one column of scores.
    let (x, y) = two();
    let noisy = &x + &(random(x.nrows(), 4, 35) * 0.8);
    let fit = Calibrated::new(Perceptron::new().max_passes(30), CalibrationMap::Temperature);
    let (fit, plain) = (
        fit.fit(&Device::cpu(), &noisy, &y).unwrap(),
        Perceptron::new().max_passes(30).fit(&Device::cpu(), &noisy, &y).unwrap(),
    );
    assert_eq!(fit.predict(&x).unwrap(), plain.predict(&x).unwrap());
    // Scores that are all right have no likeliest temperature.
    let apart = array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]];
    let perfect = Calibrated::new(LinearDiscriminant::new(), CalibrationMap::Temperature).folds(3);
    assert!(matches!(perfect.fit(&Device::cpu(), &apart, [0, 0, 0, 1, 1, 1]), Err(Error::Separable { .. })));
}
