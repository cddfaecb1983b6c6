//! Energy distance, distance covariance and distance correlation.

use approx::assert_relative_eq;
use mercer::stats::{
    DistanceCovariance, Estimator, Hsic, IndependenceTest, Mmd, Null, TwoSampleTest, distance_induced_kernel,
    distance_kernel, energy_distance,
};
use mercer::{Device, Error, Matrix, ops};
use ndarray::{Array2, array};
use serde_json::Value;

use crate::level::keeps_level;
use crate::loops::adapters;
use crate::loops::normal;
use crate::support::oracle::matrix;
use crate::support::random;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracle/stats_distance.json")).unwrap()
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

/// `|x_i - y_j|^a`.
fn distances(x: &Array2<f64>, y: &Array2<f64>, exponent: f64) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
        let r2: f64 = x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
        r2.powf(0.5 * exponent)
    })
}

#[test]
fn dcor_and_hyppo_agree() {
    let (oracle, cpu) = (oracle(), Device::cpu());
    for case in oracle["pairs"].as_array().unwrap() {
        let (x, y, exponent) = (matrix(&case["x"]), matrix(&case["y"]), number(&case["exponent"]));
        let v = DistanceCovariance::new(exponent).run(&cpu, x.view(), y.view()).unwrap();
        let u = DistanceCovariance::new(exponent)
            .estimator(Estimator::Unbiased)
            .run(&cpu, x.view(), y.view())
            .unwrap();
        assert_relative_eq!(v.squared, number(&case["covariance_squared"]), epsilon = 1e-10);
        assert_relative_eq!(v.correlation(), number(&case["correlation"]), epsilon = 1e-10);
        assert_relative_eq!(u.squared, number(&case["unbiased_covariance_squared"]), epsilon = 1e-10);
        let want = number(&case["unbiased_correlation_squared"]);
        assert_relative_eq!(u.correlation_squared, want, epsilon = 1e-10);
        let own = DistanceCovariance::new(exponent).run(&cpu, x.view(), x.view()).unwrap();
        assert_relative_eq!(own.squared, number(&case["variance_x_squared"]), epsilon = 1e-10);
        if let Some(hyppo) = case["hyppo"].as_object() {
            // hyppo's Dcorr is dCor with bias and dCor² without.
            assert_relative_eq!(v.correlation(), number(&hyppo["biased"]), epsilon = 1e-10);
            assert_relative_eq!(u.correlation_squared, number(&hyppo["unbiased"]), epsilon = 1e-10);
        }
    }
    for case in oracle["samples"].as_array().unwrap() {
        let (x, y, exponent) = (matrix(&case["x"]), matrix(&case["y"]), number(&case["exponent"]));
        let got = energy_distance(&cpu, x.view(), y.view(), exponent).unwrap();
        assert_relative_eq!(got, number(&case["energy"]), epsilon = 1e-10);
    }
}

#[test]
fn the_direct_formulas_agree() {
    let cpu = Device::cpu();
    let (x, y) = (random(21, 3, 1), random(34, 3, 2) * 1.4);
    for exponent in [0.3, 1.0, 1.7] {
        let mean = |x: &Array2<f64>, y: &Array2<f64>| distances(x, y, exponent).mean().unwrap();
        let want = 2.0 * mean(&x, &y) - mean(&x, &x) - mean(&y, &y);
        assert_relative_eq!(
            energy_distance(&cpu, x.view(), y.view(), exponent).unwrap(),
            want,
            epsilon = 1e-10
        );
        // dCov² = S1 + S2 - 2 S3 over plain distances.
        let z = random(21, 2, 3);
        let (a, b) = (distances(&x, &x, exponent), distances(&z, &z, exponent));
        let rows = |a: &Array2<f64>| a.mean_axis(ndarray::Axis(1)).unwrap();
        let want = (&a * &b).mean().unwrap() + a.mean().unwrap() * b.mean().unwrap()
            - 2.0 * (rows(&a) * rows(&b)).mean().unwrap();
        let got = DistanceCovariance::new(exponent).run(&cpu, x.view(), z.view()).unwrap();
        assert_relative_eq!(got.squared, want, epsilon = 1e-10);
    }
}

/// Whatever its centre, the positive definite kernel of the distance gives half and a quarter.
#[test]
fn the_distance_induced_kernel_is_the_distance() {
    let cpu = Device::cpu();
    let (x, y, z) = (random(15, 2, 1), random(11, 2, 2), random(15, 3, 3));
    for exponent in [0.8, 1.0] {
        for centre in [[0.0, 0.0], [5.0, -3.0]] {
            let k = distance_induced_kernel(&centre, exponent).unwrap();
            let mmd = Mmd::new(k.clone()).biased(&cpu, x.view(), y.view()).unwrap();
            let energy = energy_distance(&cpu, x.view(), y.view(), exponent).unwrap();
            assert_relative_eq!(2.0 * mmd, energy, epsilon = 1e-12);
            let l = distance_induced_kernel(&[1.0, 2.0, 3.0], exponent).unwrap();
            let hsic = Hsic::new(k.clone(), l).biased(&cpu, x.view(), z.view()).unwrap();
            let covariance = DistanceCovariance::new(exponent).run(&cpu, x.view(), z.view()).unwrap().squared;
            assert_relative_eq!(4.0 * hsic, covariance, epsilon = 1e-12);
            let gram = ops::gram(&k, &Matrix::from_array(&cpu, x.view()).unwrap(), None).unwrap();
            let least = mercer::linalg::eigh(gram.to_array().unwrap().view()).unwrap().values[14];
            assert!(least > 0.0, "not positive definite: {least}");
            assert!(k.is_positive_definite() && !distance_kernel(exponent).unwrap().is_positive_definite());
        }
    }
}

