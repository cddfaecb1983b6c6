//! Maps from scores to probabilities.

use mercer::prelude::*;
use ndarray::{Array1, array};

use crate::support::random;
use crate::{labels, near, oracle, two, vector};

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

/// Calibrated scores of a perceptron lose less than its own as probabilities of 0 and 1.
#[test]
fn a_calibrated_classifier() {
    let (x, y) = two();
    for map in [CalibrationMap::Platt, CalibrationMap::Isotonic] {
        let fit = Calibrated::new(Perceptron::new().max_passes(50), map)
            .seed(1)
            .fit(&Device::cpu(), &x, &y)
            .unwrap();
        let p = fit.predict_proba(&x).unwrap();
        p.rows().into_iter().for_each(|row| near(row.sum(), 1.0, 1e-12));
        assert!(fit.score(&x, &y).unwrap() > 0.85);
        assert!(brier(&y, &p).unwrap() < 0.25);
    }
    assert!(
        Calibrated::new(Perceptron::new(), CalibrationMap::Platt)
            .folds(1)
            .fit(&Device::cpu(), &x, &y)
            .is_err()
    );
}
