//! PC-05: principal components by singular vectors of the data itself.

use mercer::Device;
use mercer::models::latent::{Components, Pca, Route};
use ndarray::{Array2, array};

use crate::support::random;

/// `UD = XV` up to sign, shapes of n < d and n > d, the same components as by squares.
#[test]
fn singular_vectors_are_components() {
    for (n, d) in [(30, 5), (6, 12), (8, 8)] {
        let x = random(n, d, 3) + 2.0;
        let by = |route: Route| Pca::new(Components::All).route(route).fit(&Device::cpu(), &x).unwrap();
        let (svd, covariance) = (by(Route::Svd), by(Route::Covariance));
        let k = n.min(d);
        assert_eq!(svd.components().dim(), (k, d));
        // After centring one direction of n rows is gone.
        let rank = k.min(n - 1);
        for j in 0..rank {
            let (a, b) = (svd.explained_variance()[j], covariance.explained_variance()[j]);
            assert!((a - b).abs() < 1e-10 * covariance.total_variance());
            let inner = svd.components().row(j).dot(&covariance.components().row(j));
            assert!((inner.abs() - 1.0).abs() < 1e-8);
        }
        // Z = XV has orthogonal columns of lengths D: ZᵀZ = D², and Λ = D²/(n - 1).
        let z = svd.transform(&x).unwrap();
        let squares = z.t().dot(&z);
        for ((i, j), v) in squares.indexed_iter() {
            let want = if i == j { svd.explained_variance()[i] * (n - 1) as f64 } else { 0.0 };
            assert!((v - want).abs() < 1e-9 * svd.total_variance() * n as f64, "{n} x {d}: {i} {j}");
        }
        assert!((svd.explained_variance_ratio().sum() - 1.0).abs() < 1e-12);
        // X - 1mᵀ = U D Vᵀ, UᵀU = I, D descending.
        let (u, lengths) = svd.singular_vectors(&x).unwrap();
        let back = (&u * &lengths).dot(svd.components()) + svd.mean();
        assert!((&back - &x).iter().all(|v| v.abs() < 1e-10), "{n} x {d}");
        for ((i, j), v) in u.t().dot(&u).slice(ndarray::s![..rank, ..rank]).indexed_iter() {
            assert!((v - f64::from(u8::from(i == j))).abs() < 1e-9, "{n} x {d}: {i} {j}");
        }
        assert!(lengths.windows(2).into_iter().all(|w| w[0] >= w[1]));
    }
    // The reference data set.
    let x =
        array![[2., 0., 1.], [0., 1., -1.], [-1., -1., 0.], [1., 2., 2.], [-2., -1., -1.], [0., -1., -1.]];
    let pca = Pca::new(2).route(Route::Svd).fit(&Device::cpu(), &x).unwrap();
    assert!((pca.explained_variance()[0] - 3.886767149).abs() < 1e-9);
}

/// A direction of 1e-10 of the largest is lost in squares, and found without them.
#[test]
fn small_components_keep_their_digits() {
    let parts = random(40, 2, 4);
    let (s, c) = (0.6, 0.8);
    let x = Array2::from_shape_fn((40, 2), |(i, j)| {
        let (large, small) = (parts[[i, 0]], 1e-10 * parts[[i, 1]]);
        if j == 0 { c * large - s * small } else { s * large + c * small }
    });
    let own = |route: Route| {
        Pca::new(2).route(route).fit(&Device::cpu(), &x).unwrap().explained_variance()[1].sqrt()
    };
    // What the small part has beside the large one.
    let centred = &parts - &parts.mean_axis(ndarray::Axis(0)).unwrap();
    let (a, b) = (centred.column(0), centred.column(1));
    let left = b.dot(&b) - a.dot(&b).powi(2) / a.dot(&a);
    let want = 1e-10 * (left / 39.0).sqrt();
    assert!((own(Route::Svd) / want - 1.0).abs() < 1e-4, "{} {want}", own(Route::Svd));
    assert!((own(Route::Covariance) / want - 1.0).abs() > 0.1);
}
