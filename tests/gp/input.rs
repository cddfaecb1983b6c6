use mercer::linalg::{Jitter, Noise};
use mercer::models::gp::{GpRegressor, Inducing, Mean, Predictive, Prior, SparseGpRegressor};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array, concatenate};

use crate::matrix_free::frugal;
use crate::{close, data, everywhere, indefinite, support::random};

fn model() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(1.0)).noise(0.1)
}

#[test]
fn data_that_are_not_numbers() {
    let (x, y) = data(6, 2, 80);
    for bad in [f64::NAN, f64::INFINITY] {
        for device in everywhere() {
            let (mut xs, mut ys) = (x.clone(), y.clone());
            xs[[3, 1]] = bad;
            ys[[2, 0]] = bad;
            let error = model().fit(&device, xs.view(), y.view()).unwrap_err();
            assert!(matches!(error, Error::NotFinite { what: "x", row: 3, col: 1, .. }), "{error}");
            let error = model().fit(&device, x.view(), ys.view()).unwrap_err();
            assert!(matches!(error, Error::NotFinite { what: "y", row: 2, .. }), "{error}");
            let fitted = model().fit(&device, x.view(), y.view()).unwrap();
            assert!(matches!(fitted.predict(xs.view()), Err(Error::NotFinite { row: 3, .. })));
        }
    }
}

#[test]
fn shapes() {
    let (x, y) = data(6, 2, 80);
    let shape = |r: mercer::Result<_>| matches!(r, Err(Error::Shape { .. }));
    let fit = |x: &Array2<f64>, y: &Array2<f64>| model().fit(&Device::cpu(), x.view(), y.view()).map(|_| ());
    assert!(shape(fit(&Array2::<f64>::zeros((0, 2)), &Array2::<f64>::zeros((0, 1)))));
    assert!(shape(fit(&Array2::<f64>::zeros((6, 0)), &y)));
    assert!(shape(fit(&x, &Array2::<f64>::zeros((6, 0)))));
    assert!(shape(fit(&x, &Array2::<f64>::zeros((5, 1)))));
    let ard = GpRegressor::new(Kernel::rbf([1.0, 1.0, 1.0])).noise(0.1);
    assert!(shape(ard.fit(&Device::cpu(), x.view(), y.view()).map(|_| ())));
    // The wrong dimension at predict.
    let fitted = model().fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for bad in [Array2::<f64>::zeros((3, 1)), Array2::<f64>::zeros((3, 3)), Array2::<f64>::zeros((0, 2))] {
        assert!(shape(fitted.predict(bad.view()).map(|_| ())));
        assert!(shape(fitted.predict_with(bad.view(), Predictive::Latent).map(|_| ())));
        assert!(shape(fitted.predict_joint(bad.view(), Predictive::Latent).map(|_| ())));
    }
}

