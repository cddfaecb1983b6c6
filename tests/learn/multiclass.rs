//! Many classes by classifiers of two, against scikit-learn; labels of any type.

use std::ops::ControlFlow;

use mercer::prelude::*;
use ndarray::{Axis, s};

use crate::models::{Centroid, Sign};
use crate::{all_close, iris, matrix, oracle, words};

#[test]
fn as_scikit_learn() {
    let v = oracle("multiclass");
    let ((x, species), device) = (iris(), Device::cpu());
    let tenth = x.slice(s![..;10, ..]);
    let rest = OneVsRest::new(Sign).fit(&device, &x, &species).unwrap();
    all_close(&rest.decision(tenth).unwrap(), &matrix(&v["rest_decision"]), 1e-9);
    assert_eq!(rest.predict(&x).unwrap(), words(&v["rest"]));
    let one = OneVsOne::new(Sign).fit(&device, &x, &species).unwrap();
    all_close(&one.decision(tenth).unwrap(), &matrix(&v["one_decision"]), 1e-9);
    assert_eq!(one.predict(&x).unwrap(), words(&v["one"]));
    assert_eq!((rest.fitted().len(), one.fitted().len()), (3, 3));
    assert_eq!(one.score(&x, &species).unwrap(), accuracy(&species, &words(&v["one"])).unwrap());
}

#[test]
fn by_probabilities() {
    let ((x, species), device) = (iris(), Device::cpu());
    let rest = OneVsRest::by_proba(Sign).fit(&device, &x, &species).unwrap();
    let p = rest.predict_proba(&x).unwrap();
    p.sum_axis(Axis(1)).iter().for_each(|s| assert!((s - 1.0).abs() < 1e-12));
    // The sigmoid keeps the order of decisions.
    let by_decision = OneVsRest::new(Sign).fit(&device, &x, &species).unwrap();
    assert_eq!(rest.predict(&x).unwrap(), by_decision.predict(&x).unwrap());
    // A model whose only confidence is a probability.
    let one = OneVsOne::by_proba(Centroid).fit(&device, &x, &species).unwrap();
    let all = Fit::<[String]>::fit(&Centroid, &device, x.view(), &species).unwrap();
    assert_eq!(
        one.predict(&x).unwrap(),
        all.predict(x.view()).unwrap(),
        "pairs of centroids are all centroids"
    );
}

#[test]
fn two_classes_take_one_classifier() {
    let ((x, species), device) = (iris(), Device::cpu());
    let two: Vec<i8> = species.iter().map(|s| if s == "setosa" { 4 } else { -4 }).collect();
    let rest = OneVsRest::new(Sign).fit(&device, &x, &two).unwrap();
    let one = OneVsOne::new(Sign).fit(&device, &x, &two).unwrap();
    assert_eq!((rest.fitted().len(), one.fitted().len()), (1, 1));
    assert_eq!(rest.decision(&x).unwrap().ncols(), 1);
    assert_eq!(rest.decision(&x).unwrap(), one.decision(&x).unwrap());
    assert_eq!(rest.predict(&x).unwrap(), two);
    assert_eq!(one.classes(), [-4, 4]);
    let p = OneVsRest::by_proba(Sign).fit(&device, &x, &two).unwrap().predict_proba(&x).unwrap();
    assert_eq!(p.dim(), (150, 2));
}

#[test]
fn in_a_pipeline_and_validated() {
    let ((x, species), device) = (iris(), Device::cpu());
    let model = Pipeline::new(Standardise::new(), OneVsOne::new(Sign));
    let folds = KFold::new(5).shuffled(0).stratified(&species);
    let scores = cross_validate(&model, &device, &x, &species, &folds, accuracy).unwrap();
    assert!(scores.mean() > 0.9, "{scores}");
}

#[test]
fn cancelled_and_refused() {
    let ((x, species), device) = (iris(), Device::cpu());
    let stop = || {
        Progress::new(|step| if step.made < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    let ended = OneVsRest::new(Sign).progress(stop()).fit(&device, &x, &species);
    assert!(matches!(ended, Err(Error::Cancelled { iterations: 2, .. })));
    let ended = OneVsOne::new(Sign).progress(stop()).fit(&device, &x, &species);
    assert!(matches!(ended, Err(Error::Cancelled { iterations: 2, .. })));
    let same = vec!["oak"; 150];
    assert!(matches!(OneVsRest::new(Sign).fit(&device, &x, &same), Err(Error::Parameter { .. })));
    assert!(matches!(OneVsOne::new(Sign).fit(&device, &x, &same[..9]), Err(Error::Shape { .. })));
}
