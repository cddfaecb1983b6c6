//! Nyström features: exact where they must be, below the kernel everywhere else.

use mercer::linalg::{Jitter, eigh};
use mercer::models::kernel_methods::features::{Landmarks, Nystrom};
use mercer::models::linear::BayesianLinearRegression;
use mercer::{Device, Kernel, Matrix, ops};
use ndarray::{Array2, array};

use crate::close;
use crate::support::random;

const CHOICES: [Landmarks; 3] = [Landmarks::Uniform, Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky];

fn gram(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let x = Matrix::from_array(&Device::cpu(), x.view()).unwrap();
    ops::gram(kernel, &x, Some(&x)).unwrap().to_array().unwrap()
}

#[test]
fn all_points_are_exact() {
    let x = random(50, 3, 51) * 3.0;
    let kernel = 1.5 * Kernel::matern32(1.0) + Kernel::white(0.3);
    for how in CHOICES {
        let map = Nystrom::new(kernel.clone(), 50)
            .landmarks(how)
            .jitter(Jitter::Never)
            .fit(&Device::cpu(), x.view())
            .unwrap();
        let phi = map.transform(x.view()).unwrap();
        assert_eq!((map.inputs(), map.outputs(), map.jitter()), (3, 50, 0.0));
        close(phi.dot(&phi.t()).view(), gram(&kernel, &x).view(), 1e-10, "K");
    }
}

#[test]
fn what_is_left_is_positive_and_falls_with_landmarks() {
    let x = random(80, 2, 52) * 3.0;
    let k = gram(&Kernel::rbf(0.8), &x);
    let best: Vec<f64> = eigh(k.view()).unwrap().values.to_vec();
    for how in CHOICES {
        let mut last = f64::INFINITY;
        for m in [5, 10, 20, 40] {
            let map = Nystrom::new(Kernel::rbf(0.8), m)
                .landmarks(how)
                .seed(3)
                .fit(&Device::cpu(), x.view())
                .unwrap();
            let phi = map.transform(x.view()).unwrap();
            let left = &k - &phi.dot(&phi.t());
            let values = eigh(left.view()).unwrap().values;
            assert!(values.iter().all(|v| *v > -1e-8), "{how:?} {m}: {values}");
            let trace = left.diag().sum();
            assert!(trace < last, "{how:?} {m}");
            // No rank-m matrix does better than the leading eigenpairs.
            assert!(trace >= best[m..].iter().sum::<f64>() - 1e-9);
            last = trace;
        }
    }
}

/// On two far clusters of very different size, a uniform choice of two mostly misses the small one; the others do not.
#[test]
fn careful_choices_find_the_small_cluster() {
    let x = Array2::from_shape_fn((200, 1), |(i, _)| if i < 4 { 50.0 } else { 0.0 } + (i % 7) as f64 * 1e-4);
    for how in [Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky] {
        for seed in 0..20 {
            let map = Nystrom::new(Kernel::rbf(1.0), 2)
                .landmarks(how)
                .seed(seed)
                .fit(&Device::cpu(), x.view())
                .unwrap();
            let far = map.points().iter().filter(|v| **v > 25.0).count();
            assert_eq!(far, 1, "{how:?}, seed {seed}");
        }
    }
    let uniform = |seed| Nystrom::new(Kernel::rbf(1.0), 2).seed(seed).fit(&Device::cpu(), x.view()).unwrap();
    assert!((0..20).filter(|&s| uniform(s).points().iter().any(|v| *v > 25.0)).count() < 5);
}

#[test]
fn the_same_seed_is_the_same_choice() {
    let x = random(100, 2, 53);
    for how in [Landmarks::Uniform, Landmarks::KMeansPlusPlus] {
        let points = |seed| {
            Nystrom::new(Kernel::rbf(1.0), 7)
                .landmarks(how)
                .seed(seed)
                .fit(&Device::cpu(), x.view())
                .unwrap()
                .points()
                .clone()
        };
        assert_eq!(points(4), points(4));
        assert_ne!(points(4), points(5));
    }
}

