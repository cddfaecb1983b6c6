//! Pipelines with three kinds of models: what comes second sees what the first has made, and of training rows alone.

use mercer::learn::Classes;
use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::models::{Centroid, Mean};
use crate::{all_close, iris};

#[test]
fn the_same_as_by_hand() {
    let (x, species) = iris();
    let (device, y) = (Device::cpu(), x.column(3).to_owned());
    let scaled = Standardise::new().fit(&device, &x).unwrap();
    let z = scaled.transform(&x).unwrap();
    let ridge = KernelRidge::new(Kernel::rbf(1.0), 0.1);
    let by_hand = ridge.fit(&device, &z, &y).unwrap();
    let fitted = Pipeline::new(Standardise::new(), ridge).fit(&device, &x, &y).unwrap();
    assert_eq!(fitted.predict(&x).unwrap(), by_hand.predict(&z).unwrap());
    assert_eq!(fitted.score(&x, &y).unwrap(), by_hand.score(&z, &y).unwrap());
    assert_eq!(fitted.first(), &scaled);
    assert_eq!(fitted.then().penalty(), 0.1);

    let by_hand = Fit::<[String]>::fit(&Centroid, &device, z.view(), &species).unwrap();
    let fitted = Pipeline::new(Standardise::new(), Centroid).fit(&device, &x, &species).unwrap();
    assert_eq!(fitted.predict(&x).unwrap(), by_hand.predict(z.view()).unwrap());
    assert_eq!(fitted.predict_proba(&x).unwrap(), by_hand.predict_proba(z.view()).unwrap());
    assert_eq!(fitted.classes(), ["setosa", "versicolor", "virginica"]);
    assert_eq!(fitted.score(&x, &species).unwrap(), by_hand.score(z.view(), &species).unwrap());

    let mean = Pipeline::new(MinMax::new(), Mean).fit(&device, &x, &x).unwrap();
    all_close(mean.predict(&x).unwrap().row(7), &x.mean_axis(ndarray::Axis(0)).unwrap(), 1e-14);
}

#[test]
fn pipelines_of_pipelines() {
    let (x, species) = iris();
    let device = Device::cpu();
    let right = Pipeline::new(Standardise::new(), Pipeline::new(Whiten::new(), Centroid));
    let left = Pipeline::new(Pipeline::new(Standardise::new(), Whiten::new()), Centroid);
    let (a, b) = (right.fit(&device, &x, &species).unwrap(), left.fit(&device, &x, &species).unwrap());
    assert_eq!(a.predict(&x).unwrap(), b.predict(&x).unwrap());
    assert_eq!(Classes::classes(&a), Classes::classes(&b));
    // Transformations alone make one too, which is undone in the opposite order.
    let both = Pipeline::new(Standardise::new(), Pipeline::new(MinMax::new(), BiasColumn));
    let fitted = both.fit(&device, &x, ()).unwrap();
    let z = fitted.transform(&x).unwrap();
    assert_eq!(z.ncols(), 5);
    all_close(&fitted.inverse_transform(&z).unwrap(), &x, 1e-13);
}

#[test]
fn weights_reach_both() {
    let x = array![[1.0], [2.0], [7.0], [4.0]];
    let y = array![1.0, 0.0, 3.0, 2.0];
    let (device, w) = (Device::cpu(), [2.0, 1.0, 0.0, 1.0]);
    let rows = [0, 0, 1, 3];
    let (xs, ys) = (x.select(ndarray::Axis(0), &rows), y.select(ndarray::Axis(0), &rows));
    let ridge = Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf(1.0), 0.1));
    let weighed = ridge.fit_weighted(&device, &x, &y, w).unwrap().predict(&x).unwrap();
    all_close(&weighed, &ridge.fit(&device, &xs, &ys).unwrap().predict(&x).unwrap(), 1e-10);
    let mean = Pipeline::new(Standardise::new(), Mean).fit_weighted(&device, &x, &y, w).unwrap();
    let said: ndarray::Array1<f64> = mean.predict(&x).unwrap();
    assert_eq!(said[0], 1.0);
    assert!(ridge.fit_weighted(&device, &x, &y, [1.0]).is_err());
}

#[test]
fn errors_of_either() {
    let (device, y) = (Device::cpu(), array![1.0, 2.0]);
    let model = Pipeline::new(Standardise::new(), KernelRidge::new(Kernel::rbf(1.0), -1.0));
    let good = array![[1.0], [2.0]];
    assert!(matches!(model.fit(&device, &good, &y), Err(Error::Parameter { .. })));
    let bad = array![[f64::NAN], [2.0]];
    assert!(matches!(model.fit(&device, &bad, &y), Err(Error::NotFinite { .. })));
    let none = Array2::<f64>::zeros((0, 1));
    assert!(matches!(model.fit(&device, &none, &y), Err(Error::Shape { .. })));
    let fitted = Pipeline::new(Standardise::new(), Mean).fit(&device, &good, &y).unwrap();
    assert!(matches!(fitted.predict(array![[1.0, 2.0]]), Err(Error::Shape { .. })));
}
