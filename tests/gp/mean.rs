use mercer::models::gp::{GpRegressor, Mean, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array};

use crate::{close, data, everywhere};

/// What is added to y is added to predictions: a constant for a constant mean, a plane for a linear one.
#[test]
fn shifts_pass_through() {
    let (x, y) = data(30, 2, 40);
    let (new, _) = data(8, 2, 41);
    let plane = |x: &Array2<f64>, w: [f64; 3]| {
        x.map_axis(Axis(1), |r| w[0] + w[1] * r[0] + w[2] * r[1]).insert_axis(Axis(1))
    };
    for (mean, w) in [(Mean::Constant, [1e3, 0.0, 0.0]), (Mean::Linear, [50.0, -20.0, 7.0])] {
        for device in everywhere() {
            let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).mean(mean);
            let plain = model.fit(&device, x.view(), y.view()).unwrap();
            let moved = model.fit(&device, x.view(), (&y + &plane(&x, w)).view()).unwrap();
            let want = plain.predict(new.view()).unwrap() + plane(&new, w);
            close(moved.predict(new.view()).unwrap(), want, 1e-8, &format!("{mean:?} on {device}"));
            let (a, b) = (moved.log_evidence(), plain.log_evidence());
            close([a], [b], 1e-7, &format!("{mean:?} on {device}"));
        }
    }
}

/// Far from the data the mean function is what remains, and data without structure give back their plane.
#[test]
fn the_mean_is_what_remains_far_away() {
    let (x, _) = data(20, 2, 42);
    let y = x.map_axis(Axis(1), |r| 3.0 - 2.0 * r[0] + 0.5 * r[1]).insert_axis(Axis(1));
    let fitted = GpRegressor::new(Kernel::rbf(0.5)).noise(0.1).mean(Mean::Linear);
    let fitted = fitted.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    close(fitted.coefficients().iter().copied(), [3.0, -2.0, 0.5], 1e-12, "coefficients");
    let p = fitted.predict_with(array![[100.0, 10.0]].view(), Predictive::Latent).unwrap();
    close(p.mean, [-192.0], 1e-12, "mean");
    assert!((p.variance[0] - 1.0).abs() < 1e-12);
}

/// β is where the likelihood is greatest: a mean put in by hand does no better.
#[test]
fn the_coefficients_maximise_the_likelihood() {
    let (x, y) = data(25, 1, 43);
    let fit = |mean, y: &Array2<f64>| {
        let model = GpRegressor::new(Kernel::rbf(0.7)).noise(0.1).mean(mean);
        model.fit(&Device::cpu(), x.view(), y.view()).unwrap()
    };
    let y = &y + 2.0;
    let best = fit(Mean::Constant, &y);
    let beta = best.coefficients()[[0, 0]];
    close([fit(Mean::Zero, &(&y - beta)).log_evidence()], [best.log_evidence()], 1e-12, "at β");
    for step in [-0.1, 0.1] {
        assert!(fit(Mean::Zero, &(&y - (beta + step))).log_evidence() < best.log_evidence());
    }
}

/// A constant mean known to be vague is a large constant in the kernel.
#[test]
fn a_mean_through_the_kernel() {
    let (x, y) = data(25, 1, 44);
    let y = &y + 5.0;
    let new = array![[0.5], [-1.0]];
    let by_mean = GpRegressor::new(Kernel::rbf(0.7)).noise(0.1).mean(Mean::Constant);
    let by_kernel = GpRegressor::new(Kernel::rbf(0.7) + Kernel::constant(1e6)).noise(0.1);
    let a = by_mean.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict(new.view()).unwrap();
    let b = by_kernel.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict(new.view()).unwrap();
    close(a, b, 1e-5, "mean");
}

