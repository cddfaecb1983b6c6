//! Random Fourier features on a device: both variants as on the CPU, and in front of every linear model, PCA and SVM.

use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::{adapters, alone, gpus, random, same};

/// Of heavy-tailed measures some frequencies are too high for f32: the CPU has these, and nobody sees the difference.
#[test]
fn features_are_those_of_the_cpu() {
    let cases = [(1, 1, 3), (5, 3, 65), (64, 8, 64), (257, 20, 33), (130, 2, 300)];
    let kernels = [Kernel::rbf(0.7), Kernel::matern12(0.5), 2.0 * Kernel::laplacian(1.5)];
    for (n, d, m) in cases {
        let x = random(n, d, 3) * 2.0;
        for kernel in &kernels {
            for phases in [false, true] {
                let model = RandomFourier::new(kernel.clone(), m).phases(phases).seed(5);
                let want = model.fit(&Device::cpu(), &x).unwrap().transform(&x).unwrap();
                for device in gpus() {
                    let map = model.fit(device, &x).unwrap();
                    assert_eq!(map.device(), device);
                    let what = format!("{kernel}, {n} x {d}, {m} frequencies, phases: {phases}, {device}");
                    same(&map.transform(&x).unwrap(), &want, 4e-5 / (m as f64).sqrt(), &what);
                }
            }
        }
    }
}

/// The shift goes into the phases, in f64; what f32 could not follow even so is the CPU's.
#[test]
fn far_from_the_origin_and_beyond_f32() {
    let x = random(90, 3, 4);
    let far = &x + &array![5e4, -3e6, 2e5];
    for device in gpus() {
        for phases in [false, true] {
            let model = RandomFourier::new(Kernel::rbf(0.9), 40).phases(phases);
            let want = model.fit(&Device::cpu(), &far).unwrap().transform(&far).unwrap();
            let got = model.fit(device, &far).unwrap().transform(&far).unwrap();
            same(&got, &want, 1e-5, &format!("far away on {device}"));
        }
        for omega in [array![[1e30, 0.0, 0.0]], array![[0.3, 0.1, 0.2], [1e200, 0.0, 0.0], [0.0, 0.5, 0.0]]] {
            let map = FittedRandomFourier::from_frequencies(omega, 1.0).unwrap();
            let want = map.transform(&x).unwrap();
            same(&map.on(device).transform(&x).unwrap(), &want, 1e-5, &format!("high ones on {device}"));
        }
    }
}

/// A product and its waves: points, frequencies and phases up, features down, nothing else.
#[test]
fn points_go_up_and_features_come_down() {
    let (n, d, m) = (640u64, 5, 100);
    let x = random(n as usize, d as usize, 6);
    for device in alone() {
        for (phases, outputs) in [(false, 2 * m), (true, m)] {
            let model = RandomFourier::new(Kernel::rbf(1.0), m as usize).phases(phases);
            let map = model.fit(&device, &x).unwrap();
            map.transform(&x).unwrap();
            let before = device.counters();
            map.transform(&x).unwrap();
            let after = device.counters();
            // On software adapters a product may be two launches.
            let launches = after.dispatches - before.dispatches;
            assert!((2..=3).contains(&launches), "{launches} on {device}");
            assert!(after.submissions - before.submissions <= 2);
            // Rows are padded to four features.
            assert_eq!(after.bytes_up - before.bytes_up, 4 * (8 * n + d * m + m));
            assert_eq!(after.bytes_down - before.bytes_down, 4 * n * outputs);
            assert_eq!(after.read_backs - before.read_backs, 1);
        }
    }
}

/// A wave and its sign, that no linear function of x follows.
fn problem() -> (Array2<f64>, Array1<f64>, Vec<bool>) {
    let x = random(150, 2, 7) * 2.0;
    let y: Array1<f64> = x.rows().into_iter().map(|r| (1.5 * r[0]).sin() + (1.2 * r[1]).cos()).collect();
    let class = y.iter().map(|v| *v > 0.4).collect();
    (x, y, class)
}

