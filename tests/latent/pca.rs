use mercer::Device;
use mercer::linalg::EigenParams;
use mercer::models::latent::{Components, FittedPca, Pca, Route};
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{close, close1, covariance, near_subspace, normal, six};

fn fit(pca: Pca, x: &Array2<f64>) -> FittedPca {
    pca.fit(&Device::cpu(), x.view()).unwrap()
}

#[test]
fn the_numbers_of_the_specification() {
    let pca = fit(Pca::new(Components::All), &six());
    close1(pca.explained_variance(), &array![3.886767149, 0.7806141387, 0.5326187118], 1e-9, "variances");
    close1(
        &pca.components().row(0).to_owned(),
        &array![0.6371356255, 0.5252740335, 0.5640437788],
        1e-9,
        "v1",
    );
    let ratio = array![0.7474552211, 0.1501181036, 0.1024266754];
    close1(&pca.explained_variance_ratio(), &ratio, 1e-9, "ratio");
    let scores = array![1.83831503, -0.03876974526, -1.162409659, 2.81577125, -2.363589063, -1.089317812];
    close1(&pca.transform(six().view()).unwrap().column(0).to_owned(), &scores, 1e-9, "scores");
    for (k, error) in [(1, 6.566164253), (2, 2.663093559)] {
        let lost = fit(Pca::new(k), &six()).reconstruction_errors(six().view()).unwrap().sum();
        assert!((lost - error).abs() < 1e-8, "{lost}");
    }
    let by_n = fit(Pca::new(Components::All).ddof(0), &six());
    close1(by_n.explained_variance(), &array![3.2389726246, 0.6505117822, 0.4438489265], 1e-9, "over n");
}

#[test]
fn components_are_orthonormal_and_scores_uncorrelated() {
    let x = near_subspace(300, 8, 3, 0.4, 10);
    let pca = fit(Pca::new(Components::All).ddof(0), &x);
    let v = pca.components();
    close(&v.dot(&v.t()), &Array2::eye(8), 1e-13, "orthonormal");
    let scores = pca.transform(x.view()).unwrap();
    close(&covariance(&scores), &Array2::from_diag(pca.explained_variance()), 1e-12, "uncorrelated");
    assert!((pca.total_variance() - covariance(&x).diag().sum()).abs() < 1e-11);
    assert!((pca.explained_variance().sum() - pca.total_variance()).abs() < 1e-11);
    close(&pca.reconstruct(x.view()).unwrap(), &x, 1e-13, "all components give everything back");
    // v1 beats any other direction.
    let c = covariance(&x);
    for row in random(200, 8, 11).rows() {
        let unit = &row / row.dot(&row).sqrt();
        assert!(unit.dot(&c.dot(&unit)) <= pca.explained_variance()[0] * (1.0 + 1e-12));
    }
    assert!(pca.components().rows().into_iter().all(|row| {
        let largest = row.iter().copied().fold(0.0, |m: f64, v| if v.abs() > m.abs() { v } else { m });
        largest > 0.0
    }));
}

/// Error of the reconstruction = what was left out, and no other frame does better.
#[test]
fn what_is_lost_is_what_was_left_out() {
    let x = near_subspace(120, 9, 4, 0.7, 12);
    let all = fit(Pca::new(Components::All), &x).explained_variance().clone();
    for k in 1..9 {
        let pca = fit(Pca::new(k), &x);
        let lost = pca.reconstruction_errors(x.view()).unwrap().sum();
        let left = all.iter().skip(k).sum::<f64>() * 119.0;
        assert!((lost - left).abs() < 1e-9 * left.max(1.0), "k = {k}: {lost} and {left}");
        assert!((pca.noise_variance() - left / 119.0 / (9 - k) as f64).abs() < 1e-10);
        let other = fit(Pca::new(k), &normal(40, 9, 13)).components().clone();
        let centred = &x - &x.mean_axis(Axis(0)).unwrap();
        let rest = &centred - &centred.dot(&other.t()).dot(&other);
        assert!(rest.mapv(|v| v * v).sum() >= lost);
    }
}