#[test]
fn a_mean_that_the_data_do_not_determine() {
    let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).mean(Mean::Linear);
    let (x, y) = data(3, 5, 45);
    assert!(matches!(model.fit(&Device::cpu(), x.view(), y.view()), Err(Error::Shape { .. })));
    let (mut x, y) = data(20, 2, 45);
    x.column_mut(1).fill(1.0);
    let error = model.fit(&Device::cpu(), x.view(), y.view()).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { op, .. } if op.contains("mean")), "{error}");
}

/// Numbers that stay what they are when a power of two is added to them.
fn coarse(a: &Array2<f64>) -> Array2<f64> {
    a.mapv(|v| (v * 1024.0).round() / 1024.0)
}

/// A plane does not mind where x is measured from: time stamps are far from the origin.
#[test]
fn a_plane_over_inputs_far_from_the_origin() {
    let (x, y) = data(30, 1, 46);
    let (x, new) = (coarse(&x), coarse(&data(8, 1, 47).0));
    for noise in [0.1, 1e-4] {
        let model = GpRegressor::new(Kernel::rbf(1.0)).noise(noise).mean(Mean::Linear);
        let near = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let want = near.predict(new.view()).unwrap();
        for far in [20, 26, 32].map(|k| 2f64.powi(k)) {
            let moved = model.fit(&Device::cpu(), (&x + far).view(), y.view()).unwrap();
            close(moved.predict((&new + far).view()).unwrap(), want.clone(), 1e-9, &format!("from {far}"));
            close(moved.coefficients().row(1).to_vec(), near.coefficients().row(1).to_vec(), 1e-9, "slope");
            let (a, b) = (moved.log_evidence(), near.log_evidence());
            close([a], [b], 1e-9, &format!("evidence from {far}"));
        }
    }
}

/// A wave on a large constant is that wave: nothing that is asked of a solve is relative to the constant.
#[test]
fn a_small_wave_on_a_large_constant() {
    let (x, y) = data(60, 1, 48);
    let (y, new) = (coarse(&y), data(8, 1, 49).0);
    for (budget, exact) in [(2 << 30, 1e-9), (1, 1e-6)] {
        let model = GpRegressor::new(Kernel::rbf(1.0)).noise(0.01).mean(Mean::Constant).memory_budget(budget);
        let plain = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let want = plain.predict(new.view()).unwrap();
        for by in [20, 26].map(|k| 2f64.powi(k)) {
            let moved = model.fit(&Device::cpu(), x.view(), (&y + by).view()).unwrap();
            let got = moved.predict(new.view()).unwrap() - by;
            // The constant itself takes digits from what is stored.
            let exact = exact + 8.0 * f64::EPSILON * by;
            close(got, want.clone(), exact, &format!("on {by}, with {budget} bytes"));
            let (a, b) = (moved.log_evidence(), plain.log_evidence());
            close([a], [b], exact, &format!("evidence on {by}, with {budget} bytes"));
        }
    }
}

/// What columns depend on each other is no matter of the covariance, however ill it is conditioned.
#[test]
fn dependent_columns_are_refused_whatever_the_covariance() {
    let refused = |x: &Array2<f64>, y: &Array2<f64>, noise: f64, length: f64| {
        let model = GpRegressor::new(Kernel::rbf(length)).noise(noise).mean(Mean::Linear);
        let fit = model.fit(&Device::cpu(), x.view(), y.view()).map(|f| f.coefficients().clone());
        let mean = |e: &Error| matches!(e, Error::NotPositiveDefinite { op, .. } if op.contains("mean"));
        assert!(fit.as_ref().is_err_and(mean), "noise {noise:e}, length scale {length}: {fit:?}");
    };
    let (x, y) = data(20, 2, 45);
    for noise in [0.1, 1e-3, 1e-6, 1e-9] {
        for length in [1.0, 3.0, 10.0] {
            let mut flat = x.clone();
            flat.column_mut(1).fill(0.3);
            refused(&flat, &y, noise, length);
            let mut twins = x.clone();
            let other = x.column(0).mapv(|v| 0.3 * v + 0.1);
            twins.column_mut(1).assign(&other);
            refused(&twins, &y, noise, length);
        }
    }
}
