//! What is written over the traits, with models of the library: linear, kernel methods, Gaussian processes, clusters.

use mercer::prelude::*;
use ndarray::{Axis, s};

use crate::iris;
use crate::validate::petals;

fn forward() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(2.0) + Kernel::constant(1.0)).noise(0.05)
}

#[test]
fn pipelines_do_what_the_second_can() {
    let ((x, y), device) = (petals(), Device::cpu());
    let z = Standardise::new().fit(&device, &x).unwrap().transform(&x).unwrap();
    macro_rules! as_by_hand {
        ($($model:expr),+) => { $({
            let (one, two) = (Pipeline::new(Standardise::new(), $model), $model);
            let (one, two) = (one.fit(&device, &x, &y).unwrap(), two.fit(&device, &z, &y).unwrap());
            assert_eq!(one.predict(&x).unwrap(), two.predict(&z).unwrap());
            assert_eq!(one.score(&x, &y).unwrap(), two.score(&z, &y).unwrap());
        })+ };
    }
    as_by_hand!(Ridge::new(0.5), KernelRidge::new(Kernel::rbf(1.0), 0.1), forward());
    let gp = Pipeline::new(Standardise::new(), forward()).fit(&device, &x, &y).unwrap();
    let by_hand = forward().fit(&device, &z, &y).unwrap().predict_distribution(&z).unwrap();
    let (low, high) = gp.predict_distribution(&x).unwrap().interval(0.9).unwrap();
    assert_eq!((low.clone(), high.clone()), by_hand.interval(0.9).unwrap());
    let inside = (0..150).filter(|&i| low[i] <= y[i] && y[i] <= high[i]).count();
    assert!((120..=150).contains(&inside), "{inside} of 150");
    // Weights reach a linear model too.
    let (ridge, w) = (Pipeline::new(Standardise::new(), Ridge::new(0.5)), vec![2.0; 150]);
    let twice: Vec<usize> = (0..150).flat_map(|i| [i, i]).collect();
    let (weighed, repeated) = (
        ridge.fit_weighted(&device, &x, &y, &w).unwrap(),
        ridge.fit(&device, x.select(Axis(0), &twice), y.select(Axis(0), &twice)).unwrap(),
    );
    crate::all_close(&weighed.predict(&x).unwrap(), &repeated.predict(&x).unwrap(), 1e-10);
}

#[test]
fn clusters_behind_a_scale() {
    let (x, species) = iris();
    let model = Pipeline::new(Standardise::new(), KMeans::new(3).seed(1).restarts(3));
    let clusters = model.fit(&Device::cpu(), &x, ()).unwrap().predict(&x).unwrap();
    assert!(adjusted_rand(&species, &clusters).unwrap() > 0.5);
    assert!(silhouette(&x, &clusters).unwrap() > 0.3);
}

#[test]
fn validated_and_chosen() {
    let ((x, y), device) = (petals(), Device::cpu());
    let folds = KFold::new(4).shuffled(3);
    let linear = cross_validate(&Ridge::new(1e-3), &device, &x, &y, &folds, r2).unwrap();
    let process = cross_validate(&forward(), &device, &x, &y, &folds, r2).unwrap();
    assert!(linear.mean() > 0.9 && process.mean() > 0.9, "{linear}, {process}");
    // A closed form agrees with the folds: leave-one-out by its definition.
    let penalties = [1e-2, 1.0, 1e2, 1e4];
    let search = Search::over(penalties.map(Ridge::new)).by(LeaveOneOut).lowest(mse);
    let best = search.fit(&device, &x, &y).unwrap();
    let closed = RidgeCv::new(&penalties).fit(&device, &x, &y).unwrap();
    assert_eq!(penalties[best.index()], closed.best().penalty());
    assert_eq!(best.predict(&x).unwrap().len(), 150);
}

#[test]
fn classified_by_name() {
    let (x, species) = iris();
    let (x, species) = (x.slice(s![..;3, ..]), species.into_iter().step_by(3).collect::<Vec<_>>());
    let device = Device::cpu();
    let model = Pipeline::new(Standardise::new(), GpClassifier::new(Kernel::rbf(2.0).scaled(4.0)));
    let folds = KFold::new(3).shuffled(0).stratified(&species);
    let said: Vec<String> = cross_val_predict(&model, &device, x, &species, &folds).unwrap();
    assert!(accuracy(&species, &said).unwrap() > 0.85);
    assert_eq!(ConfusionMatrix::of(&species, &said).unwrap().classes().len(), 3);
    let by = CrossValidation::by(&folds);
    let p = by.predictions(&model, &device, x, &species, |fit, x| fit.predict_proba(x)).unwrap();
    assert!(log_loss(&species, &p).unwrap() < 0.6);
    let rest = OneVsRest::by_proba(GpClassifier::new(Kernel::rbf(2.0))).fit(&device, x, &species).unwrap();
    assert!(rest.score(x, &species).unwrap() > 0.85);
}
