//! Whether a function is a kernel, the features it stands for, distances between them.

use mercer::kernel::Custom;
use mercer::prelude::*;
use ndarray::{Array2, array};

use crate::support::random;
use crate::{all_near, cpu, near};

fn gram(kernel: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    let x = mercer::Matrix::from_array(&cpu(), x.view()).unwrap();
    mercer::ops::gram(kernel, &x, None).unwrap().to_array().unwrap()
}

#[test]
fn positive_definite_or_the_direction_that_says_no() {
    let x = random(8, 2, 1);
    for kernel in [Kernel::rbf(0.5), Kernel::matern32(0.5), Kernel::rational_quadratic(0.5, 1.0)] {
        assert!(psd_check(&kernel, &x, 1e-12).unwrap().is_positive_definite(), "{kernel}");
    }
    // The linear kernel is singular for more points than features.
    let linear = psd_check(&Kernel::linear(), &x, 1e-12).unwrap();
    assert!(linear.is_positive_semidefinite() && !linear.is_positive_definite());
    // A difference need not be a kernel: the eigenvalues of the notes.
    let points = array![[-1.0], [0.0], [2.0]];
    let difference = gram(&Kernel::rbf(2.0), &points) - gram(&Kernel::rbf(1.0), &points);
    let check = psd_check_matrix(difference.view(), 1e-12).unwrap();
    near(check.largest, 0.7145674472, 1e-9, "largest");
    near(check.least, -0.4736322547, 1e-9, "least");
    near(check.direction.dot(&difference.dot(&check.direction)), check.least, 1e-12, "aᵀKa");
    assert!(!check.is_positive_semidefinite());
    // It can be one: k - k/2.
    let half = gram(&Kernel::rbf(1.0), &points) * 0.5;
    assert!(psd_check_matrix(half.view(), 1e-12).unwrap().is_positive_definite());
    let distance = Custom::new("distance", |x, y, _| -(x[0] - y[0]).powi(2)).indefinite();
    assert!(!psd_check(&Kernel::custom(distance), &points, 1e-12).unwrap().is_positive_semidefinite());
    assert!(psd_check_matrix(array![[1.0, 2.0], [0.0, 1.0]].view(), 1e-12).is_err());
}

#[test]
fn distances_of_features() {
    let x = random(6, 3, 2);
    let d = feature_distances(&Kernel::linear(), &x, &x).unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let apart = &x.row(i) - &x.row(j);
            near(d[[i, j]], apart.dot(&apart), 1e-12, "Euclidean");
        }
    }
    let d = feature_distances(&Kernel::rbf(1.0), &x, &x).unwrap().mapv(f64::sqrt);
    for i in 0..6 {
        near(d[[i, i]], 0.0, 1e-7, "zero");
        for j in 0..6 {
            for k in 0..6 {
                assert!(d[[i, j]] <= d[[i, k]] + d[[k, j]] + 1e-7, "triangle");
            }
        }
    }
    // Centring K leaves them: k(x, x) + k(y, y) - 2k(x, y) of HKH.
    let k = gram(&Kernel::rbf(1.0), &x);
    let centred = mercer::ops::centre(&mercer::Matrix::from_array(&cpu(), k.view()).unwrap())
        .unwrap()
        .to_array()
        .unwrap();
    let own = |k: &Array2<f64>, i: usize, j: usize| k[[i, i]] + k[[j, j]] - 2.0 * k[[i, j]];
    for i in 0..6 {
        for j in 0..6 {
            near(own(&centred, i, j), own(&k, i, j), 1e-12, "centred");
            near(own(&k, i, j).max(0.0).sqrt(), d[[i, j]], 1e-7, "of K");
        }
    }
    // -½HDH = HKH, and a training row centred as a new point is the row of HKH.
    let squared = Array2::from_shape_fn((6, 6), |(i, j)| -0.5 * own(&k, i, j));
    let from_distances =
        mercer::ops::centre(&mercer::Matrix::from_array(&cpu(), squared.view()).unwrap()).unwrap();
    all_near(&from_distances.to_array().unwrap(), centred.as_slice().unwrap(), 1e-14, "-½HDH");
    let again = mercer::models::kernel_methods::centred_rows(k.view(), k.view()).unwrap();
    all_near(&again, centred.as_slice().unwrap(), 1e-14, "rows of the data as new ones");
    assert!(mercer::models::kernel_methods::centred_rows(k.view(), k.slice(ndarray::s![.., ..5])).is_err());
}

