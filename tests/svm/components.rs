//! Kernel PCA, classical scaling, kernel k-means.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array, s};

use crate::support::random;
use crate::{all_near, cpu, near};

fn pts3() -> Array2<f64> {
    array![
        [2.0, 0.0, 1.0],
        [0.0, 1.0, -1.0],
        [-1.0, -1.0, 0.0],
        [1.0, 2.0, 2.0],
        [-2.0, -1.0, -1.0],
        [0.0, -1.0, -1.0]
    ]
}

#[test]
fn the_numbers_of_the_notes() {
    let x = pts3();
    let fitted = KernelPca::new(Kernel::rbf(2.0), 6).fit(&cpu(), &x).unwrap();
    let kappa = [1.523950858, 0.6399056176, 0.5441820634, 0.2843404823, 0.1551660148];
    all_near(fitted.eigenvalues(), &kappa, 1e-9, "kappa");
    near(fitted.total(), 3.147545036, 1e-9, "the trace");
    let first = [0.5918477709, -0.02056442594, -0.4432766388, 0.7562212482, -0.5256301016, -0.3585978528];
    let z = fitted.transform(&x).unwrap();
    all_near(z.column(0), &first, 1e-9, "the first scores");
    let new = fitted.transform(array![[1.0, 1.0, 0.0]]).unwrap();
    near(new[[0, 0]], 0.3923119865, 1e-9, "a new point");
    near(new[[0, 1]].abs(), 0.3775836933, 1e-9, "its second score");
    // Scores are centred, and have the variance κ/n.
    for (m, column) in z.columns().into_iter().enumerate() {
        near(column.sum(), 0.0, 1e-10, "centred");
        near(column.dot(&column) / 6.0, fitted.explained_variance()[m], 1e-10, "variance");
    }
    // aᵀK̃a = 1: with the features 1, x, x² of the notes, by the kernel (1 + ...) on an explicit map.
    let x = array![[1.0, -1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.25], [1.0, 2.0, 4.0]];
    let fitted = KernelPca::new(Kernel::linear(), 2).fit(&cpu(), &x).unwrap();
    all_near(&fitted.explained_variance(), &[3.317441274, 0.3974024756], 1e-9, "lambda");
    let a = [-0.07355058581, -0.09933758271, -0.06378321159, 0.2366713801];
    all_near(fitted.dual_coefficients().column(0), &a, 1e-9, "alpha");
}

#[test]
fn the_linear_kernel_is_pca() {
    let x = random(20, 4, 1).dot(&Array2::from_diag(&array![3.0, 2.0, 1.0, 0.2]));
    let (kernel, plain) =
        (KernelPca::new(Kernel::linear(), 3).fit(&cpu(), &x).unwrap(), Pca::new(3).fit(&cpu(), &x).unwrap());
    let (a, b) = (kernel.transform(&x).unwrap(), plain.transform(&x).unwrap());
    for m in 0..3 {
        let sign = if a.column(m).dot(&b.column(m)) > 0.0 { 1.0 } else { -1.0 };
        all_near(&(sign * &a.column(m)), b.column(m).to_vec().as_slice(), 1e-8, "scores");
    }
    // What three components leave is the fourth.
    let left = kernel.reconstruction_error(&x).unwrap();
    let all = KernelPca::new(Kernel::linear(), 4).fit(&cpu(), &x).unwrap();
    let fourth = all.transform(&x).unwrap().column(3).mapv(|v| v * v);
    all_near(&left, fourth.as_slice().unwrap(), 1e-8, "reconstruction error");
    // Pre-images of the linear kernel are the projections themselves.
    let back = kernel.inverse_transform(&a).unwrap();
    let want = plain.inverse_transform(&b).unwrap();
    all_near(&back, want.as_slice().unwrap(), 1e-5, "pre-images");
}

