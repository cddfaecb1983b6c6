//! Mixtures of linear and of logistic regressions.

use mercer::inference::em::{Em, Mode};
use mercer::models::mixture::{LinearRegressionMixture, LogisticRegressionMixture};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis, concatenate};

use crate::same;
use crate::support::{adapters, random};

/// Two planes through one cloud, with a little noise.
fn planes(n: usize) -> (Array2<f64>, Array1<f64>) {
    let (x, noise) = (random(n, 2, 1), random(n, 1, 2));
    let plane = |i: usize| {
        if i.is_multiple_of(3) { 2.0 * x[[i, 0]] + 1.0 } else { -x[[i, 0]] + 0.5 * x[[i, 1]] - 1.0 }
    };
    let y = Array1::from_shape_fn(n, |i| plane(i) + 0.1 * noise[[i, 0]]);
    (x, y)
}

#[test]
fn one_line_is_least_squares() {
    let (x, y) = planes(60);
    let model = LinearRegressionMixture::new(1).ridge(0.0);
    let fit = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    // The normal equations: residuals are orthogonal to x and to one, and σ² is their mean square.
    let rest = &y - &fit.predict(x.view()).unwrap();
    same(&x.t().dot(&rest), &[0.0, 0.0], 1e-10, "orthogonal to x");
    same(&[rest.sum()], &[0.0], 1e-10, "orthogonal to one");
    same(fit.variances(), &[rest.dot(&rest) / 60.0], 1e-12, "variance");
}

#[test]
fn two_planes_are_found() {
    let (x, y) = planes(300);
    let fit = LinearRegressionMixture::new(2).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let up = usize::from(fit.slopes()[[0, 0]] < 0.0);
    same(fit.slopes().row(up), &[2.0, 0.0], 0.05, "up");
    same(fit.slopes().row(1 - up), &[-1.0, 0.5], 0.05, "down");
    same(&[fit.intercepts()[up], fit.weights()[up]], &[1.0, 1.0 / 3.0], 0.05, "up");
    let r = fit.responsibilities(x.view(), y.view()).unwrap();
    let right = (0..300).filter(|&i| (r[[i, up]] > 0.5) == (i % 3 == 0)).count();
    assert!(right > 280, "{right}");
}

#[test]
fn every_adapter_finds_the_planes() {
    let (x, y) = planes(3000);
    let em = Em::new().max_iterations(3000).restarts(4);
    let model = LinearRegressionMixture::new(2).em(em);
    let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for device in adapters() {
        let before = device.counters();
        let got = model.fit(device, x.view(), y.view()).unwrap();
        assert!(device.counters() != before, "never came to {device}");
        same(&[got.log_likelihood()], &[want.log_likelihood()], 1e-4, &device.to_string());
        same(got.slopes(), want.slopes(), 1e-3, &device.to_string());
    }
}

fn votes(n: usize) -> (Array2<f64>, Vec<bool>) {
    let (x, noise) = (random(n, 2, 3) * 3.0, random(n, 1, 4));
    let y = (0..n).map(|i| (x[[i, 0]] - 0.5 * x[[i, 1]] + 0.4 + noise[[i, 0]]) > 0.0).collect();
    (x, y)
}

/// At the top the gradient of the penalised likelihood vanishes, whatever the first step was.
#[test]
fn one_logistic_regression_ends_where_the_gradient_is_zero() {
    let (x, y) = votes(150);
    for step in [1.0, 0.05] {
        let mode = Mode::Generalised { step };
        let em = Em::new().tolerance(1e-15).max_iterations(500).mode(mode);
        let model = LogisticRegressionMixture::new(1).ridge(0.5).em(em);
        let fit = model.fit(&Device::cpu(), x.view(), &y).unwrap();
        let miss = Array1::from_iter(y.iter().map(|&v| f64::from(u8::from(v))))
            - fit.predict_proba(x.view()).unwrap().column(1);
        let gradient = x.t().dot(&miss) - 0.5 * &fit.slopes().row(0);
        same(&gradient, &[0.0, 0.0], 1e-6, "gradient");
        same(&[miss.sum()], &[0.0], 1e-6, "intercept");
    }
}

