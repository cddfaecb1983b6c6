//! Cross-validation and curves with three kinds of models, against scikit-learn.

use mercer::learn::Fold;
use mercer::prelude::*;
use ndarray::{Array1, Array2, array, s};

use crate::models::{Centroid, Mean, Never};
use crate::{all_close, close, iris, matrix, oracle, vector, words};

/// Its kernel is `exp(-γ d²)` in scikit-learn.
pub fn ridge(gamma: f64) -> Pipeline<Standardise, KernelRidge> {
    Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf((0.5 / gamma).sqrt()), 0.1))
}

pub fn petals() -> (Array2<f64>, Array1<f64>) {
    let (x, _) = iris();
    (x.slice(s![.., ..3]).to_owned(), x.column(3).to_owned())
}

#[test]
fn scores_and_predictions_as_scikit_learn() {
    let v = oracle("validation");
    let ((x, y), device) = (petals(), Device::cpu());
    let scores = cross_validate(&ridge(0.5), &device, &x, &y, &KFold::new(5), r2).unwrap();
    all_close(scores.folds(), &vector(&v["ridge_r2"]), 1e-9);
    let p = cross_val_predict(&ridge(0.5), &device, &x, &y, &KFold::new(5)).unwrap();
    all_close(&p, &vector(&v["ridge_predictions"]), 1e-9);

    let (x, species) = iris();
    let (model, folds) = (Pipeline::new(Standardise::new(), Centroid), KFold::new(5).stratified(&species));
    let scores = cross_validate(&model, &device, &x, &species, &folds, accuracy).unwrap();
    all_close(scores.folds(), &vector(&v["centroid_accuracy"]), 1e-15);
    let said: Vec<String> = cross_val_predict(&model, &device, &x, &species, &folds).unwrap();
    assert_eq!(said, words(&v["centroid_predictions"]));
    let by = CrossValidation::by(&folds);
    let p = by.predictions(&model, &device, &x, &species, |fit, x| fit.predict_proba(x)).unwrap();
    assert_eq!(p.dim(), (150, 3));
    assert!(log_loss(&species, &p).unwrap() < 0.5);
}

#[test]
fn the_mean_of_the_others() {
    let (x, y) = (Array2::<f64>::zeros((4, 1)), array![[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [6.0, 4.0]]);
    let p = cross_val_predict(&Mean, &Device::cpu(), &x, &y, &LeaveOneOut).unwrap();
    let third = |v: f64| v / 3.0;
    all_close(p.column(0), &array![11.0, 10.0, 9.0, 6.0].mapv(third), 1e-15);
    let scores = cross_validate(&Mean, &Device::cpu(), &x, &y, &LeaveOneOut, mse).unwrap();
    let by_hand = (&p - &y).mapv(|v| v * v).mean_axis(ndarray::Axis(1)).unwrap();
    all_close(scores.folds(), &by_hand, 1e-14);
    close(scores.mean(), by_hand.mean().unwrap(), 1e-14);
    close(scores.std(), by_hand.std(0.0), 1e-14);
    assert_eq!(format!("{:.1}", Scores::from(vec![1.0, 3.0])), "2.0 ± 1.0 (2 folds)");
    // A closure will do for a metric.
    let worst =
        |t: &ndarray::ArrayRef2<f64>, p: &Array2<f64>| Ok((&t.view() - p).fold(0f64, |m, v| m.max(v.abs())));
    let scores = cross_validate(&Mean, &Device::cpu(), &x, &y, &KFold::new(2), worst).unwrap();
    assert_eq!(scores.folds(), [3.5, 4.5]);
}

#[test]
fn curves_as_scikit_learn() {
    let v = oracle("validation");
    let ((x, y), device, quiet) = (petals(), Device::cpu(), Progress::none());
    let sizes = [20, 60, 120];
    let curve = learning_curve(&ridge(0.5), &device, &x, &y, &sizes, &KFold::new(5), r2, &quiet).unwrap();
    let (train, test) = (matrix(&v["curve_train"]), matrix(&v["curve_test"]));
    for (i, point) in curve.iter().enumerate() {
        assert_eq!(point.at, sizes[i]);
        all_close(point.train.folds(), train.row(i), 1e-8);
        all_close(point.test.folds(), test.row(i), 1e-8);
    }
    let gammas = vector(&v["gammas"]).to_vec();
    let curve =
        validation_curve(|&g| ridge(g), &gammas, &device, &x, &y, &KFold::new(5), r2, &quiet).unwrap();
    let (train, test) = (matrix(&v["validation_train"]), matrix(&v["validation_test"]));
    for (i, point) in curve.iter().enumerate() {
        all_close(point.train.folds(), train.row(i), 1e-8);
        all_close(point.test.folds(), test.row(i), 1e-8);
    }
    for size in [0, 121, usize::MAX] {
        let refused = learning_curve(&Mean, &device, &x, &y, &[size], &KFold::new(5), mse, &quiet);
        assert!(matches!(refused, Err(Error::Parameter { .. })));
    }
}

#[test]
fn refused() {
    let ((x, y), device) = (petals(), Device::cpu());
    let five = KFold::new(5);
    let short = y.slice(s![..9]);
    assert!(matches!(cross_validate(&Mean, &device, &x, short, &five, mse), Err(Error::Shape { .. })));
    let bad = x.mapv(|v| if v > 7.0 { f64::NAN } else { v });
    assert!(matches!(cross_validate(&Mean, &device, &bad, &y, &five, mse), Err(Error::NotFinite { .. })));
    assert!(matches!(
        cross_validate(&Never, &device, &x, &y, &five, mse),
        Err(Error::Shape { op: "Never::fit", .. })
    ));
    assert!(cross_validate(&Mean, &device, &x, &y, &KFold::new(151), mse).is_err());
    let none: Vec<Fold> = vec![];
    assert!(matches!(cross_validate(&Mean, &device, &x, &y, &none, mse), Err(Error::Shape { .. })));
    // A score that is no number is an error.
    let nan = |_: &ndarray::ArrayRef1<f64>, _: &Array1<f64>| Ok(f64::NAN);
    assert!(matches!(cross_validate(&Mean, &device, &x, &y, &five, nan), Err(Error::NotFinite { .. })));
    // Every row must be tested once for a prediction of every row.
    let twice = KFold::new(5).shuffled(1).repeated(2);
    for refused in [
        cross_val_predict(&Mean, &device, &x, &y, &twice),
        cross_val_predict(&Mean, &device, &x, &y, &Holdout::new(0.5)),
        cross_val_predict(&Mean, &device, &x, &y, &TimeSeries::new(3)),
    ] {
        assert!(matches!(refused, Err(Error::Shape { .. })));
    }
}
