//! Curves over thresholds, ties among them, against scikit-learn and against the definition of their areas.

use mercer::prelude::*;
use ndarray::{Array1, array};

use crate::{all_close, close, number, oracle, vector};

fn case() -> (serde_json::Value, Vec<bool>, Array1<f64>) {
    let v = oracle("curves");
    let truth = v["truth"].as_array().unwrap().iter().map(|v| v.as_bool().unwrap()).collect();
    let scores = vector(&v["scores"]);
    (v, truth, scores)
}

#[test]
fn as_scikit_learn() {
    let (v, truth, scores) = case();
    let roc = Roc::of(&truth, &scores).unwrap();
    assert_eq!(roc.thresholds()[0], f64::INFINITY);
    all_close(&roc.thresholds()[1..], &vector(&v["roc_thresholds"]), 0.0);
    all_close(roc.false_positive_rate(), &vector(&v["fpr"]), 1e-15);
    all_close(roc.true_positive_rate(), &vector(&v["tpr"]), 1e-15);
    close(roc_auc(&truth, &scores).unwrap(), number(&v["roc_auc"]), 1e-14);
    let pr = PrecisionRecall::of(&truth, &scores).unwrap();
    // scikit-learn ends where everything is recalled; what follows is the same recall at less precision.
    let n = v["recall"].as_array().unwrap().len();
    all_close(&pr.precision()[..n], &vector(&v["precision"]), 1e-15);
    all_close(&pr.recall()[..n], &vector(&v["recall"]), 1e-15);
    all_close(&pr.thresholds()[..n], &vector(&v["pr_thresholds"]), 0.0);
    close(average_precision(&truth, &scores).unwrap(), number(&v["average_precision"]), 1e-14);
    let calibration = Calibration::of(&truth, &vector(&v["chance"]), 7).unwrap();
    all_close(calibration.observed(), &vector(&v["calibration_observed"]), 1e-14);
    all_close(calibration.predicted(), &vector(&v["calibration_predicted"]), 1e-14);
    assert_eq!(calibration.counts().iter().sum::<usize>(), 60);
}

#[test]
fn the_area_is_the_probability_that_a_pair_is_in_order() {
    let (_, truth, scores) = case();
    let (mut won, mut pairs) = (0.0, 0.0);
    for i in (0..60).filter(|&i| truth[i]) {
        for j in (0..60).filter(|&j| !truth[j]) {
            pairs += 1.0;
            won +=
                if scores[i] > scores[j] { 1.0 } else { 0.5 * f64::from(u8::from(scores[i] == scores[j])) };
        }
    }
    close(roc_auc(&truth, &scores).unwrap(), won / pairs, 1e-14);
    // Scores that are all the same know nothing.
    assert_eq!(roc_auc(&truth, &Array1::<f64>::ones(60)), Ok(0.5));
    close(roc_auc(&truth, &-&scores).unwrap(), 1.0 - won / pairs, 1e-14);
}

#[test]
fn calibrated_where_it_is() {
    let p = array![0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75];
    let y = [true, false, false, false, true, true, true, false];
    let c = Calibration::of(&y, &p, usize::MAX).unwrap();
    assert_eq!((c.observed(), c.counts()), (&[0.25, 0.75][..], &[4, 4][..]));
    assert_eq!(c.error(), 0.0);
    assert_eq!(Calibration::of(&y, &p, 1).unwrap().predicted(), [0.5]);
    let ends = Calibration::of(&[false, true], &array![0.0, 1.0], 10).unwrap();
    assert_eq!((ends.predicted(), ends.observed()), (&[0.0, 1.0][..], &[0.0, 1.0][..]));
}

#[test]
fn refused() {
    let s = array![0.1, 0.9];
    assert!(matches!(roc_auc(&["a", "a"], &s), Err(Error::Parameter { .. })));
    assert!(matches!(roc_auc(&["a", "b", "c"], &array![1.0, 2.0, 3.0]), Err(Error::Parameter { .. })));
    assert!(matches!(roc_auc(&["a", "b", "b"], &s), Err(Error::Shape { .. })));
    assert!(matches!(average_precision(&[0, 1], &array![0.1, f64::NAN]), Err(Error::NotFinite { .. })));
    assert!(matches!(Calibration::of(&[0, 1], &s, 0), Err(Error::Parameter { .. })));
    assert!(matches!(Calibration::of(&[0, 1], &array![0.1, 1.1], 3), Err(Error::Parameter { .. })));
}