/// Two groups that answer in opposite ways: one logistic regression sees nothing, two see both.
#[test]
fn two_groups_are_found() {
    let (x, y) = votes(400);
    let turned: Vec<bool> = y.iter().map(|v| !v).collect();
    // The groups live at different heights of a third feature only for the test's eyes: it is not given to the model.
    let all = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let answers: Vec<bool> = y.iter().chain(&turned).copied().collect();
    let em = |restarts| Em::new().restarts(restarts).max_iterations(300);
    let fit = |k| {
        let model = LogisticRegressionMixture::new(k).em(em(3 * k));
        model.fit(&Device::cpu(), all.view(), &answers).unwrap()
    };
    let (one, two) = (fit(1), fit(2));
    same(one.slopes(), &[0.0, 0.0], 1e-6, "one sees nothing");
    assert!((one.log_likelihood() + 800.0 * 2f64.ln()).abs() < 1e-6);
    assert!(two.log_likelihood() >= one.log_likelihood() - 1e-6 && two.report().converged());
    assert!(two.report().trace.windows(2).all(|w| w[1] >= w[0]), "{:?}", two.report().trace);
    let r = two.responsibilities(all.view(), &answers).unwrap();
    for sum in r.sum_axis(Axis(1)) {
        assert!((sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn every_adapter_votes_alike() {
    let (x, y) = votes(2000);
    let em = Em::new().max_iterations(4000).tolerance(1e-6);
    let model = LogisticRegressionMixture::new(1).em(em);
    let want = model.fit(&Device::cpu(), x.view(), &y).unwrap();
    for device in adapters() {
        let before = device.counters();
        let got = model.fit(device, x.view(), &y).unwrap();
        assert!(device.counters() != before, "never came to {device}");
        same(&[got.log_likelihood()], &[want.log_likelihood()], 1e-4, &device.to_string());
        same(got.slopes(), want.slopes(), 5e-2, &device.to_string());
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let (x, y) = planes(20);
    let lines = LinearRegressionMixture::new(2);
    assert!(matches!(lines.fit(&cpu, x.view(), y.slice(ndarray::s![..9])), Err(Error::Shape { .. })));
    assert!(matches!(lines.fit(&cpu, x.view(), (&y * f64::NAN).view()), Err(Error::NotFinite { .. })));
    assert!(matches!(
        LinearRegressionMixture::new(21).fit(&cpu, x.view(), y.view()),
        Err(Error::Parameter { .. })
    ));
    let model = lines.clone().ridge(-1.0);
    assert!(matches!(model.fit(&cpu, x.view(), y.view()), Err(Error::Parameter { .. })));
    // A constant column has no slope of its own: the ridge decides, and without it the refusal names the pivot.
    let mut flat = x.clone();
    flat.column_mut(1).fill(1.0);
    let fit = lines.fit(&cpu, flat.view(), y.view()).unwrap();
    assert!(fit.slopes().column(1).iter().all(|v| v.abs() < 1e-6), "{}", fit.slopes());
    let bare = LinearRegressionMixture::new(1).ridge(0.0);
    assert!(matches!(bare.fit(&cpu, flat.view(), y.view()), Err(Error::NotPositiveDefinite { .. })));
    let fit = lines.fit(&cpu, x.view(), y.view()).unwrap();
    assert!(matches!(fit.predict(Array2::<f64>::zeros((2, 3))), Err(Error::Shape { .. })));

    let (x, y) = votes(20);
    let model = LogisticRegressionMixture::new(2);
    assert!(matches!(model.fit(&cpu, x.view(), &y[..9]), Err(Error::Shape { .. })));
    assert!(matches!(model.fit(&cpu, (&x * f64::NAN).view(), &y), Err(Error::NotFinite { .. })));
    let bare = model.clone().ridge(0.0);
    assert!(matches!(bare.fit(&cpu, x.view(), &y), Err(Error::Parameter { .. })));
    assert!(matches!(model.fit(&cpu, &x, [true; 20]), Err(Error::Parameter { .. })), "one class only");
    // Answers that a line separates: the ridge keeps it finite.
    let apart: Vec<&str> = x.column(0).iter().map(|v| if *v > 0.0 { "yes" } else { "no" }).collect();
    let fit = LogisticRegressionMixture::new(1).fit(&cpu, &x, &apart).unwrap();
    assert!(fit.slopes().iter().all(|v| v.is_finite()) && fit.score(&x, &apart).unwrap() > 0.9);
    assert_eq!(fit.classes(), ["no", "yes"]);
}
