//! What a caller's numbers may not make anybody allocate.

use mercer::linalg::LogDetParams;
use mercer::models::gp::{GpRegressor, MatrixFreeParams, Predictive, SliceParams};
use mercer::{Device, Error, Kernel, Result};
use ndarray::{Array2, ArrayView2};

use crate::{data, everywhere};

fn model() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(1.0)).noise(0.1)
}

#[track_caller]
fn over<T>(result: Result<T>) -> u64 {
    match result.map(|_| ()) {
        Err(Error::OverBudget { need, budget, .. }) if need > budget => need,
        other => panic!("{other:?} is not over the budget"),
    }
}

/// A million points have a covariance of eight terabytes: nobody tries.
#[test]
fn covariances_between_a_million_points() {
    let (x, y) = data(20, 1, 301);
    let million = Array2::from_shape_fn((1_000_000, 1), |(i, _)| i as f64);
    let million = million.view();
    assert!(over(model().sample_prior(million, 1, 0)) >= 8_000_000_000_000);
    for device in everywhere() {
        let fitted = model().fit(&device, x.view(), y.view()).unwrap();
        assert!(over(fitted.predict_joint(million, Predictive::Latent)) >= 8_000_000_000_000, "{device}");
        assert!(over(fitted.sample(million, Predictive::Latent, 1, 0)) >= 8_000_000_000_000, "{device}");
    }
    let fitted = model().fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for count in [usize::MAX, 1 << 40] {
        over(fitted.sample(x.view(), Predictive::Latent, count, 0));
        over(model().sample_prior(x.view(), count, 0));
    }
}

/// What is named as needed is enough, and a byte less is not.
#[test]
fn the_bytes_that_are_named_are_enough() {
    let (x, y) = data(20, 1, 302);
    let new = Array2::from_shape_fn((50, 1), |(i, _)| 0.1 * i as f64);
    let with = |budget: u64| model().memory_budget(budget).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    // Enough for the fit, too little for fifty points more.
    let least = model().plan(&Device::cpu(), 20, 1, 1).host_bytes;
    let joint = |budget: u64, new: ArrayView2<f64>| with(budget).predict_joint(new, Predictive::Latent);
    let need = over(joint(least, new.view()));
    assert!(need >= 8 * 50 * 50, "{need}");
    assert!(joint(need, new.view()).is_ok());
    over(joint(need - 1, new.view()));
    let need = over(with(least).sample(new.view(), Predictive::Latent, 30, 1));
    assert!(need >= 8 * (50 * 50 + 50 * 30), "{need}");
    assert!(with(need).sample(new.view(), Predictive::Latent, 30, 1).is_ok());
    over(with(need - 1).sample(new.view(), Predictive::Latent, 30, 1));
    let prior = |budget: u64| model().memory_budget(budget).sample_prior(new.view(), 30, 1);
    let need = over(prior(1));
    assert!(prior(need).is_ok());
    over(prior(need - 1));
}

/// Probes, ranks and sweeps beyond what can be held or counted.
#[test]
fn absurd_counts() {
    let (x, y) = data(20, 1, 303);
    let fit = |large: MatrixFreeParams| {
        model().memory_budget(1).matrix_free(large).fit(&Device::cpu(), x.view(), y.view()).map(|_| ())
    };
    for probes in [usize::MAX, usize::MAX / 400] {
        let log_det = LogDetParams::new().probes(probes);
        let large = MatrixFreeParams::new().log_det(log_det);
        let e = fit(large.clone());
        assert!(matches!(&e, Err(Error::Parameter { name, .. }) if name == "probes"), "{e:?}");
        let e = model().stochastic_evidence(&Device::cpu(), x.view(), y.view(), &large);
        assert!(matches!(&e, Err(Error::Parameter { name, .. }) if name == "probes"), "{e:?}");
    }
    // More columns than points are as many as points.
    fit(MatrixFreeParams::new().rank(usize::MAX)).unwrap();
    for params in [
        SliceParams::new().samples(usize::MAX),
        SliceParams::new().thin(usize::MAX),
        SliceParams::new().burn_in(usize::MAX),
    ] {
        let e = model().sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &params);
        assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    }
}
