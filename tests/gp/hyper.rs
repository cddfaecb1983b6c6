use std::ops::ControlFlow;

use mercer::linalg::Noise;
use mercer::models::gp::{GpRegressor, Prior};
use mercer::optim::{Minimiser, Stop};
use mercer::{Device, Error, Kernel, Progress};
use ndarray::{Array2, Axis};

use crate::{close, data, everywhere};

fn noise(n: &Noise) -> f64 {
    match n {
        Noise::Same(v) => *v,
        Noise::Each(_) => panic!("one noise was given"),
    }
}

/// At the optimum the gradient vanishes, the likelihood is above the start, and the noise is found.
#[test]
fn hyper_parameters_maximise_the_likelihood() {
    let x = Array2::from_shape_fn((60, 1), |(i, _)| 0.1 * i as f64);
    let y = x.mapv(|v: f64| (2.0 * v).sin()) + crate::support::random(60, 1, 50) * 0.2 * 3f64.sqrt();
    let model = GpRegressor::new(Kernel::rbf(0.2).scaled(3.0)).noise(1.0);
    let before = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for device in everywhere() {
        let fitted = model.clone().optimise(Minimiser::default()).fit(&device, x.view(), y.view()).unwrap();
        let search = fitted.report().search.as_ref().unwrap();
        assert!(fitted.log_evidence() > before.log_evidence() + 10.0, "{device}");
        close([-search.value], [fitted.log_evidence()], 1e-4, "the value of the search");
        assert!(search.trace.windows(2).all(|w| w[1] <= w[0]), "{device}: {:?}", search.trace);
        // The variance of the noise is 0.04 in truth.
        assert!((0.02..0.08).contains(&noise(fitted.noise())), "{device}: {:?}", fitted.noise());
        assert!(fitted.at_bounds().is_empty(), "{device}: {:?}", fitted.at_bounds());
        if !device.is_gpu() {
            assert_eq!(search.stop, Stop::Gradient);
            let slope = fitted.log_evidence_gradient().unwrap();
            assert!(slope.iter().all(|g| g.abs() < 1e-3), "{slope:?}");
        }
    }
}

#[test]
fn the_same_optimum_on_every_device() {
    let (x, y) = data(40, 1, 51);
    let model = GpRegressor::new(Kernel::rbf(1.0).scaled(1.0)).noise(0.1).optimise(Minimiser::default());
    let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for device in crate::support::adapters() {
        let got = model.fit(device, x.view(), y.view()).unwrap();
        close([got.log_evidence()], [want.log_evidence()], 1e-3, &device.to_string());
        close(got.model().theta(), want.model().theta(), 1e-2, &device.to_string());
    }
}

#[test]
fn bounds_and_fixed_entries_are_kept() {
    let (x, y) = data(40, 1, 52);
    let kernel =
        Kernel::rbf(1.0).scaled(1.0).bounded("rbf.lengthscale", 0.05, 0.3).unwrap().fixed("scale").unwrap();
    let model = GpRegressor::new(kernel).noise(0.3).noise_bounds(0.2, 0.5).optimise(Minimiser::default());
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let params = fitted.kernel().params();
    assert_eq!(params[0].value, 1.0);
    close([params[1].value], [0.3], 1e-4, "the length scale wants more");
    close([noise(fitted.noise())], [0.2], 1e-4, "the noise wants less");
    assert_eq!(fitted.at_bounds(), ["rbf.lengthscale", "noise"]);
    let fixed = model.fixed_noise().fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert_eq!(noise(fixed.noise()), 0.3);
}

/// A strong prior pulls the estimate to itself, and the optimum is that of the posterior.
#[test]
fn priors_pull() {
    let (x, y) = data(40, 1, 53);
    let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).optimise(Minimiser::default());
    let fit = |m: GpRegressor| m.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let free = fit(model.clone());
    let strong = Prior::LogNormal { mean: 3f64.ln(), deviation: 0.001 };
    let pulled = fit(model.clone().prior("rbf.lengthscale", strong));
    close([pulled.kernel().params()[0].value], [3.0], 1e-2, "length scale");
    assert!(pulled.log_evidence() < free.log_evidence());
    let weak = Prior::Gamma { shape: 2.0, rate: 1.0 };
    let noisy = Prior::HalfCauchy { scale: 1.0 };
    let some = fit(model.prior("rbf.lengthscale", weak).prior("noise", noisy));
    let (l, v) = (some.kernel().params()[0].value, noise(some.noise()));
    let slope = some.log_evidence_gradient().unwrap();
    let whole = [slope[0] + l * weak.log_density(l).1, slope[1] + v * noisy.log_density(v).1];
    assert!(whole.iter().all(|g| g.abs() < 1e-3), "{whole:?}");
    let value = some.log_evidence() + weak.log_density(l).0 + noisy.log_density(v).0;
    close([-some.report().search.as_ref().unwrap().value], [value], 1e-9, "the log posterior");
}

