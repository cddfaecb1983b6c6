//! Sparse processes.

use mercer::models::gp::{Inducing, Predictive, SparseGpRegressor, SparseMethod};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};

use crate::support::{adapters, random};
use crate::{damaged, refused, same, through};

#[test]
fn a_sparse_process_is_the_same() {
    let (x, y, new) = (random(80, 2, 1), random(80, 2, 2), random(15, 2, 3));
    let start = SparseGpRegressor::new(1.0 * Kernel::rbf([0.5, 1.0]), Inducing::greedy(12));
    let searched = start.clone().optimise(Minimiser::new().max_iterations(5));
    let given = SparseGpRegressor::new(Kernel::matern32(0.7), Inducing::Given(random(9, 2, 4)));
    for (method, model) in [
        (SparseMethod::Variational, &start),
        (SparseMethod::Dtc, &given),
        (SparseMethod::Fitc, &given),
        (SparseMethod::Variational, &searched),
    ] {
        let fitted = model.clone().method(method).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        for back in through(&fitted) {
            let [a, b] =
                [&back, &fitted].map(|gp| gp.predict_with(new.view(), Predictive::Observed).unwrap());
            same(&a.mean, &b.mean);
            same(&a.variance, &b.variance);
            assert_eq!(back.log_evidence(), fitted.log_evidence());
            assert_eq!((back.search(), back.model().inducing()), (fitted.search(), model.inducing()));
        }
        damaged(&fitted);
    }
}

#[test]
fn what_a_gpu_has_searched_for_predicts_without_one() {
    let (x, y, new) = (random(60, 1, 1), random(60, 1, 2), random(15, 1, 3));
    let model = SparseGpRegressor::new(1.0 * Kernel::rbf(0.5), Inducing::greedy(8))
        .optimise(Minimiser::new().max_iterations(3));
    for device in adapters() {
        let fitted = model.fit(device, x.view(), y.view()).unwrap();
        for back in through(&fitted) {
            let [a, b] = [&back, &fitted].map(|gp| gp.predict_with(new.view(), Predictive::Latent).unwrap());
            same(&a.mean, &b.mean);
            same(&a.variance, &b.variance);
        }
    }
}

#[test]
fn a_file_that_was_tampered_with_is_refused() {
    let (x, y) = (random(40, 2, 1), random(40, 1, 2));
    let model = SparseGpRegressor::new(Kernel::rbf(0.5), Inducing::greedy(6));
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for (at, value, said) in [
        ("/model/noise", -0.1, "noise"),
        ("/jitter", -1.0, "jitter"),
        ("/gap", -1.0, "gap"),
        ("/l/lower/0", 0.0, "pivot 0"),
        ("/l/lower/1", 1.0, "row 1"),
        ("/lb/lower/0", 0.5, "shorter"),
        ("/model/kernel/Leaf/scales/0/value", 0.0, "lengthscale"),
    ] {
        let error = refused(&fitted, at, value);
        assert!(error.contains(said), "{at}: {error}");
    }
    assert!(refused(&fitted, "/z/data/0", "nan").contains("inducing"));
    assert!(refused(&fitted, "/beta/rows", 5).contains("numbers"));
    assert!(refused(&fitted, "/format", 9).contains("format 9"));
}