#[test]
fn the_levels_are_kept() {
    let few = |seed: u64| (Null::Permutations(99), seed);
    keeps_level("energy distance", |seed| {
        let (null, seed) = few(seed);
        let test = TwoSampleTest::energy(1.0)?.null(null).seed(seed);
        let (x, y) = (normal(20, 2, 0.0, 2 * seed), normal(25, 2, 0.0, 2 * seed + 1));
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
    });
    keeps_level("distance covariance", |seed| {
        let (null, seed) = few(seed);
        let test = IndependenceTest::distance_covariance(1.0)?.null(null).seed(seed);
        let (x, y) = (normal(25, 2, 0.0, 5000 + 2 * seed), normal(25, 1, 0.0, 5001 + 2 * seed));
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
    });
    keeps_level("distance covariance, unbiased", |seed| {
        let (null, seed) = few(seed);
        let estimator = Estimator::Unbiased;
        let test = IndependenceTest::distance_covariance(1.0)?.null(null).seed(seed).estimator(estimator);
        let (x, y) = (normal(25, 2, 0.0, 5000 + 2 * seed), normal(25, 1, 0.0, 5001 + 2 * seed));
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
    });
}

#[test]
fn what_is_there_is_found() {
    let x = normal(80, 1, 0.0, 1);
    let y = x.mapv(|v| v * v) + normal(80, 1, 0.0, 2) * 0.3;
    let found =
        IndependenceTest::distance_covariance(1.0).unwrap().run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(found.p_value < 0.01, "{found}");
    let z = normal(80, 1, 0.0, 3) * 2.5;
    let found = TwoSampleTest::energy(1.0).unwrap().run(&Device::cpu(), x.view(), z.view()).unwrap();
    assert!(found.p_value < 0.01, "{found}");
}

#[test]
fn every_adapter_agrees() {
    let (x, y) = (random(60, 3, 1), random(70, 3, 2) + 0.5);
    let z = x.mapv(|v| v * v * v);
    for device in adapters() {
        for exponent in [1.0, 1.3] {
            let energy = |d: &Device| energy_distance(d, x.view(), y.view(), exponent).unwrap();
            assert_relative_eq!(energy(device), energy(&Device::cpu()), max_relative = 1e-5);
            let both = |d: &Device| {
                let v = DistanceCovariance::new(exponent).run(d, x.view(), z.view()).unwrap();
                let u = DistanceCovariance::new(exponent)
                    .estimator(Estimator::Unbiased)
                    .run(d, x.view(), z.view())
                    .unwrap();
                [v.squared, v.correlation_squared, u.squared, u.correlation_squared]
            };
            let want = both(&Device::cpu());
            both(device).iter().zip(want).for_each(|(g, w)| assert_relative_eq!(*g, w, max_relative = 1e-5));
        }
        let k = distance_induced_kernel(&[0.1, 0.2, 0.3], 1.0).unwrap();
        let mmd = |d: &Device| Mmd::new(k.clone()).biased(d, x.view(), y.view()).unwrap();
        assert_relative_eq!(mmd(device), mmd(&Device::cpu()), max_relative = 1e-5);
        let p = |d: &Device| {
            let null = Null::Permutations(99);
            let two = TwoSampleTest::energy(1.0).unwrap().null(null);
            let pair = IndependenceTest::distance_covariance(1.0).unwrap().null(null);
            let close = &x + 0.05;
            let (w, v) = (random(60, 1, 5), random(60, 1, 6));
            let p = two.run(d, x.view(), close.view()).unwrap().p_value;
            (p, pair.run(d, w.view(), v.view()).unwrap().p_value)
        };
        assert_eq!(p(device), p(&Device::cpu()));
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let good = random(10, 2, 1);
    let energy = |x: Array2<f64>| energy_distance(&cpu, x.view(), good.view(), 1.0);
    assert!(matches!(energy(Array2::zeros((0, 2))), Err(Error::Shape { .. })));
    assert!(matches!(energy(Array2::zeros((3, 1))), Err(Error::Shape { .. })));
    assert!(matches!(energy(array![[0.0, f64::NAN]]), Err(Error::NotFinite { .. })));
    assert!(energy(array![[0.0, 1.0]]).is_ok());
    let pair = |x: Array2<f64>| DistanceCovariance::new(1.0).run(&cpu, x.view(), good.view());
    assert!(matches!(pair(Array2::zeros((9, 1))), Err(Error::Shape { .. })));
    // A constant is independent of everything.
    let constant = pair(Array2::ones((10, 1))).unwrap();
    assert_eq!((constant.squared, constant.correlation()), (0.0, 0.0));
    for exponent in [0.0, 2.0, -1.0, f64::NAN] {
        assert!(matches!(distance_kernel(exponent), Err(Error::Parameter { .. })));
        assert!(matches!(distance_induced_kernel(&[0.0], exponent), Err(Error::Parameter { .. })));
    }
    assert!(matches!(distance_induced_kernel(&[], 1.0), Err(Error::Shape { .. })));
    assert!(matches!(distance_induced_kernel(&[f64::NAN], 1.0), Err(Error::NotFinite { .. })));
    let none = TwoSampleTest::energy(1.0).unwrap().null(Null::Permutations(0));
    assert!(matches!(none.run(&cpu, good.view(), good.view()), Err(Error::Parameter { .. })));
}
