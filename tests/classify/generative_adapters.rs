//! Discriminants and naive Bayes on every adapter: the parameters and labels of the CPU, and what crosses between the two.

use mercer::prelude::*;
use ndarray::{Array1, Array2, ArrayView2};

use crate::support::{adapters, alone, cost, random};

/// Rows of k overlapping classes, correlated, one column far from the origin, and weights.
fn rows(n: usize, d: usize, k: usize, seed: u64) -> (Array2<f64>, Vec<usize>, Array1<f64>) {
    let y: Vec<usize> = (0..n).map(|i| i % k).collect();
    let (means, mixing) = (random(k, d, seed + 1), Array2::eye(d) + 0.3 * random(d, d, seed + 2));
    let mut x = random(n, d, seed).dot(&mixing);
    for (mut row, &c) in x.rows_mut().into_iter().zip(&y) {
        row *= 1.0 + 0.5 * c as f64;
        row += &(0.5 * &means.row(c));
    }
    x.column_mut(0).mapv_inplace(|v| 1e5 + v);
    (x, y, Array1::from_shape_fn(n, |i| 1.0 + (i % 3) as f64))
}

#[track_caller]
fn same(got: ArrayView2<f64>, want: ArrayView2<f64>, what: &str) {
    let size = want.iter().fold(0f64, |m, v| m.max(v.abs()));
    let off = (&got - &want).iter().fold(0f64, |m, v| m.max(v.abs()));
    // Written so that a NaN fails.
    assert!(off <= 1e-5 * size, "{what}: off by {off:e} of {size}");
}

/// Sizes about a tile, two classes and more; every label is that of the CPU.
#[test]
fn discriminants_are_those_of_the_cpu() {
    for (n, d, k) in [(257, 3, 2), (600, 7, 4), (300, 17, 3)] {
        let (x, y, w) = rows(n, d, k, 41);
        let linear = LinearDiscriminant::new().fit_weighted(&Device::cpu(), &x, &y, &w).unwrap();
        let quadratic =
            QuadraticDiscriminant::new().shrinkage(0.1).fit_weighted(&Device::cpu(), &x, &y, &w).unwrap();
        for device in adapters() {
            let what = format!("{n} x {d} of {k} on {device}");
            let got = LinearDiscriminant::new().fit_weighted(device, &x, &y, &w).unwrap();
            assert_eq!(got.device(), device);
            same(got.covariance(), linear.covariance(), &what);
            same(got.coefficients().view(), linear.coefficients().view(), &what);
            let spread = |m: &Array2<f64>| m - &linear.means().row(0);
            same(spread(got.means()).view(), spread(linear.means()).view(), &what);
            assert_eq!(got.predict(&x).unwrap(), linear.predict(&x).unwrap(), "{what}");
            let off = (got.predict_proba(&x).unwrap() - linear.predict_proba(&x).unwrap()).mapv(f64::abs);
            assert!(off.iter().all(|v| *v < 1e-4), "{what}");
            let got = QuadraticDiscriminant::new().shrinkage(0.1).fit_weighted(device, &x, &y, &w).unwrap();
            for (got, want) in got.covariances().outer_iter().zip(quadratic.covariances().outer_iter()) {
                same(got, want, &what);
            }
            same(spread(got.means()).view(), spread(quadratic.means()).view(), &what);
            assert_eq!(got.predict(&x).unwrap(), quadratic.predict(&x).unwrap(), "{what}");
        }
    }
}

#[test]
fn naive_bayes_is_that_of_the_cpu() {
    let (x, y, w) = rows(700, 9, 3, 51);
    let counts = x.mapv(|v| (4.0 * v).rem_euclid(7.0).floor());
    let bits = counts.mapv(|v| f64::from(u8::from(v > 3.0)));
    let gaussian = GaussianNaiveBayes::new().fit_weighted(&Device::cpu(), &x, &y, &w).unwrap();
    let words = MultinomialNaiveBayes::new(0.5);
    let multinomial = words.fit(&Device::cpu(), &counts, &y).unwrap();
    let events = BernoulliNaiveBayes::new().beta(1.0, 1.0);
    let bernoulli = events.fit(&Device::cpu(), &bits, &y).unwrap();
    for device in adapters() {
        let what = device.to_string();
        let got = GaussianNaiveBayes::new().fit_weighted(device, &x, &y, &w).unwrap();
        same(got.variances().view(), gaussian.variances().view(), &what);
        let spread = |m: &Array2<f64>| m - &gaussian.means().row(0);
        same(spread(got.means()).view(), spread(gaussian.means()).view(), &what);
        assert_eq!(got.predict(&x).unwrap(), gaussian.predict(&x).unwrap(), "{what}");
        let got = words.fit(device, &counts, &y).unwrap();
        assert_eq!(got.predict(&counts).unwrap(), multinomial.predict(&counts).unwrap(), "{what}");
        same(got.log_joint(&counts).unwrap().view(), multinomial.log_joint(&counts).unwrap().view(), &what);
        let got = events.fit(device, &bits, &y).unwrap();
        assert_eq!(got.predict(&bits).unwrap(), bernoulli.predict(&bits).unwrap(), "{what}");
        same(got.log_joint(&bits).unwrap().view(), bernoulli.log_joint(&bits).unwrap().view(), &what);
    }
}