#[test]
fn noise_that_is_no_variance() {
    let (x, y) = data(6, 2, 80);
    let refused =
        |m: GpRegressor| matches!(m.fit(&Device::cpu(), x.view(), y.view()), Err(Error::Parameter { .. }));
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(refused(model().noise(bad)), "{bad}");
        assert!(refused(model().noise(vec![0.1, 0.1, bad, 0.1, 0.1, 0.1])), "{bad}");
        let fitted = model().fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let p = fitted.predict_with(x.view(), Predictive::ObservedWith(bad));
        assert!(matches!(p, Err(Error::Parameter { .. })));
    }
    for (low, high) in [(0.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
        assert!(refused(model().noise_bounds(low, high)), "{low} to {high}");
    }
    let short = model().noise(vec![0.1; 5]).fit(&Device::cpu(), x.view(), y.view());
    assert!(matches!(short, Err(Error::Shape { .. })));
    // A model with a noise for each point does not know that of a new one.
    let each = model().noise(vec![0.1; 6]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(matches!(each.predict_with(x.view(), Predictive::Observed), Err(Error::Parameter { .. })));
}

#[test]
fn kernels_and_priors_out_of_order() {
    let (x, y) = data(6, 2, 80);
    let error = |m: GpRegressor| m.fit(&Device::cpu(), x.view(), y.view()).unwrap_err();
    let negative = error(GpRegressor::new(Kernel::rbf(-1.0)).noise(0.1));
    assert!(matches!(negative, Error::Parameter { .. }), "{negative}");
    let unknown = error(model().prior("rbf.length", Prior::HalfCauchy { scale: 1.0 }));
    assert!(matches!(&unknown, Error::UnknownName { known, .. } if known.contains("rbf.lengthscale, noise")));
    let scale = error(model().prior("noise", Prior::HalfCauchy { scale: 0.0 }));
    assert!(matches!(scale, Error::Parameter { .. }), "{scale}");
    assert!(model().with_theta(&[0.0]).is_err() && model().with_theta(&[]).is_err());
}

/// Duplicate inputs without noise: an error that says so, unless a jitter is allowed; with noise they are welcome.
#[test]
fn duplicates() {
    let (x, y) = data(10, 1, 81);
    let x = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let y = concatenate(Axis(0), &[y.view(), y.view()]).unwrap();
    for device in everywhere() {
        let bare = GpRegressor::new(Kernel::rbf(0.7)).noise(0.0);
        assert!(indefinite(&bare.fit(&device, x.view(), y.view()).unwrap_err()), "{device}");
        let helped = bare.jitter(Jitter::ladder()).fit(&device, x.view(), y.view()).unwrap();
        assert!(helped.jitter() > 0.0 && helped.report().certificate.jitter == helped.jitter(), "{device}");
        let p = helped.predict_with(x.view(), Predictive::Latent).unwrap();
        close(p.mean, y.iter().copied(), 1e-3, "the data again");
        assert!(p.variance.iter().all(|v| *v >= 0.0), "{device}");
        let noisy = GpRegressor::new(Kernel::rbf(0.7)).noise(0.1).fit(&device, x.view(), y.view()).unwrap();
        assert_eq!(noisy.jitter(), 0.0);
    }
}

#[test]
fn what_was_told_can_be_read() {
    let gp = model();
    assert_eq!((gp.noise_variance(), gp.mean_function()), (&Noise::Same(0.1), Mean::Zero));
    assert_eq!(gp.budget(), 2 << 30);
    let gp = gp.noise(vec![0.1, 0.2]).mean(Mean::Linear).memory_budget(1000);
    assert_eq!((gp.noise_variance(), gp.mean_function()), (&Noise::Each(vec![0.1, 0.2]), Mean::Linear));
    assert_eq!(gp.budget(), 1000);
}

#[test]
fn scores_of_what_does_not_fit() {
    let (x, y) = data(10, 2, 84);
    let fitted = model().fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(fitted.score(x.view(), y.view()).unwrap() > 0.5);
    let shape = |x: &Array2<f64>, y: &Array2<f64>| {
        matches!(fitted.score(x.view(), y.view()), Err(Error::Shape { .. }))
    };
    assert!(shape(&x, &Array2::<f64>::zeros((10, 2))) && shape(&x, &Array2::<f64>::zeros((9, 1))));
    assert!(
        shape(&Array2::<f64>::zeros((10, 3)), &y)
            && shape(&Array2::<f64>::zeros((1, 2)), &Array2::<f64>::zeros((1, 1)))
    );
    assert!(fitted.score(x.view(), (&y * f64::NAN).view()).is_err());
}

#[test]
fn one_point() {
    for device in everywhere() {
        let (x, y) = (array![[0.5, -1.0]], array![[2.0]]);
        let fitted = model().fit(&device, x.view(), y.view()).unwrap();
        let p = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
        close(p.mean, [2.0 / 1.1], 1e-7, "mean");
        close(p.variance, [1.0 - 1.0 / 1.1], 1e-5, "variance");
        let learned = model().mean(Mean::Constant).optimise(Minimiser::default());
        let learned = learned.fit(&device, x.view(), y.view()).unwrap();
        close(learned.predict(array![[9.0, 9.0]].view()).unwrap(), [2.0], 1e-6, "mean of one");
    }
}

/// A constant y has nothing to explain: the noise falls to its bound, nothing breaks.
#[test]
fn constant_targets() {
    let (x, _) = data(15, 2, 82);
    for value in [0.0, 3.0] {
        let y = Array2::from_elem((15, 1), value);
        for mean in [Mean::Zero, Mean::Constant] {
            let model = GpRegressor::new(Kernel::rbf(1.0).scaled(1.0)).noise(0.1).mean(mean);
            let fitted =
                model.optimise(Minimiser::default()).fit(&Device::cpu(), x.view(), y.view()).unwrap();
            let p = fitted.predict_with(x.view(), Predictive::Observed).unwrap();
            assert!(p.mean.iter().all(|m| (m - value).abs() < 1e-2), "{value}, {mean:?}: {}", p.mean);
            assert!(p.variance.iter().all(|v| v.is_finite() && *v >= 0.0));
        }
    }
}

#[test]
fn ten_thousand_features_on_fifty_points() {
    let x = random(50, 10_000, 83);
    let y = x.slice(ndarray::s![.., ..1]).to_owned();
    for device in everywhere() {
        let fitted = GpRegressor::new(Kernel::rbf(60.0)).noise(0.1).fit(&device, x.view(), y.view()).unwrap();
        let p = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
        assert!(p.variance.iter().all(|v| (0.0..1.0).contains(v)), "{device}");
        assert!(fitted.log_evidence_gradient().unwrap().iter().all(|g| g.is_finite()));
        let linear = GpRegressor::new(Kernel::rbf(60.0)).noise(0.1).mean(Mean::Linear);
        assert!(matches!(linear.fit(&device, x.view(), y.view()), Err(Error::Shape { .. })));
    }
}

/// An exponential of a dot product overflows f64: the answer is an error, not a NaN.
#[test]
fn a_kernel_that_overflows() {
    let (x, y) = (array![[100.0], [1.0]], array![[1.0], [2.0]]);
    let model = GpRegressor::new(Kernel::exponential_dot(1.0)).noise(0.1);
    assert!(matches!(model.fit(&Device::cpu(), x.view(), y.view()), Err(Error::Overflow { .. })));
}

/// `k(x, x) = 1e320` is infinite, and so is what the data explain of it: no number is left, and above all not zero.
#[test]
fn a_variance_beyond_all_numbers_is_no_certainty() {
    let (x, y) = data(8, 1, 81);
    let far = array![[1.0], [1e160]];
    let linear = GpRegressor::new(Kernel::linear()).noise(0.1);
    let stored = linear.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let e = stored.predict_with(far.view(), Predictive::Latent);
    assert!(matches!(e, Err(Error::Overflow { row: 1, .. })), "{e:?}");
    let e = stored.predict_joint(far.view(), Predictive::Latent);
    assert!(matches!(e, Err(Error::Overflow { .. })), "{e:?}");
    let free = frugal(&linear).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let e = free.predict_with(far.view(), Predictive::Latent);
    assert!(matches!(e, Err(Error::Overflow { .. })), "{e:?}");
    let sparse = SparseGpRegressor::new(Kernel::linear(), Inducing::Given(array![[1.0]])).jitter(0.0);
    let sparse = sparse.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let e = sparse.predict_with(far.view(), Predictive::Latent);
    assert!(matches!(e, Err(Error::Overflow { row: 1, .. })), "{e:?}");
}
