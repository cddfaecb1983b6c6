//! Bad and hard data.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array, concatenate};

use crate::support::random;
use crate::{close, near};

fn data() -> (Array2<f64>, Vec<bool>) {
    let x = random(60, 2, 1);
    let noise = random(60, 1, 2);
    let y = (0..60).map(|i| x[[i, 0]] + 0.8 * noise[[i, 0]] > 0.1).collect();
    (x, y)
}

macro_rules! each_classifier {
    ($run:ident) => {
        $run!(LogisticRegression::new(0.0));
        $run!(ProbitRegression::new(0.0));
        $run!(BayesianLogisticRegression::new(1.0));
        $run!(LeastSquaresClassifier::new(0.0));
        $run!(LinearDiscriminant::new());
        $run!(QuadraticDiscriminant::new());
        $run!(GaussianNaiveBayes::new());
        $run!(AdaBoost::new(5));
        $run!(GradientBoostingClassifier::new(5));
    };
}

#[test]
fn one_class_is_an_error() {
    let (x, _) = data();
    macro_rules! refused {
        ($model:expr) => {
            assert!(matches!($model.fit(&Device::cpu(), &x, vec![1; 60]), Err(Error::Parameter { .. })));
        };
    }
    each_classifier!(refused);
    refused!(Perceptron::new());
    refused!(KNearest::new(3));
}

#[test]
fn weights_that_are_all_zero_are_an_error() {
    let (x, y) = data();
    macro_rules! refused {
        ($model:expr) => {
            assert!($model.fit_weighted(&Device::cpu(), &x, &y, Array1::<f64>::zeros(60)).is_err());
        };
    }
    each_classifier!(refused);
    // As are weights that leave one class.
    let w: Array1<f64> = y.iter().map(|y| f64::from(u8::from(*y))).collect();
    macro_rules! refused {
        ($model:expr) => {
            assert!($model.fit_weighted(&Device::cpu(), &x, &y, &w).is_err());
        };
    }
    each_classifier!(refused);
}

/// A column that does not vary gets no coefficient; one that repeats another shares its.
#[test]
fn constant_and_collinear_columns() {
    let (x, y) = data();
    let plain = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    let wide = concatenate![Axis(1), x, Array2::from_elem((60, 1), 7.0)];
    let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), &wide, &y).unwrap();
    assert_eq!(fit.coefficients()[[2, 0]], 0.0);
    close(fit.predict_proba(&wide).unwrap().view(), plain.predict_proba(&x).unwrap().view(), 1e-9);
    let wide = concatenate![Axis(1), x, x.select(Axis(1), &[0])];
    let fit = LogisticRegression::new(0.0).fit(&Device::cpu(), &wide, &y).unwrap();
    assert_eq!((fit.rank(), plain.rank()), (3, 3));
    near(fit.coefficients()[[0, 0]] + fit.coefficients()[[2, 0]], plain.coefficients()[[0, 0]], 1e-6);
    close(fit.predict_proba(&wide).unwrap().view(), plain.predict_proba(&x).unwrap().view(), 1e-7);
    // Discriminants need shrinkage there, and say so.
    assert!(matches!(
        LinearDiscriminant::new().fit(&Device::cpu(), &wide, &y),
        Err(Error::NotPositiveDefinite { .. })
    ));
    assert!(matches!(
        QuadraticDiscriminant::new().fit(&Device::cpu(), &wide, &y),
        Err(Error::NotPositiveDefinite { .. })
    ));
    let shrunk = LinearDiscriminant::new().shrinkage(1e-6).fit(&Device::cpu(), &wide, &y).unwrap();
    let lda = LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    close(shrunk.predict_proba(&wide).unwrap().view(), lda.predict_proba(&x).unwrap().view(), 1e-4);
    assert!(QuadraticDiscriminant::new().shrinkage(0.1).fit(&Device::cpu(), &wide, &y).is_ok());
}

#[test]
fn more_features_than_rows() {
    let x = random(10, 30, 3);
    let y: Vec<usize> = (0..10).map(|i| i % 3).collect();
    assert!(LogisticRegression::new(1.0).fit(&Device::cpu(), &x, &y).unwrap().report().converged());
    assert!(
        LogisticRegression::new(0.0).l1(0.1).fit(&Device::cpu(), &x, &y).unwrap().score(&x, &y).unwrap()
            > 0.9
    );
    assert!(LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).is_err());
    assert_eq!(
        LinearDiscriminant::new().shrinkage(0.2).fit(&Device::cpu(), &x, &y).unwrap().score(&x, &y).unwrap(),
        1.0
    );
    assert_eq!(
        LeastSquaresClassifier::new(0.0).fit(&Device::cpu(), &x, &y).unwrap().score(&x, &y).unwrap(),
        1.0
    );
    assert!(GaussianNaiveBayes::new().fit(&Device::cpu(), &x, &y).is_ok());
}