#[test]
fn features_in_front_of_pca_are_kernel_pca() {
    let x = random(25, 2, 2) * 2.0;
    let exact = KernelPca::new(Kernel::rbf(1.0), 3).fit(&cpu(), &x).unwrap();
    let map = Nystrom::new(Kernel::rbf(1.0), 25).fit(&cpu(), &x).unwrap();
    let on = Pca::new(3).fit(&cpu(), map.transform(&x).unwrap()).unwrap();
    let (a, b) = (exact.transform(&x).unwrap(), on.transform(map.transform(&x).unwrap()).unwrap());
    all_near(&a.mapv(f64::abs), b.mapv(f64::abs).as_slice().unwrap(), 1e-6, "all landmarks");
    let fourier =
        RandomFourier::new(Kernel::rbf(1.0), 4000).orthogonal(true).seed(1).fit(&cpu(), &x).unwrap();
    let phi = fourier.transform(&x).unwrap();
    let values = KernelPca::new(Kernel::linear(), 3).fit(&cpu(), &phi).unwrap().eigenvalues().clone();
    all_near(&values, exact.eigenvalues().as_slice().unwrap(), 0.25, "random features");
}

#[test]
fn pre_images_remove_noise() {
    // A circle with noise: pre-images of few components lie nearer to it.
    let noise = random(60, 2, 3) * 0.25;
    let circle = Array2::from_shape_fn((60, 2), |(i, j)| {
        let t = i as f64 * std::f64::consts::TAU / 60.0;
        if j == 0 { t.cos() } else { t.sin() }
    });
    let x = &circle + &noise;
    let fitted = KernelPca::new(Kernel::rbf(0.8), 4).fit(&cpu(), &x).unwrap();
    let back = fitted.inverse_transform(fitted.transform(&x).unwrap()).unwrap();
    let off = |p: &Array2<f64>| p.rows().into_iter().map(|r| (r.dot(&r).sqrt() - 1.0).powi(2)).sum::<f64>();
    assert!(off(&back) < 0.5 * off(&x), "{} against {}", off(&back), off(&x));
    let far = fitted.reconstruction_error(array![[0.0, 0.0], [4.0, 4.0]]).unwrap();
    assert!(far[1] > fitted.reconstruction_error(&circle).unwrap().mean().unwrap());
}

#[test]
fn scikit_learn_finds_the_same() {
    let all: serde_json::Value = serde_json::from_str(include_str!("../oracle/svm_sklearn.json")).unwrap();
    let row =
        |v: &serde_json::Value| v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
    let rows: Vec<Vec<f64>> = all["curve"]["x"].as_array().unwrap().iter().map(row).collect();
    let x = Array2::from_shape_fn((60, 2), |(i, j)| rows[i][j]);
    let fitted = KernelPca::new(Kernel::rbf(1.0), 4).fit(&cpu(), x.slice(s![..40, ..])).unwrap();
    all_near(fitted.eigenvalues(), &row(&all["kernel_pca"]["values"]), 1e-8, "eigenvalues");
    let z = fitted.transform(x.slice(s![40.., ..])).unwrap().mapv(f64::abs);
    for (i, want) in all["kernel_pca"]["scores"].as_array().unwrap().iter().enumerate() {
        all_near(z.row(i), &row(want), 1e-7, "scores");
    }
}

#[test]
fn distances_give_coordinates() {
    let x = random(12, 3, 5);
    let squared = feature_distances(&Kernel::linear(), &x, &x).unwrap();
    let d =
        Array2::from_shape_fn((12, 12), |(i, j)| if i == j { 0.0 } else { squared[[i.min(j), i.max(j)]] });
    let found = classical_scaling(d.view(), 3).unwrap();
    assert!(found.is_euclidean(1e-10));
    let again = feature_distances(&Kernel::linear(), &found.points, &found.points).unwrap();
    all_near(&again, d.as_slice().unwrap(), 1e-9, "distances");
    // The same as kernel PCA on the kernel behind the distances.
    let z = KernelPca::new(Kernel::linear(), 3).fit(&cpu(), &x).unwrap().transform(&x).unwrap();
    all_near(&z.mapv(f64::abs), found.points.mapv(f64::abs).as_slice().unwrap(), 1e-8, "coordinates");
    // No three points of any space: the triangle inequality fails, and an eigenvalue is negative.
    let bent = array![[0.0, 1.0, 16.0], [1.0, 0.0, 1.0], [16.0, 1.0, 0.0]];
    let found = classical_scaling(bent.view(), 2).unwrap();
    assert!(!found.is_euclidean(1e-6) && found.eigenvalues[2] < 0.0);
    let values = &found.eigenvalues;
    near(found.strain(), -values[2] / (values[0] + values[1].abs() - values[2]), 1e-12, "strain");
    assert!(found.is_euclidean(found.strain()) && !found.is_euclidean(0.99 * found.strain()));
    // What lies below the cutoff is left out.
    let all = KernelPca::new(Kernel::rbf(1.0), 6).fit(&cpu(), &x).unwrap();
    let share = 0.5 * (all.eigenvalues()[2] + all.eigenvalues()[3]) / all.eigenvalues()[0];
    let some = KernelPca::new(Kernel::rbf(1.0), 6).cutoff(share).fit(&cpu(), &x).unwrap();
    all_near(some.eigenvalues(), &all.eigenvalues().to_vec()[..3], 1e-10, "the first three");
    assert!(classical_scaling(array![[1.0, 0.0], [0.0, 0.0]].view(), 1).is_err());
    assert!(classical_scaling(array![[0.0, -1.0], [-1.0, 0.0]].view(), 1).is_err());
}