/// What f32 does not hold is the CPU's to the last bit: a class that is narrow beside the distance of the others, features
/// that nearly depend on each other, and a tie.
#[test]
fn what_f32_cannot_tell_is_told_in_f64() {
    let (mut x, y, _) = rows(300, 3, 2, 61);
    for (mut row, &c) in x.rows_mut().into_iter().zip(&y) {
        row[1] = if c == 0 { 1e-7 * row[1] } else { 1e3 + row[1] };
    }
    let mut twins = x.clone();
    let near = &x.column(2) + &(1e-4 * &random(300, 1, 62).column(0));
    twins.column_mut(0).assign(&near);
    for device in adapters() {
        for x in [&x, &twins] {
            let want = QuadraticDiscriminant::new().fit(&Device::cpu(), x, &y).unwrap();
            let got = QuadraticDiscriminant::new().fit(device, x, &y).unwrap();
            assert_eq!((got.means(), got.covariances()), (want.means(), want.covariances()), "{device}");
            assert_eq!(got.predict(x).unwrap(), want.predict(x).unwrap(), "{device}");
        }
        // The two classes mirror each other: a point half way belongs to the first.
        let mirrored =
            ndarray::array![[1.0, 0.3], [2.0, -0.3], [-1.0, 0.3], [-2.0, -0.3], [0.5, 2.0], [-0.5, 2.0]];
        let fit = GaussianNaiveBayes::new().fit(device, &mirrored, ["b", "b", "a", "a", "b", "a"]).unwrap();
        assert_eq!(fit.predict(ndarray::array![[0.0, 0.7]]).unwrap(), ["a"], "{device}");
    }
}

/// Rows and weights go up once, moments come down; of a prediction rows go up, and a number for each class comes down.
#[test]
fn fits_move_rows_up_and_moments_down() {
    let (n, d, k) = (2000usize, 6usize, 3usize);
    let (x, y, _) = rows(n, d, k, 71);
    let four = |m: usize| (m.div_ceil(4) * 4) as u64;
    let (n, rows, marks) = (n as u64, four(d), four(k));
    for device in alone() {
        let moved = |work: &dyn Fn()| {
            work();
            let before = device.counters();
            work();
            let after = device.counters();
            let launches = after.dispatches - before.dispatches;
            (launches, after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down)
        };
        let fit = QuadraticDiscriminant::new().fit(&device, &x, &y).unwrap();
        let (launches, up, down) = moved(&|| {
            QuadraticDiscriminant::new().fit(&device, &x, &y).unwrap();
        });
        println!("{device}: fit {launches} launches, {up} up, {down} down");
        assert!(up >= 4 * n * (rows + marks) && up <= 4 * n * (rows + marks) + 1024, "{device}: {up} up");
        // Sums of classes, and of each class the products of its features and of one column of weights.
        let products = 4 * (rows + 1) * four(d + 5);
        assert!(
            down > 0 && down <= 4 * k as u64 * rows + k as u64 * products + 1024,
            "{device}: {down} down"
        );
        assert!(launches > 0 && launches <= 4 * (k as u64 + 1), "{device}: {launches} launches");
        let (launches, up, down) = moved(&|| {
            fit.predict(&x).unwrap();
        });
        println!("{device}: predict {launches} launches, {up} up, {down} down");
        assert!(up >= 4 * n * rows && up <= 4 * n * rows + 2048, "{device}: {up} up");
        assert!(down >= 4 * n * k as u64 && down <= 4 * n * marks, "{device}: {down} down");
        assert!((1..=2).contains(&launches), "{device}: {launches} launches");
    }
}

/// What classifiers of gaussians, words and events cost a device: every fit by moments and every prediction is made there.
#[test]
fn classifiers_work_on_the_device() {
    let (n, d, k) = (2000usize, 6usize, 3usize);
    let (x, y, _) = rows(n, d, k, 81);
    let counts = x.mapv(|v| (4.0 * v).rem_euclid(7.0).floor());
    let bits = counts.mapv(|v| f64::from(u8::from(v > 3.0)));
    let four = |m: usize| (m.div_ceil(4) * 4) as u64;
    let (size, sums) = (4 * n as u64 * four(d), 4 * n as u64 * four(k));
    for device in alone() {
        macro_rules! there {
            ($name:literal, $model:expr, $x:expr, $fits:literal) => {
                let ([launches, _, up, down], fit) = cost(&device, || $model.fit(&device, $x, &y).unwrap());
                println!("{} on {device}: fit {launches} launches, {up} up, {down} down", $name);
                if $fits {
                    // Rows and the marks of their classes go up once, sums of classes come down.
                    assert!(launches > 0 && up >= size + sums && up <= size + sums + 4096, $name);
                    assert!(down > 0 && down <= 4 * (four(d) + 1) * four(d + 5) * k as u64 + 4096, $name);
                } else {
                    assert_eq!((launches, up, down), (0, 0, 0), $name);
                }
                let ([launches, _, up, down], got) = cost(&device, || fit.log_joint($x).unwrap());
                println!("{} on {device}: predict {launches} launches, {up} up, {down} down", $name);
                assert!(launches > 0 && up >= size && up <= size + 4096, $name);
                assert!(down >= 4 * (n * k) as u64 && down <= sums, $name);
                // f32 has other bits.
                let here = fit.clone().on(&Device::cpu()).log_joint($x).unwrap();
                assert_ne!(got, here, $name);
                same(got.view(), here.view(), $name);
            };
        }
        there!("LinearDiscriminant", LinearDiscriminant::new(), &x, true);
        there!("GaussianNaiveBayes", GaussianNaiveBayes::new(), &x, true);
        there!("BernoulliNaiveBayes", BernoulliNaiveBayes::new().beta(1.0, 1.0), &bits, false);
        there!("MultinomialNaiveBayes", MultinomialNaiveBayes::new(0.5), &counts, false);
    }
}