fn map(phases: bool) -> RandomFourier {
    RandomFourier::new(Kernel::rbf(1.0), 25).phases(phases).seed(2)
}

#[test]
fn in_front_of_every_linear_regression() {
    let (x, y, _) = problem();
    let on_cpu = Device::cpu();
    macro_rules! follows {
        ($($model:expr => $tolerance:expr),* $(,)?) => {$(
            for phases in [false, true] {
                let pipe = Pipeline::new(map(phases), $model);
                let want = pipe.fit(&on_cpu, &x, &y).unwrap().predict(&x).unwrap();
                let off = (&want - &y).mapv(|v| v * v).mean().unwrap();
                assert!(off < 0.02, "{}: {off}", stringify!($model));
                for device in adapters() {
                    let got = pipe.fit(device, &x, &y).unwrap().predict(&x).unwrap();
                    same(&got, &want, $tolerance, &format!("{}, phases: {phases}, {device}", stringify!($model)));
                }
            }
        )*};
    }
    // Without a penalty, features that are nearly dependent amplify what f32 rounds.
    follows!(
        Ridge::new(0.01) => 1e-4,
        LeastSquares::new() => 2e-2,
        BayesianLinearRegression::new(1.0, 100.0) => 1e-4,
        Lasso::new(1e-3) => 1e-4,
        ElasticNet::new(1e-3, 0.5) => 1e-4,
        QuantileRegression::new(0.5).penalty(1e-3) => 1e-2,
        GeneralisedLinear::new(Family::Gaussian).penalty(1e-3) => 1e-4,
        RidgeCv::new(&[0.1, 0.01]) => 1e-4,
        SvmRegressor::new(Kernel::linear(), 1.0, 0.1).tolerance(1e-4) => 1e-2,
    );
}

#[test]
fn in_front_of_every_linear_classifier_and_svm() {
    let (x, _, class) = problem();
    let on_cpu = Device::cpu();
    macro_rules! separates {
        ($($model:expr),* $(,)?) => {$(
            for phases in [false, true] {
                let pipe = Pipeline::new(map(phases), $model);
                let want = pipe.fit(&on_cpu, &x, &class).unwrap().predict(&x).unwrap();
                let right = want.iter().zip(&class).filter(|(a, b)| a == b).count();
                assert!(right >= 142, "{}: {right}", stringify!($model));
                for device in adapters() {
                    let got = pipe.fit(device, &x, &class).unwrap().predict(&x).unwrap();
                    let same = got.iter().zip(&want).filter(|(a, b)| a == b).count();
                    assert!(same >= 149, "{}, phases: {phases}, {device}: {same}", stringify!($model));
                }
            }
        )*};
    }
    separates!(
        LogisticRegression::new(0.01),
        LeastSquaresClassifier::new(0.01),
        BayesianLogisticRegression::new(0.01),
        SvmClassifier::new(Kernel::linear(), 10.0),
    );
}

/// The variances along the components of the features tend to the eigenvalues of kernel PCA.
#[test]
fn in_front_of_pca() {
    let (x, ..) = problem();
    for phases in [false, true] {
        let pipe = Pipeline::new(map(phases), Pca::new(3));
        let want = pipe.fit(&Device::cpu(), &x, ()).unwrap();
        for device in adapters() {
            let got = pipe.fit(device, &x, ()).unwrap();
            let (a, b) = (got.then().explained_variance(), want.then().explained_variance());
            same(a, b, 1e-5, &format!("variances on {device}"));
            same(
                &got.transform(&x).unwrap(),
                &want.transform(&x).unwrap(),
                1e-4,
                &format!("scores on {device}"),
            );
        }
    }
    let many = Pipeline::new(RandomFourier::new(Kernel::rbf(1.0), 4000), Pca::new(3));
    let many = many.fit(&Device::cpu(), &x, ()).unwrap();
    let exact = KernelPca::new(Kernel::rbf(1.0), 3).fit(&Device::cpu(), &x).unwrap();
    // Pca divides by n - 1.
    let variances = many.then().explained_variance() * (149.0 / 150.0);
    same(&variances, &exact.explained_variance(), 0.01, "kernel PCA");
}