#[test]
fn kernel_k_means() {
    let (a, b) = (random(15, 2, 7) * 0.4, random(15, 2, 8) * 0.4 + 3.0);
    let x = ndarray::concatenate![Axis(0), a, b];
    let kernel = KernelKMeans::new(Kernel::linear(), 2).seed(1).fit(&cpu(), &x).unwrap();
    let plain = KMeans::new(2).seed(1).fit(&cpu(), &x).unwrap();
    near(kernel.cost(), plain.cost(), 1e-9, "the linear kernel is k-means");
    let same =
        |i: usize| (kernel.labels()[i] == kernel.labels()[0]) == (plain.labels()[i] == plain.labels()[0]);
    assert!((0..30).all(same));
    assert_eq!(kernel.predict(&x).unwrap(), kernel.labels());
    assert!(kernel.report().trace.windows(2).all(|w| w[1] <= w[0] + 1e-9), "the cost never rises");
    // A ring and its middle, by their distance from the origin.
    let rings = Array2::from_shape_fn((40, 2), |(i, j)| {
        let (r, t) = (if i < 20 { 0.3 } else { 3.0 }, i as f64 * 0.9);
        r * if j == 0 { t.cos() } else { t.sin() }
    });
    let fitted = KernelKMeans::new(Kernel::rbf(1.0), 2).restarts(20).seed(3).fit(&cpu(), &rings).unwrap();
    let inner = fitted.labels()[0];
    assert!((0..20).all(|i| fitted.labels()[i] == inner));
    assert!(fitted.transform(&rings).unwrap().iter().all(|d| *d >= 0.0));
}

#[test]
fn moved_images_are_no_linear_subspace() {
    let mut image = Array2::zeros((12, 12));
    image.slice_mut(s![2..10, 5..7]).fill(1.0);
    image.slice_mut(s![2..4, 5..9]).fill(1.0);
    let (x, moves) = mercer::learn::moved_images(image.view(), 120, 2.0, 0.6, 3).unwrap();
    // Three numbers make each image, but three components of PCA leave much of them.
    let plain = Pca::new(20).fit(&cpu(), &x).unwrap();
    let share = |k: usize| plain.explained_variance().slice(s![..k]).sum() / plain.total_variance();
    assert!(share(3) < 0.8 && share(20) > 0.9, "{} {}", share(3), share(20));
    // Components of either kind follow those numbers; what a straight line through three curved ones says of the shifts is
    // no less than what it says through three flat ones.
    let told = |z: Array2<f64>| {
        let fitted = Ridge::new(1e-9).fit(&cpu(), &z, moves.slice(s![.., ..2])).unwrap();
        fitted.score(&z, moves.slice(s![.., ..2])).unwrap()
    };
    let flat = Pca::new(3).fit(&cpu(), &x).unwrap().transform(&x).unwrap();
    let curved = KernelPca::new(Kernel::rbf(6.0), 3).fit(&cpu(), &x).unwrap();
    let (curved, flat) = (told(curved.transform(&x).unwrap()), told(flat));
    assert!(curved > 0.5 && curved > flat - 0.05, "{curved} {flat}");
}