/// Duplicates make fewer landmarks than were asked for, or a jitter that is reported.
#[test]
fn duplicates() {
    let x = array![[0.0], [0.0], [1.0], [1.0], [1.0]];
    for how in [Landmarks::KMeansPlusPlus, Landmarks::PivotedCholesky] {
        let map = Nystrom::new(Kernel::rbf(1.0), 4).landmarks(how).fit(&Device::cpu(), x.view()).unwrap();
        assert_eq!((map.outputs(), map.jitter()), (2, 0.0), "{how:?}");
    }
    let map = Nystrom::new(Kernel::rbf(1.0), 5).fit(&Device::cpu(), x.view()).unwrap();
    assert!(map.jitter() > 0.0);
    let phi = map.transform(x.view()).unwrap();
    close(phi.dot(&phi.t()).view(), gram(&Kernel::rbf(1.0), &x).view(), 1e-6, "K");
}

/// Oxford LA-02 with its erratum: the map is `K_zz^-½ k_z`, not `K_zz⁻¹ k_z`.
#[test]
fn reference_numbers() {
    let x = array![[0.0], [0.5], [1.0], [2.0], [3.0]];
    let map = Nystrom::new(Kernel::rbf(1.0), 2).with_points(array![[0.5], [2.0]].view()).unwrap();
    let phi = map.transform(x.view()).unwrap();
    let approximate = phi.dot(&phi.t());
    let diagonal = array![[0.8043453863, 1.0, 0.8932837521, 1.0, 0.3940377815]];
    close(approximate.diag().insert_axis(ndarray::Axis(0)), diagonal.view(), 1e-9, "diagonal");
    let left = gram(&Kernel::rbf(1.0), &x) - approximate;
    assert!((left.mapv(|v| v * v).sum().sqrt() - 0.6941752528).abs() < 1e-9);
    assert!((left.diag().sum() - 0.9083330801).abs() < 1e-9);
}

/// Oxford LA-01: `(QQᵀ + σ²I)⁻¹ y` and its determinant, from regression on the features. LA-04: no rank of two does
/// better than the leading eigenpairs.
#[test]
fn low_rank_reference_numbers() {
    let x = array![[0.0], [0.5], [1.0], [2.0], [3.0]];
    let y = array![0.0, 0.4, 0.9, 0.8, 0.1];
    let map = Nystrom::new(Kernel::rbf(1.0), 2).with_points(array![[0.5], [2.0]].view()).unwrap();
    let phi = map.transform(x.view()).unwrap();
    let posterior =
        BayesianLinearRegression::new(1.0, 10.0).fit(&Device::cpu(), phi.view(), y.view()).unwrap();
    // Of (QQᵀ + σ²I) a = y: y - QQᵀa = σ²a, and QQᵀa is the mean.
    let a = (&y - &posterior.predict(phi.view()).unwrap()) * 10.0;
    let want = array![[-2.751677642, -0.205641283, 3.256663882, 0.9547337542, -2.945131579]];
    close(a.view().insert_axis(ndarray::Axis(0)), want.view(), 1e-9, "a");
    let log_det = -2.0 * posterior.log_evidence() - 5.0 * std::f64::consts::TAU.ln() - y.dot(&a);
    assert!((log_det + 5.526692496).abs() < 1e-8, "{log_det}");

    let k = gram(&Kernel::rbf(1.0), &x);
    let e = eigh(k.view()).unwrap();
    let leading = e.vectors.slice(ndarray::s![.., ..2]);
    let left = &k - &(&leading * &e.values.slice(ndarray::s![..2])).dot(&leading.t());
    assert!((left.mapv(|v| v * v).sum().sqrt() - 0.5356579676).abs() < 1e-9);
    assert!((left.diag().sum() - 0.6728055093).abs() < 1e-9);
}
