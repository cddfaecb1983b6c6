//! Generalised linear models on every adapter: the coefficients and standard errors of the CPU, and what crosses between.

use mercer::models::linear::Link;
use mercer::prelude::*;
use ndarray::{Array1, Array2};

use crate::support::{adapters, alone, cost, random};

/// Rows, one column of them far from the origin, a linear predictor, and noise between 0 and 1.
fn rows(n: usize, d: usize, seed: u64) -> (Array2<f64>, Array1<f64>, Array1<f64>) {
    let mut x = random(n, d, seed);
    let eta = 0.4 * x.dot(&random(d, 1, seed + 1)).column(0).to_owned();
    x.column_mut(0).mapv_inplace(|v| 1e4 + 3.0 * v);
    (x, eta, random(n, 1, seed + 2).column(0).mapv(|v| (3.7 * v).sin().abs()))
}

/// Targets of each family whose link a device has.
fn targets(eta: &Array1<f64>, noise: &Array1<f64>) -> Vec<(Family, Link, Array1<f64>)> {
    let with = |f: &dyn Fn(f64, f64) -> f64| -> Array1<f64> {
        eta.iter().zip(noise).map(|(e, u)| f(*e, *u)).collect()
    };
    let share = |e: f64| 1.0 / (1.0 + (-e).exp());
    vec![
        (Family::Gaussian, Link::Identity, with(&|e, u| 2.0 * e + u)),
        (Family::Gaussian, Link::Log, with(&|e, u| e.exp() + 0.1 * u)),
        (Family::Bernoulli, Link::Logit, with(&|e, u| f64::from(u8::from(share(e) > u)))),
        (
            Family::Binomial { trials: 9 },
            Link::Logit,
            with(&|e, u| (9.0 * (0.7 * share(e) + 0.3 * u)).round()),
        ),
        (Family::Poisson, Link::Log, with(&|e, u| ((1.0 + e).exp() * (0.5 + u)).round())),
        (Family::Gamma, Link::Log, with(&|e, u| e.exp() * (0.2 + u))),
        (Family::Gamma, Link::Inverse, with(&|e, u| (0.2 + u) / (3.0 + e))),
    ]
}

#[track_caller]
fn same<'a>(got: impl IntoIterator<Item = &'a f64>, want: impl IntoIterator<Item = &'a f64>, what: &str) {
    let pairs: Vec<(f64, f64)> = got.into_iter().copied().zip(want.into_iter().copied()).collect();
    let size = pairs.iter().fold(0f64, |m, (_, w)| m.max(w.abs()));
    // Written so that a NaN fails.
    assert!(pairs.iter().all(|(g, w)| (g - w).abs() <= 1e-5 * size), "{what}: {pairs:?}");
}

#[test]
fn coefficients_are_those_of_the_cpu() {
    let (x, eta, noise) = rows(500, 5, 3);
    let weights = Array1::from_shape_fn(500, |i| 1.0 + (i % 2) as f64);
    for (family, link, y) in targets(&eta, &noise) {
        for penalty in [0.0, 2.0] {
            let model = GeneralisedLinear::new(family).link(link).penalty(penalty);
            let want = model.fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
            for device in alone() {
                let what = format!("{family:?}, {link:?}, {penalty} on {device}");
                let got = model.fit_weighted(&device, &x, &y, &weights).unwrap();
                assert!(device.counters().dispatches > 0, "{what}");
                same(got.coefficients(), want.coefficients(), &what);
                same(&got.standard_errors(), &want.standard_errors(), &what);
                same(&got.deviance(), &want.deviance(), &what);
            }
        }
    }
}

/// An offset goes with the rows; several targets share them; a link that no device has gives the bits of the CPU.
#[test]
fn offsets_targets_and_other_links() {
    let (x, eta, noise) = rows(400, 3, 13);
    let y = eta.iter().zip(&noise).map(|(e, u)| ((1.0 + e).exp() * (0.5 + u)).round()).collect::<Array1<_>>();
    let two = ndarray::stack![ndarray::Axis(1), y, &y + 1.0];
    let share = noise.mapv(|u| 0.1 + 0.8 * u);
    let with_offset = GeneralisedLinear::new(Family::Poisson).offset(1);
    let probit = GeneralisedLinear::new(Family::Bernoulli).link(Link::Probit);
    for device in adapters() {
        let what = device.to_string();
        let fit = |device: &Device| with_offset.fit(device, &x, &y).unwrap();
        same(fit(device).coefficients(), fit(&Device::cpu()).coefficients(), &what);
        let fit = |device: &Device| GeneralisedLinear::new(Family::Poisson).fit(device, &x, &two).unwrap();
        same(fit(device).coefficients(), fit(&Device::cpu()).coefficients(), &what);
        let fit = |device: &Device| probit.fit(device, &x, &share).unwrap();
        assert_eq!(fit(device).coefficients(), fit(&Device::cpu()).coefficients(), "{what}");
    }
}

/// What has no maximum is said to have none, and columns that depend on each other end as they do on the CPU.
#[test]
fn what_f32_cannot_tell_is_told_in_f64() {
    let (mut x, _, _) = rows(300, 3, 23);
    let apart = x.column(1).mapv(|v| f64::from(u8::from(v > 0.0)));
    let y = x.column(2).mapv(f64::exp);
    let twice = 2.0 * &x.column(1);
    let model = GeneralisedLinear::new(Family::Bernoulli);
    let on = |device: &Device, x: &Array2<f64>| model.fit(device, x, &apart).map(|f| f.separated());
    assert!(on(&Device::cpu(), &x).unwrap());
    for device in adapters() {
        assert!(on(device, &x).unwrap(), "{device}");
    }
    x.column_mut(0).assign(&twice);
    let model = GeneralisedLinear::new(Family::Gamma).link(Link::Log);
    let want = model.fit(&Device::cpu(), &x, &y).map(|f| f.coefficients().clone()).map_err(|e| e.to_string());
    for device in adapters() {
        let got = model.fit(device, &x, &y).map(|f| f.coefficients().clone()).map_err(|e| e.to_string());
        assert_eq!(got, want, "{device}");
    }
}

/// The rows go up once; a look moves p numbers up, and a number, p of them and p² down.
#[test]
fn looks_move_coefficients() {
    let (n, d) = (2000usize, 7usize);
    let (x, eta, noise) = rows(n, d, 33);
    let y: Array1<f64> = eta.iter().zip(&noise).map(|(e, u)| ((1.0 + e).exp() * (0.5 + u)).round()).collect();
    for device in alone() {
        let fit = || GeneralisedLinear::new(Family::Poisson).fit(&device, &x, &y).unwrap();
        fit();
        let ([launches, _, up, down], fitted) = cost(&device, fit);
        let (looks, p, n) = (fitted.report().iterations as u64 + 2, d as u64 + 1, n as u64);
        println!("{device}: {launches} launches, {up} bytes up, {down} down for at most {looks} looks");
        // Rows, and columns of weights, targets and the start in vectors of four; w for each look.
        assert!(up >= 4 * n * p && up <= 4 * n * (p + 12) + looks * (16 * p + 64), "{device}: {up} up");
        assert!(down > 0 && down <= looks * (32 * p + 4 * p * p + 64), "{device}: {down} down");
        assert!(launches > 0 && launches <= 24 * looks, "{device}: {launches} launches");
    }
}
