//! Random Fourier features: unbiased for every kernel that has a spectral measure, and as good as 1/√m.

use mercer::models::kernel_methods::KernelRidge;
use mercer::models::kernel_methods::features::{FittedRandomFourier, RandomFourier};
use mercer::models::linear::{BayesianLinearRegression, Ridge};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array};

use crate::support::random;
use crate::{close, problem, solved};

/// Kernels of two features.
fn stationary() -> Vec<Kernel> {
    vec![
        Kernel::rbf(0.7),
        Kernel::rbf([0.5, 2.0]),
        Kernel::laplacian(1.5),
        Kernel::laplacian([1.0, 3.0]),
        Kernel::matern12(1.0),
        Kernel::matern32([0.6, 1.4]),
        Kernel::matern52(0.9),
        Kernel::matern(3.5, 0.9),
        Kernel::rational_quadratic(0.8, 0.7),
        Kernel::rational_quadratic_beta(1.3, 2.0),
        Kernel::periodic(0.8, 1.7),
        2.0 * Kernel::rbf(0.5) + 0.5 * Kernel::matern32(1.0) + Kernel::constant(0.3),
        Kernel::rbf(1.0) * Kernel::laplacian(2.0),
        Kernel::matern52(1.0).pow(3).scaled(1.4),
        Kernel::rbf(0.8).polynomial_of(&[0.2, 0.5, 1.0]),
        Kernel::rbf(0.6).on(vec![1]),
        Kernel::matern32([0.5, 1.0, 2.0]).project(array![[1.0, 0.5], [0.0, 1.0], [-0.5, 0.3]]),
    ]
}

fn approximate(kernel: &Kernel, m: usize, orthogonal: bool, seed: u64, x: &Array2<f64>) -> Array2<f64> {
    let map = RandomFourier::new(kernel.clone(), m)
        .orthogonal(orthogonal)
        .seed(seed)
        .fit(&Device::cpu(), Array2::<f64>::zeros((1, x.ncols())))
        .unwrap();
    let phi = map.transform(x.view()).unwrap();
    assert_eq!(phi.ncols(), map.outputs());
    phi.dot(&phi.t())
}

fn exact(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let at = |i: usize| x.row(i).to_vec();
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| kernel.value(&at(i), &at(j)).unwrap())
}

/// With 40,000 frequencies a standard error is at most 0.005 k(0); five of them leave no room for a wrong measure.
#[test]
fn every_measure_is_its_kernels() {
    let x = random(6, 2, 61);
    for kernel in stationary() {
        let want = exact(&kernel, &x);
        let size = want[[0, 0]];
        for orthogonal in [false, true] {
            let got = approximate(&kernel, 40_000, orthogonal, 7, &x);
            assert!(
                (&got - &want).iter().all(|e| e.abs() < 0.025 * size),
                "{kernel}, orthogonal: {orthogonal}"
            );
            // At one point it is exact: the square of a cosine and that of its sine.
            assert!(got.diag().iter().all(|v| (v / size - 1.0).abs() < 1e-10), "{kernel}");
        }
    }
}

#[test]
fn the_error_falls_as_one_over_the_root_of_m() {
    let x = random(20, 3, 62) * 2.0;
    for kernel in [Kernel::rbf(1.0), Kernel::matern32(1.0), Kernel::laplacian(3.0)] {
        let want = exact(&kernel, &x);
        let error = |m: usize| {
            let square =
                |seed| (approximate(&kernel, m, false, seed, &x) - &want).mapv(|e| e * e).mean().unwrap();
            ((0..40).map(square).sum::<f64>() / 40.0).sqrt()
        };
        let (some, many) = (error(50), error(800));
        let slope = (many / some).ln() / 16f64.ln();
        assert!((slope + 0.5).abs() < 0.06, "{kernel}: m^{slope:.3}");
    }
}

/// The variance of one cosine is known: Oxford LA-05.
#[test]
fn the_variance_is_its_formula() {
    let x = array![[0.0], [1.0]];
    let draws: Vec<f64> =
        (0..4000).map(|s| approximate(&Kernel::rbf(1.0), 1, false, s, &x)[[0, 1]]).collect();
    let mean = draws.iter().sum::<f64>() / 4000.0;
    let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 4000.0;
    assert!((variance - 0.1997882004).abs() < 0.015, "{variance}");
}