/// Each prior is a density, and its slope is the derivative.
#[test]
fn priors_are_densities() {
    let all = [
        Prior::Normal { mean: 1.0, deviation: 0.7 },
        Prior::LogNormal { mean: 0.3, deviation: 0.5 },
        Prior::Gamma { shape: 2.5, rate: 1.5 },
        Prior::HalfCauchy { scale: 0.8 },
        Prior::HalfNormal { deviation: 1.2 },
    ];
    for prior in all {
        let low = if matches!(prior, Prior::Normal { .. }) { -20.0 } else { 0.0 };
        // x = low + t³ reaches the tails of a Cauchy with few nodes.
        let (n, end) = (40_000, 40.0);
        let h = end / f64::from(n);
        let mass: f64 = (0..n)
            .map(|i| {
                let t = (f64::from(i) + 0.5) * h;
                3.0 * t * t * h * prior.log_density(low + t * t * t).0.exp()
            })
            .sum();
        assert!((mass - 1.0).abs() < 1e-4, "{prior:?} integrates to {mass}");
        for v in [0.2, 1.0, 3.0] {
            let want = (prior.log_density(v + 1e-6).0 - prior.log_density(v - 1e-6).0) / 2e-6;
            assert!((prior.log_density(v).1 - want).abs() < 1e-7, "{prior:?} at {v}");
        }
    }
    assert_eq!(Prior::HalfNormal { deviation: 1.0 }.log_density(-1.0).0, f64::NEG_INFINITY);
}

/// From a bad start seeded restarts find the better optimum, the same every time.
#[test]
fn restarts() {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.15 * i as f64);
    let y = x.mapv(|v: f64| (6.0 * v).sin());
    let kernel = Kernel::rbf(300.0).bounded("rbf.lengthscale", 0.01, 1000.0).unwrap();
    let model = GpRegressor::new(kernel).noise(0.5).noise_bounds(1e-4, 10.0);
    let fit = |restarts| {
        let minimiser = Minimiser::new().restarts(restarts).seed(5);
        model.clone().optimise(minimiser).fit(&Device::cpu(), x.view(), y.view()).unwrap()
    };
    let (alone, many) = (fit(0), fit(6));
    assert!(many.log_evidence() > alone.log_evidence() + 10.0);
    assert_eq!(many.model().theta(), fit(6).model().theta());
}

/// Without noise, long length scales make the covariance singular in f64: the search meets that and goes on.
#[test]
fn a_failed_factorisation_inside_the_search_is_survived() {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| 0.1 * i as f64);
    let y = x.map_axis(Axis(1), |r| (2.0 * r[0]).sin()).insert_axis(Axis(1));
    let kernel = Kernel::rbf(0.05).bounded("rbf.lengthscale", 0.01, 100.0).unwrap();
    let model = GpRegressor::new(kernel).noise(0.0).optimise(Minimiser::new().restarts(3));
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(fitted.report().search.as_ref().unwrap().failures > 0, "the test has tested nothing");
    let alone =
        GpRegressor::new(Kernel::rbf(0.05)).noise(0.0).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(fitted.log_evidence() > alone.log_evidence());
}

#[test]
fn cancellation() {
    let (x, y) = data(30, 1, 54);
    let stop =
        Progress::new(|step| if step.made == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let minimiser = Minimiser::new().progress(stop);
    let model = GpRegressor::new(Kernel::rbf(5.0)).noise(3.0).optimise(minimiser);
    let error = model.fit(&Device::cpu(), x.view(), y.view()).unwrap_err();
    assert!(matches!(error, Error::Cancelled { iterations: 2, .. }), "{error}");
}

/// Nothing to learn is no search.
#[test]
fn everything_fixed() {
    let (x, y) = data(10, 1, 55);
    let kernel = Kernel::rbf(1.0).fixed("rbf.lengthscale").unwrap();
    let model = GpRegressor::new(kernel).noise(0.1).fixed_noise().optimise(Minimiser::default());
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(fitted.report().search.as_ref().is_none());
    assert_eq!(fitted.log_evidence_gradient().unwrap(), Vec::<f64>::new());
}

/// The usual bounds are for data of unit size. Nobody set them, so that a start beyond them is still a start.
#[test]
fn a_search_begins_where_it_is_told_to() {
    let (x, y) = data(40, 1, 56);
    for unit in [1e-5, 1e5] {
        let size = unit * unit;
        let model = GpRegressor::new(Kernel::rbf(1.0).scaled(size)).noise(0.1 * size);
        let fit = |m: &GpRegressor| m.fit(&Device::cpu(), x.view(), (&y * unit).view()).unwrap();
        let (start, found) = (fit(&model), fit(&model.optimise(Minimiser::default())));
        let (before, after) = (start.log_evidence(), found.log_evidence());
        assert!(after >= before, "{unit:e}: {after} from {before}");
        close([-found.report().search.as_ref().unwrap().trace[0]], [before], 1e-9, "the start");
        // As far from the bounds as ever: the noise is 0.04 / 3 in units of the data.
        let noise = noise(found.noise()) / size;
        assert!((0.005..0.03).contains(&noise), "{unit:e}: {noise}");
    }
}

/// Observations that nobody has scaled: the search starts 16 decades below their variance, at a likelihood of -1e16, and
/// must not take that for a minimum.
#[test]
fn large_observations_are_learned_from() {
    let (x, y) = data(40, 1, 170);
    let fit = |size: f64| {
        let kernel = (1.0 * Kernel::rbf(1.0)).bounded("scale", 1e-3, 1e20).unwrap();
        let model = GpRegressor::new(kernel).noise(0.1).noise_bounds(1e-6, 1e20);
        model.optimise(Minimiser::default()).fit(&Device::cpu(), x.view(), (&y * size).view()).unwrap()
    };
    let small = fit(1.0);
    for size in [1e3, 1e5, 1e8] {
        let large = fit(size);
        let (a, b) = (small.predict(x.view()).unwrap() * size, large.predict(x.view()).unwrap());
        close(b, a, 1e-3, &format!("size {size:e}, {:?}", large.report().search.as_ref().unwrap()));
    }
}