#[test]
fn the_empirical_feature_map() {
    let x = random(10, 2, 3);
    let kernel = Kernel::rbf(0.7);
    let map = EmpiricalFeatures::new(kernel.clone()).fit(&cpu(), &x).unwrap();
    let phi = map.transform(&x).unwrap();
    all_near(&phi.dot(&phi.t()), gram(&kernel, &x).as_slice().unwrap(), 1e-9, "ΦΦᵀ = K");
    // A linear model on Φ is the kernel model on K.
    let y = x.column(0).mapv(|v: f64| (3.0 * v).sin());
    let new = random(5, 2, 4);
    let linear = KernelRidge::new(Kernel::linear(), 0.1).fit(&cpu(), &phi, &y).unwrap();
    let kernel = KernelRidge::new(kernel, 0.1).fit(&cpu(), &x, &y).unwrap();
    let want = kernel.predict(&new).unwrap();
    all_near(
        &linear.predict(map.transform(&new).unwrap()).unwrap(),
        want.as_slice().unwrap(),
        1e-8,
        "ridge on Φ",
    );
    let few = EmpiricalFeatures::new(Kernel::linear()).fit(&cpu(), &x).unwrap();
    assert_eq!(few.eigenvalues().len(), 2, "the rank of the linear kernel");
}

#[test]
fn kernels_take_the_place_of_inner_products() {
    // The same classifiers on x and, through the linear kernel's feature map, on features: ridge, SVM, logistic.
    let x = random(30, 2, 5) * 2.0;
    let y: Vec<bool> = (0..30).map(|i| x[[i, 0]] > x[[i, 1]]).collect();
    let map = Nystrom::new(Kernel::rbf(1.0), 30).fit(&cpu(), &x).unwrap();
    let phi = map.transform(&x).unwrap();
    let direct = SvmClassifier::new(Kernel::rbf(1.0), 2.0).tolerance(1e-9).fit(&cpu(), &x, &y).unwrap();
    let primal = SvmClassifier::new(Kernel::linear(), 2.0).tolerance(1e-9).fit(&cpu(), &phi, &y).unwrap();
    all_near(
        &primal.decision(&phi).unwrap(),
        direct.decision(&x).unwrap().as_slice().unwrap(),
        1e-5,
        "Nyström SVM",
    );
    let fourier = RandomFourier::new(Kernel::rbf(1.0), 3000).orthogonal(true).fit(&cpu(), &x).unwrap();
    let phi = fourier.transform(&x).unwrap();
    let random = SvmClassifier::new(Kernel::linear(), 2.0).fit(&cpu(), &phi, &y).unwrap();
    all_near(
        &random.decision(&phi).unwrap(),
        direct.decision(&x).unwrap().as_slice().unwrap(),
        0.1,
        "Fourier SVM",
    );
}

#[test]
fn stationary_and_homogeneous_families() {
    let waves = Kernel::custom(Custom::of_difference("waves", |d, _| d.iter().map(|d| d.cos()).product()));
    let cauchy = Kernel::custom(
        Custom::of_distance("cauchy", |r, p| 1.0 / (1.0 + r * r / p[0])).positive("width", 2.0),
    );
    let x = random(5, 2, 9);
    let moved = &x + &array![3.0, -7.0];
    let (c, s) = (0.28, 0.96);
    let turned = x.dot(&array![[c, s], [-s, c]]);
    for kernel in [waves.clone(), cauchy.clone(), cauchy.clone() * Kernel::rbf(1.0) + Kernel::white(0.1)] {
        assert!(kernel.is_stationary(), "{kernel}");
        all_near(&gram(&kernel, &moved), gram(&kernel, &x).as_slice().unwrap(), 1e-12, "moved");
    }
    for kernel in [cauchy.clone(), Kernel::rbf(0.7), cauchy + Kernel::matern52(2.0)] {
        assert!(kernel.is_isotropic(), "{kernel}");
        all_near(&gram(&kernel, &turned), gram(&kernel, &x).as_slice().unwrap(), 1e-12, "turned");
    }
    assert!(
        !waves.is_isotropic()
            && !Kernel::rbf([0.5, 2.0]).is_isotropic()
            && !Kernel::laplacian(1.0).is_isotropic()
    );
    assert!(!Kernel::custom(Custom::new("any", |x, y, _| x[0] * y[0])).is_stationary());
}

#[test]
fn rows_of_new_points_are_centred_by_the_data() {
    use mercer::models::kernel_methods::centred_rows;
    use mercer::{Matrix, ops};
    let (x, new) = (crate::support::random(7, 2, 31), crate::support::random(3, 2, 32));
    let matrix = |x: &ndarray::Array2<f64>| Matrix::from_array(&crate::cpu(), x.view()).unwrap();
    let kernel = mercer::Kernel::rbf(0.7);
    let k = ops::gram(&kernel, &matrix(&x), None).unwrap();
    let centred = ops::centre(&k).unwrap().to_array().unwrap();
    let k = k.to_array().unwrap();
    // Rows of the data through the formula of new points.
    let again = centred_rows(k.view(), k.view()).unwrap();
    assert!((&again - &centred).iter().all(|v| v.abs() < 1e-14));
    assert!(again.sum_axis(ndarray::Axis(1)).iter().all(|v| v.abs() < 1e-14));
    // The linear kernel of centred points.
    let mean = x.mean_axis(ndarray::Axis(0)).unwrap();
    let linear = centred_rows(x.dot(&x.t()).view(), new.dot(&x.t()).view()).unwrap();
    let want = (&new - &mean).dot(&(&x - &mean).t());
    assert!((linear - want).iter().all(|v| v.abs() < 1e-14));
    assert!(centred_rows(k.view(), new.view()).is_err());
}
