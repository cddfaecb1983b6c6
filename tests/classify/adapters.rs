//! Logistic regression on every adapter: the coefficients of the CPU, and what crosses between host and device.

use mercer::device::DeviceOptions;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis};

use crate::support::{adapters, alone, cost, random};

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
        let model = LogisticRegression::new(1.0).max_iterations(200);
        let fit = || model.fit(&device, &x, &y).unwrap().report().iterations;
        let ([launches, up, down], iterations) = moved(&device, fit);
        let (looks, p, rows) = (iterations + 1, d as u64 + 1, n as u64);
        println!("{device}: {launches} launches, {up} bytes up, {down} down for at most {looks} looks");
        // z and the weights of rows, both in vectors of four; W for each look.
        assert!(up >= 4 * rows * p && up <= 4 * rows * (p + 4) + looks * (16 * p + 64), "{device}: {up} up");
        assert!(down > 0 && down <= looks * (16 * p + 4 * p * p + 64), "{device}: {down} down");
        assert!(launches > 0 && launches <= 20 * looks, "{device}: {launches} launches");
    }
}

/// What a fit moves once its pipelines are there: launches, bytes up, bytes down; and its iterations.
fn moved(device: &Device, work: impl Fn() -> usize) -> ([u64; 3], u64) {
    work();
    let ([launches, _, up, down], iterations) = cost(device, work);
    ([launches, up, down], iterations as u64)
}

/// Three classes by Newton's method: p K numbers up, and the gradient and the lower blocks of the Hessian down.
#[test]
fn the_softmax_moves_parameters() {
    let (n, d, k) = (1500u64, 5u64, 3u64);
    let (x, y) = classes(n as usize, d as usize, k as usize, 41);
    for device in alone() {
        let fit = || LogisticRegression::new(1.0).fit(&device, &x, &y).unwrap().report().iterations;
        let ([launches, up, down], iterations) = moved(&device, fit);
        let (looks, p) = (iterations + 1, d + 1);
        println!("{device}: {launches} launches, {up} bytes up, {down} down for at most {looks} looks");
        // Rows of eight and weights of four; W, and for each class a column that picks it twice.
        let look = 16 * p + 2 * k * 16 * k + 64;
        assert!(up >= 4 * n * p && up <= 4 * n * (8 + 4) + looks * look, "{device}: {up} up");
        let blocks = k * (k + 1) / 2 * 4 * p * 8;
        assert!(down > 0 && down <= looks * (16 * p + blocks + 64), "{device}: {down} down");
        let launched = 8 + 2 * k + 4 * k * (k + 1) / 2;
        assert!(launches > 0 && launches <= looks * launched, "{device}: {launches} launches");
    }
}

/// Many parameters by L-BFGS: W up, and a number and the gradient down, never a Hessian, whose p²K² would be a megabyte.
#[test]
fn gradients_alone_move_parameters() {
    let (n, d, k) = (600u64, 70u64, 8u64);
    let (x, y) = classes(n as usize, d as usize, k as usize, 51);
    for device in alone() {
        let fit = || LogisticRegression::new(2.0).fit(&device, &x, &y).unwrap().report().iterations;
        let ([launches, up, down], iterations) = moved(&device, fit);
        println!("{device}: {launches} launches, {up} bytes up, {down} down, {iterations} iterations after");
        let (p, rows) = (d + 1, 4 * n * (72 + 4));
        let look = 4 * p * k;
        // What is not rows is W of each look, and as many gradients come down as W went up.
        assert!(up > rows && (up - rows).is_multiple_of(look), "{device}: {up} up");
        let looks = (up - rows) / look;
        // Two hundred iterations of a search that the rounding of f32 ends, each with a look or two.
        assert!((3..=500).contains(&looks), "{device}: {looks} looks");
        assert!(down >= looks * look && down <= looks * (look + 64), "{device}: {down} down");
        assert!(launches >= 4 * looks && launches <= 12 * looks, "{device}: {launches} launches");
    }
}

/// Rows and queries go up; k indices and k squares come down for each query, never the distances to all rows.
#[test]
fn neighbours_move_k_numbers_a_query() {
    let (n, m, d, k) = (3000u64, 500u64, 6u64, 5u64);
    let (x, y) = classes(n as usize, d as usize, 2, 61);
    let queries = random(m as usize, d as usize, 62);
    let want = KNearest::new(k as usize).fit(&Device::cpu(), &x, &y).unwrap().predict(&queries).unwrap();
    for device in alone() {
        let fit = KNearest::new(k as usize).fit(&device, &x, &y).unwrap();
        assert_eq!(fit.predict(&queries).unwrap(), want, "{device}");
        let ([launches, up, down], _) = moved(&device, || fit.predict(&queries).unwrap().len());
        println!("{device}: {launches} launches, {up} bytes up, {down} down");
        assert!(up >= 4 * (n + m) * d && up <= 4 * (n + m) * 8 + 64, "{device}: {up} up");
        assert!(down >= 8 * m * k && down <= 8 * m * 8 + 64, "{device}: {down} down");
        assert!(launches > 0 && launches <= 8, "{device}: {launches} launches");
    }
}