#[test]
fn orthogonal_frequencies_are_orthogonal_and_better() {
    let map = RandomFourier::new(Kernel::rbf(1.0), 16)
        .orthogonal(true)
        .seed(2)
        .fit(&Device::cpu(), Array2::<f64>::zeros((1, 8)))
        .unwrap();
    let w = map.frequencies();
    for block in 0..2 {
        for (i, j) in (0..8).flat_map(|i| (0..i).map(move |j| (8 * block + i, 8 * block + j))) {
            assert!(w.row(i).dot(&w.row(j)).abs() < 1e-12 * w.row(i).dot(&w.row(i)));
        }
    }
    let x = random(15, 8, 63) * 0.4;
    let want = exact(&Kernel::rbf(1.0), &x);
    let error = |orthogonal| -> f64 {
        (0..60)
            .map(|s| (approximate(&Kernel::rbf(1.0), 8, orthogonal, s, &x) - &want).mapv(|e| e * e).sum())
            .sum()
    };
    assert!(error(true) < 0.7 * error(false), "{} and {}", error(true), error(false));
}

#[test]
fn ridge_on_features_tends_to_kernel_ridge() {
    let (x, y) = problem(150, 1, 64);
    let cpu = Device::cpu();
    let want = KernelRidge::new(Kernel::rbf(0.7), 0.5).fit(&cpu, x.view(), y.view()).unwrap();
    let want = want.predict(x.view()).unwrap();
    let error = |m| {
        let map = RandomFourier::new(Kernel::rbf(0.7), m)
            .seed(1)
            .fit(&Device::cpu(), Array2::<f64>::zeros((1, 1)))
            .unwrap();
        let phi = map.transform(x.view()).unwrap();
        let fit = Ridge::new(0.5).intercept(false).fit(&cpu, phi.view(), y.view()).unwrap();
        (fit.predict(phi.view()).unwrap() - &want).mapv(|e| e * e).mean().unwrap().sqrt()
    };
    let (few, many) = (error(10), error(2000));
    assert!(many < 0.02 && many < 0.2 * few, "{few} and {many}");
}

/// Bayesian linear regression on the features is a Gaussian process with the approximate kernel.
#[test]
fn a_posterior_on_features_collapses_far_away_only_as_the_features_do() {
    let (x, y) = problem(60, 1, 65);
    let map = RandomFourier::new(Kernel::rbf(0.7), 200)
        .seed(1)
        .fit(&Device::cpu(), Array2::<f64>::zeros((1, 1)))
        .unwrap();
    let phi = map.transform(x.view()).unwrap();
    let posterior =
        BayesianLinearRegression::new(1.0, 50.0).fit(&Device::cpu(), phi.view(), y.column(0)).unwrap();
    let near = posterior.predict_distribution(map.transform(x.view()).unwrap().view()).unwrap();
    let far = posterior.predict_distribution(map.transform(array![[40.0]].view()).unwrap().view()).unwrap();
    assert!(near.function_variance().iter().all(|v| *v < 0.05));
    assert!(
        far.function_variance()[0] > 0.3 && far.function_variance()[0] <= 1.0 + 1e-9,
        "{}",
        far.function_variance()[0]
    );
}

/// Oxford LA-06: mean, covariance and evidence are those of a Gaussian process with `k̃(x, x') = (k(0)/m) Σ cos ωᵀ(x - x')`,
/// whether there are more features than observations or fewer.
#[test]
fn a_posterior_on_features_is_a_gaussian_process() {
    let (x, y) = problem(40, 2, 66);
    let new = random(7, 2, 67) * 3.0;
    let (alpha, beta) = (0.8, 20.0);
    let t = y.column(0).to_owned();
    for m in [6, 90] {
        let map = RandomFourier::new(1.5 * Kernel::matern32(0.9), m)
            .seed(3)
            .fit(&Device::cpu(), Array2::<f64>::zeros((1, 2)))
            .unwrap();
        assert_eq!(map.amplitude(), 1.5);
        let kernel = |a: &Array2<f64>, b: &Array2<f64>| {
            Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
                let apart = &a.row(i) - &b.row(j);
                map.frequencies().dot(&apart).mapv(f64::cos).sum() * 1.5 / m as f64 / alpha
            })
        };
        let noisy = kernel(&x, &x) + Array2::<f64>::eye(40) / beta;
        let cross = kernel(&new, &x);
        let dual = solved(&noisy, &t.clone().insert_axis(Axis(1)));
        let covariance = kernel(&new, &new) - cross.dot(&solved(&noisy, &cross.t().to_owned()));
        let posterior = BayesianLinearRegression::new(alpha, beta);
        let posterior =
            posterior.fit(&Device::cpu(), map.transform(x.view()).unwrap().view(), t.view()).unwrap();
        let phi = map.transform(new.view()).unwrap();
        let at = posterior.predict_distribution(phi.view()).unwrap();
        close(at.mean().view().insert_axis(Axis(1)), cross.dot(&dual).view(), 1e-9, "mean");
        let variance = covariance.diag().to_owned().insert_axis(Axis(1));
        close(at.function_variance().view().insert_axis(Axis(1)), variance.view(), 1e-9, "variance");
        let got = posterior.prediction_covariance(phi.view(), phi.view()).unwrap();
        close(got.view(), covariance.view(), 1e-9, "covariance");
    }
}