#[test]
fn three_routes_lead_to_the_same_place() {
    let lanczos = Route::Lanczos(EigenParams::new().tolerance(Some(1e-13)));
    for (n, d) in [(200, 12), (12, 200), (90, 90), (30, 29), (400, 120), (120, 400)] {
        let x = near_subspace(n, d, 6, 0.05, 14);
        let want = fit(Pca::new(5).route(Route::Covariance), &x);
        for route in [Route::Auto, Route::Gram, lanczos] {
            let got = fit(Pca::new(5).route(route), &x);
            let what = format!("{n} x {d} by {route:?}");
            close(got.components(), want.components(), 1e-9, &what);
            close1(got.explained_variance(), want.explained_variance(), 1e-11, &what);
            assert!((got.total_variance() - want.total_variance()).abs() < 1e-11 * want.total_variance());
            close(&got.transform(x.view()).unwrap(), &want.transform(x.view()).unwrap(), 1e-9, &what);
        }
    }
}

/// The Gram route against the definition of the singular value decomposition, with components that have no variance.
#[test]
fn the_gram_route_is_the_singular_value_decomposition() {
    let x = near_subspace(7, 30, 4, 0.3, 15);
    let pca = fit(Pca::new(Components::All).route(Route::Gram), &x);
    assert_eq!(pca.components().dim(), (7, 30));
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    close(
        &pca.components().dot(&pca.components().t()),
        &Array2::eye(7),
        1e-12,
        "orthonormal, the last one too",
    );
    // X = U D V^T with orthonormal U: the last singular value is zero, centring has taken one rank.
    let singular = (pca.explained_variance() * 6.0).mapv(f64::sqrt);
    assert!(singular[6] < 1e-6 * singular[0] && singular[5] > 1e-3 * singular[0]);
    let scores = centred.dot(&pca.components().t());
    close(&scores.dot(pca.components()), &centred, 1e-12, "U D V^T");
    let inner = scores.t().dot(&scores);
    close(&inner, &Array2::from_diag(&singular.mapv(|s| s * s)), 1e-11, "D²");
}

#[test]
fn whitening_makes_the_covariance_the_identity() {
    let x = near_subspace(200, 6, 3, 0.5, 16);
    let pca = fit(Pca::new(4).whiten(true).ddof(0), &x);
    let z = pca.transform(x.view()).unwrap();
    close(&covariance(&z), &Array2::eye(4), 1e-12, "white");
    let plain = fit(Pca::new(4), &x).reconstruct(x.view()).unwrap();
    close(&pca.inverse_transform(z.view()).unwrap(), &plain, 1e-12, "the way back");
}

#[test]
fn a_share_of_the_variance_chooses_how_many() {
    // Oxford's points: 0.7475, 0.8976, 1.
    for (share, k) in [(0.5, 1), (0.7474, 1), (0.8, 2), (0.8975, 2), (0.9, 3), (1.0, 3)] {
        assert_eq!(fit(Pca::new(Components::Variance(share)), &six()).components().nrows(), k, "{share}");
    }
}

#[test]
fn translation_moves_the_mean_and_rotation_turns_the_components() {
    let x = near_subspace(150, 5, 3, 0.3, 17);
    let want = fit(Pca::new(3), &x);
    let moved = fit(Pca::new(3), &(&x + &Array1::from_vec(vec![5.0, -3.0, 100.0, 0.0, 1.0])));
    close(moved.components(), want.components(), 1e-11, "moved");
    let q = fit(Pca::new(Components::All), &normal(50, 5, 18)).components().clone();
    let turned = fit(Pca::new(3), &x.dot(&q));
    close1(turned.explained_variance(), want.explained_variance(), 1e-11, "variances");
    let (a, b) = (turned.components().clone(), want.components().dot(&q));
    close(&a.t().dot(&a), &b.t().dot(&b), 1e-10, "the projector turns along");
}
