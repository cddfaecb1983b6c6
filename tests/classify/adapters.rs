//! Logistic regression on every adapter: the coefficients of the CPU, and what crosses between host and device.

use mercer::device::DeviceOptions;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};

use crate::support::{adapters, random};

/// Rows, and classes by the largest of k noisy linear functions.
fn classes(n: usize, d: usize, k: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
    let x = random(n, d, seed);
    let scores = x.dot(&random(d, k, seed + 1)) + 2.0 * random(n, k, seed + 2);
    let best = |row: ndarray::ArrayView1<f64>| (0..k).fold(0, |b, c| if row[c] > row[b] { c } else { b });
    let y = scores.map_axis(Axis(1), best).to_vec();
    (x, y)
}

#[track_caller]
fn same(got: &Array2<f64>, want: &Array2<f64>, what: &str) {
    let size = want.iter().fold(0f64, |m, v| m.max(v.abs()));
    let off = (got - want).iter().fold(0f64, |m, v| m.max(v.abs()));
    // Written so that a NaN fails.
    assert!(off <= 1e-5 * size, "{what}: off by {off:e} of {size}");
}

/// Two classes and three by Newton's method, eight by L-BFGS; weights and far-away columns change nothing of that.
#[test]
fn coefficients_are_those_of_the_cpu() {
    for (n, d, k, penalty) in [(700, 5, 2, 0.0), (700, 5, 2, 1.0), (500, 4, 3, 0.5), (400, 60, 8, 2.0)] {
        let (mut x, y) = classes(n, d, k, 5);
        x.column_mut(1).mapv_inplace(|v| 1e6 + v);
        let weights = Array1::from_shape_fn(n, |i| 1.0 + (i % 3) as f64);
        let model = LogisticRegression::new(penalty);
        let want = model.fit_weighted(&Device::cpu(), &x, &y, &weights).unwrap();
        for device in adapters() {
            let got = model.fit_weighted(device, &x, &y, &weights).unwrap();
            let what = format!("{k} classes, {penalty} on {device}");
            same(got.coefficients(), want.coefficients(), &what);
            assert!(
                (got.log_likelihood() - want.log_likelihood()).abs() < 1e-7 * want.log_likelihood().abs()
            );
            if let Some(errors) = want.standard_errors() {
                same(&got.standard_errors().unwrap(), &errors, &what);
            }
            assert_eq!(got.predict(&x).unwrap(), want.predict(&x).unwrap(), "{what}");
        }
    }
}

#[test]
fn an_offset_is_on_the_device_too() {
    let (x, y) = classes(600, 4, 2, 11);
    let offset = random(600, 1, 12).column(0).to_owned();
    let model = LogisticRegression::new(0.1).offset(&offset);
    let want = model.fit(&Device::cpu(), &x, &y).unwrap();
    for device in adapters() {
        same(model.fit(device, &x, &y).unwrap().coefficients(), want.coefficients(), &device.to_string());
    }
}

/// What f32 cannot tell apart goes to the CPU and has its bits; what has no maximum is said to have none.
#[test]
fn dependent_columns_and_separable_classes() {
    let (mut x, y) = classes(600, 4, 2, 21);
    let twice = 2.0 * &x.column(0);
    x.column_mut(3).assign(&twice);
    let want = LogisticRegression::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    let apart: Vec<bool> = x.column(1).iter().map(|v| *v > 0.0).collect();
    for device in adapters() {
        let got = LogisticRegression::new(0.0).fit(device, &x, &y).unwrap();
        assert_eq!((got.coefficients(), got.rank()), (want.coefficients(), want.rank()), "{device}");
        let error = LogisticRegression::new(0.0).fit(device, &x, &apart).unwrap_err();
        assert!(matches!(error, Error::Separable { .. }), "{device}: {error}");
    }
}

/// The rows go up once; an iteration moves p numbers up, and a number, p of them and p² down.
#[test]
fn iterations_move_parameters() {
    let (n, d) = (2000, 7);
    let (x, y) = classes(n, d, 2, 31);
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).threshold(0.0).open().unwrap();
        let fit = |most: usize| {
            let before = device.counters();
            let fit = LogisticRegression::new(1.0).max_iterations(most).fit(&device, &x, &y).unwrap();
            let after = device.counters();
            let moved = [
                after.dispatches - before.dispatches,
                after.bytes_up - before.bytes_up,
                after.bytes_down - before.bytes_down,
            ];
            (moved, fit.report().iterations)
        };
        fit(200);
        let ([launches, up, down], iterations) = fit(200);
        let (looks, p, rows) = (iterations as u64 + 1, d as u64 + 1, n as u64);
        println!("{device}: {launches} launches, {up} bytes up, {down} down for at most {looks} looks");
        // z and the weights of rows, both in vectors of four; W for each look.
        assert!(up >= 4 * rows * p && up <= 4 * rows * (p + 4) + looks * (16 * p + 64), "{device}: {up} up");
        assert!(down > 0 && down <= looks * (16 * p + 4 * p * p + 64), "{device}: {down} down");
        assert!(launches > 0 && launches <= 20 * looks, "{device}: {launches} launches");
    }
}