/// Oxford LA-05, features at 1 and the kernel they give.
#[test]
fn reference_numbers() {
    let omega = array![[0.3], [-1.2], [0.8], [2.1]];
    let map = FittedRandomFourier::from_frequencies(omega, 1.0).unwrap();
    let phi = map.transform(array![[1.0], [0.0], [0.5], [2.0]].view()).unwrap();
    let want = array![[
        0.4776682446,
        0.1477601033,
        0.1811788772,
        -0.466019543,
        0.3483533547,
        0.3586780454,
        -0.2524230523,
        0.4316046833
    ]];
    close(phi.slice(ndarray::s![..1, ..]), want.view(), 1e-9, "features");
    assert!((phi.row(1).dot(&phi.row(2)) - 0.8081846837).abs() < 1e-9);
    assert!((phi.row(1).dot(&phi.row(3)) + 0.1078796111).abs() < 1e-9);
}

#[test]
fn kernels_without_a_measure_are_refused() {
    let custom = Kernel::rbf(1.0).warp("half", |_| 0.5);
    for kernel in [Kernel::linear(), Kernel::white(1.0) + Kernel::rbf(1.0), Kernel::rbf(1.0).exp(), custom] {
        let e = RandomFourier::new(kernel, 10).fit(&Device::cpu(), Array2::<f64>::zeros((1, 2))).unwrap_err();
        assert!(matches!(&e, Error::Unsupported { op: "RandomFourier::fit", .. }), "{e}");
    }
    assert!(matches!(
        RandomFourier::new(Kernel::rbf([1.0, 2.0]), 5).fit(&Device::cpu(), Array2::<f64>::zeros((1, 3))),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        RandomFourier::new(Kernel::rbf(-1.0), 5).fit(&Device::cpu(), Array2::<f64>::zeros((1, 3))),
        Err(Error::Parameter { .. })
    ));
    assert!(matches!(
        RandomFourier::new(Kernel::rbf(1.0), 0).fit(&Device::cpu(), Array2::<f64>::zeros((1, 3))),
        Err(Error::Parameter { .. })
    ));
    assert!(matches!(
        RandomFourier::new(Kernel::rbf(1.0), 4).fit(&Device::cpu(), Array2::<f64>::zeros((1, 0))),
        Err(Error::Shape { .. })
    ));
}

/// Beyond 2⁶⁴ no Poisson law is drawn from: a correlation that ends at once is not one that never ends.
#[test]
fn a_periodic_kernel_of_the_smallest_length_scale() {
    for lengthscale in [1e-6, 1e-9, 1e-10, 1e-200] {
        let kernel = Kernel::periodic(lengthscale, 1.0);
        assert_eq!(kernel.value(&[0.0], &[0.3]).unwrap(), 0.0);
        let map = RandomFourier::new(kernel, 2000).fit(&Device::cpu(), Array2::<f64>::zeros((1, 1))).unwrap();
        let phi = map.transform(array![[0.0], [0.3]].view()).unwrap();
        let k = phi.row(0).dot(&phi.row(1));
        assert!(k.abs() < 0.1, "{k} at a length scale of {lengthscale}");
    }
}

#[test]
fn frequencies_beyond_all_memory_are_refused() {
    let map =
        RandomFourier::new(Kernel::rbf(1.0), usize::MAX).fit(&Device::cpu(), Array2::<f64>::zeros((1, 2)));
    assert!(matches!(map, Err(mercer::Error::Parameter { .. })));
}
