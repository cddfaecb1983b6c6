//! Boosted stumps.

use mercer::prelude::*;
use ndarray::{Array1, array, s};

use crate::support::random;
use crate::{close, column, labels, matrix, near, oracle, three, two, vector, xor};

#[test]
fn scikit_learn_agrees() {
    let (all, (x, y)) = (oracle(), two());
    let fit = AdaBoost::new(12).fit(&Device::cpu(), &x, &y).unwrap();
    let want = vector(&all["adaboost"]["errors"]);
    fit.errors().iter().zip(&want).for_each(|(g, w)| near(*g, *w, 1e-9));
    assert_eq!(fit.predict(&x).unwrap(), labels(&all["adaboost"]["predict"]));
    let boosted = GradientBoostingClassifier::new(20).rate(0.2).fit(&Device::cpu(), &x, &y).unwrap();
    close(
        boosted.predict_proba(&x).unwrap().view(),
        matrix(&all["gradient_classifier"]["proba"]).view(),
        1e-9,
    );
    let (x, _) = three();
    let (inputs, targets) = (x.slice(s![.., ..3]), x.column(3).to_owned());
    let fit = GradientBoosting::new(30).rate(0.2).fit(&Device::cpu(), inputs, &targets).unwrap();
    let got = fit.predict(inputs).unwrap();
    close(column(&got).view(), column(&vector(&all["gradient"]["predict"])).view(), 1e-9);
    near(fit.report().objective(), vector(&all["gradient"]["loss"])[29], 1e-9);
}

/// P.1: weights, shares and the bound.
#[test]
fn the_training_error_stays_below_the_exponential_bound() {
    let x = random(120, 3, 1);
    let y: Vec<bool> =
        x.rows().into_iter().map(|r| r[0] * r[0] + r[1] > 0.3 * (4.0 * r[2]).sin() + 0.4).collect();
    let fit = AdaBoost::new(40).fit(&Device::cpu(), &x, &y).unwrap();
    let t: Array1<f64> = y.iter().map(|y| if *y { 1.0 } else { -1.0 }).collect();
    let (mut a, mut bound) = (Array1::<f64>::zeros(120), 1.0);
    for m in 0..fit.stumps().len() {
        let (stump, share, error) = (fit.stumps()[m], fit.shares()[m], fit.errors()[m]);
        let said: Array1<f64> = x.rows().into_iter().map(|row| stump.at(row)).collect();
        let before = (-&t * &a).mapv(f64::exp);
        let wrong: f64 =
            before.iter().zip(&t).zip(&said).filter(|((_, t), s)| t != s).map(|((w, _), _)| w).sum();
        near(wrong / before.sum(), error, 1e-10);
        near(share, 0.5 * ((1.0 - error) / error).ln(), 1e-12);
        a.scaled_add(share, &said);
        // Under the new weights the stump is no better than chance.
        let after = (-&t * &a).mapv(f64::exp);
        let wrong: f64 =
            after.iter().zip(&t).zip(&said).filter(|((_, t), s)| t != s).map(|((w, _), _)| w).sum();
        near(wrong / after.sum(), 0.5, 1e-9);
        bound *= 2.0 * (error * (1.0 - error)).sqrt();
        near(after.sum() / 120.0, bound, 1e-9);
        let mistakes = a.iter().zip(&t).filter(|(a, t)| **a * **t <= 0.0).count() as f64 / 120.0;
        assert!(mistakes <= bound + 1e-12, "{mistakes} above {bound}");
        near(fit.report().trace[m + 1], bound, 1e-9);
    }
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0]));
    close(fit.decision(&x).unwrap().view(), column(&a).view(), 1e-10);
}

/// A stump that is never wrong ends it; features that tell nothing leave the larger class.
#[test]
fn the_ends_of_boosting() {
    let x = array![[1.0], [2.0], [3.0], [4.0]];
    let fit = AdaBoost::new(50).fit(&Device::cpu(), &x, [0, 0, 1, 1]).unwrap();
    assert_eq!(fit.stumps().len(), 1);
    assert_eq!(fit.stumps()[0].threshold(), 2.5);
    let (x, y) = xor();
    let fit = AdaBoost::new(50).fit(&Device::cpu(), &x, y).unwrap();
    assert!(fit.stumps().is_empty() && fit.predict(&x).is_ok());
    let constant = ndarray::Array2::<f64>::ones((5, 2));
    let fit = AdaBoost::new(5).fit(&Device::cpu(), &constant, [0, 1, 1, 1, 1]).unwrap();
    near(fit.predict_proba(&constant).unwrap()[[0, 1]], 0.8, 1e-12);
    let fit =
        GradientBoosting::new(5).fit(&Device::cpu(), &constant, array![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert_eq!(fit.predict(&constant).unwrap()[0], 3.0);
}

#[test]
fn losses_never_rise() {
    let (x, y) = two();
    let fit = GradientBoostingClassifier::new(50).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0] + 1e-12));
    let fit = GradientBoosting::new(50).fit(&Device::cpu(), x.slice(s![.., 1..]), x.column(0)).unwrap();
    assert!(fit.report().trace.windows(2).all(|w| w[1] <= w[0] + 1e-12));
}

/// P.1: over a single stump, any weak learner's boosting is that of stumps; over discriminants the error stays below its bound.
#[test]
fn any_weak_learner_is_boosted() {
    let x = random(150, 3, 7);
    let y: Vec<&str> =
        x.rows().into_iter().map(|r| if r[0] * r[0] + 0.3 * r[1] > 0.3 { "out" } else { "in" }).collect();
    let cpu = Device::cpu();
    let stumps = AdaBoost::new(15).fit(&cpu, &x, &y).unwrap();
    let same = Boosting::new(AdaBoost::new(1), 15).fit(&cpu, &x, &y).unwrap();
    for m in 0..15 {
        assert_eq!(same.models()[m].stumps()[0].feature(), stumps.stumps()[m].feature());
        near(same.errors()[m], stumps.errors()[m], 1e-10);
        near(same.shares()[m], stumps.shares()[m], 1e-10);
    }
    close(same.decision(&x).unwrap().view(), stumps.decision(&x).unwrap().view(), 1e-9);
    assert_eq!(same.predict(&x).unwrap(), stumps.predict(&x).unwrap());
    close(same.predict_proba(&x).unwrap().view(), stumps.predict_proba(&x).unwrap().view(), 1e-9);
    let fit = Boosting::new(QuadraticDiscriminant::new(), 10).fit(&cpu, &x, &y).unwrap();
    let bound = fit.errors().iter().map(|e| 2.0 * (e * (1.0 - e)).sqrt()).product::<f64>();
    assert!(1.0 - fit.score(&x, &y).unwrap() <= bound + 1e-12);
    near(*fit.report().trace.last().unwrap(), bound, 1e-12);
    let three: Vec<usize> = (0..150).map(|i| i % 3).collect();
    assert!(Boosting::new(AdaBoost::new(1), 5).fit(&cpu, &x, &three).is_err());
    assert!(Boosting::new(AdaBoost::new(1), 0).fit(&cpu, &x, &y).is_err());
}