/// A label never seen counts as wrong in a score; as many labels as rows must be there. Settings out of their domain are
/// errors, and so are categories never seen.
#[test]
fn unseen_labels_and_bad_settings() {
    let (x, y) = data();
    let fit = LogisticRegression::new(1.0).fit(&Device::cpu(), &x, &y).unwrap();
    assert!(fit.score(&x, vec![true; 59]).is_err());
    let named: Vec<usize> = y.iter().map(|y| usize::from(*y)).collect();
    let fitted = LogisticRegression::new(1.0).fit(&Device::cpu(), &x, &named).unwrap();
    let right = fitted.predict(&x).unwrap();
    let mut truth = right.clone();
    truth[7] = 2;
    assert_eq!(fitted.score(&x, &right).unwrap(), 1.0);
    near(fitted.score(&x, &truth).unwrap(), 59.0 / 60.0, 1e-15);
    assert!(LogisticRegression::new(-1.0).fit(&Device::cpu(), &x, &y).is_err());
    assert!(LogisticRegression::new(1.0).l1(f64::NAN).fit(&Device::cpu(), &x, &y).is_err());
    assert!(LogisticRegression::new(1.0).offset([1.0; 3]).fit(&Device::cpu(), &x, &y).is_err());
    let three: Vec<usize> = (0..60).map(|i| i % 3).collect();
    assert!(LogisticRegression::new(1.0).offset([0.0; 60]).fit(&Device::cpu(), &x, &three).is_err());
    assert!(ProbitRegression::new(1.0).fit(&Device::cpu(), &x, &three).is_err());
    let given = |w: Vec<f64>| {
        LogisticRegression::new(1.0).class_weights(ClassWeights::Each(w)).fit(&Device::cpu(), &x, &y)
    };
    assert!(given(vec![1.0, 2.0]).is_ok() && given(vec![1.0]).is_err() && given(vec![1.0, 0.0]).is_err());
    assert!(LinearDiscriminant::new().shrinkage(1.5).fit(&Device::cpu(), &x, &y).is_err());
    assert!(LinearDiscriminant::new().priors(vec![0.5, 0.6]).fit(&Device::cpu(), &x, &y).is_err());
    assert!(LinearDiscriminant::new().components(2).fit(&Device::cpu(), &x, &y).is_err());
    let categories = array![[0.0], [1.0], [2.0], [1.0]];
    let fit =
        CategoricalNaiveBayes::new().smoothing(1.0).fit(&Device::cpu(), &categories, [0, 1, 0, 1]).unwrap();
    assert!(fit.predict(array![[3.0]]).is_err() && fit.predict(array![[0.5]]).is_err());
    let told = CategoricalNaiveBayes::new()
        .smoothing(1.0)
        .categories(vec![4])
        .fit(&Device::cpu(), &categories, [0, 1, 0, 1])
        .unwrap();
    assert!(told.predict(array![[3.0]]).is_ok());
    assert!(BernoulliNaiveBayes::new().fit(&Device::cpu(), array![[0.5], [1.0]], [0, 1]).is_err());
    assert!(MultinomialNaiveBayes::new(1.0).fit(&Device::cpu(), array![[-1.0], [1.0]], [0, 1]).is_err());
    assert!(AdaBoost::new(0).fit(&Device::cpu(), &x, &y).is_err());
    assert!(GradientBoosting::new(3).rate(2.0).fit(&Device::cpu(), &x, x.column(0)).is_err());
    assert!(RandomLayer::new(0).fit(&Device::cpu(), &x).is_err());
}

/// The same classes from wherever the data lie and in whatever unit.
#[test]
fn far_away_and_in_other_units() {
    let (x, y) = data();
    macro_rules! same {
        ($model:expr) => {
            let fit = $model.fit(&Device::cpu(), &x, &y).unwrap();
            for (unit, far) in [(1e-8, 0.0), (1e8, 0.0), (1.0, 1e6)] {
                let moved = &x * unit + far;
                let other = $model.fit(&Device::cpu(), &moved, &y).unwrap();
                assert_eq!(other.predict(&moved).unwrap(), fit.predict(&x).unwrap(), "{unit}, {far}");
            }
        };
    }
    same!(LogisticRegression::new(0.0));
    same!(ProbitRegression::new(0.0));
    same!(LinearDiscriminant::new());
    same!(QuadraticDiscriminant::new());
    same!(GaussianNaiveBayes::new());
    same!(KNearest::new(3));
    same!(AdaBoost::new(5));
}
