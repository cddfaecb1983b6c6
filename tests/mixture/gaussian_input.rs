//! What a mixture of Gaussians refuses, and what it survives.

use std::ops::ControlFlow;

use mercer::models::mixture::{Covariance, CovarianceKind, GaussianMixture, MixtureStart};
use mercer::{Device, Error, Progress};
use ndarray::{Array1, Array2};

use crate::support::random;
use crate::{clouds, pair, x1};

fn refusal(model: &GaussianMixture, x: &Array2<f64>) -> Error {
    model.fit(&Device::cpu(), x.view()).expect_err("must be refused")
}

#[test]
fn bad_data_are_refused() {
    let k2 = GaussianMixture::new(2);
    assert!(
        matches!(refusal(&GaussianMixture::new(7), &x1()), Error::Parameter { name, .. } if name == "components")
    );
    assert!(matches!(refusal(&GaussianMixture::new(0), &x1()), Error::Parameter { .. }));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut x = x1();
        x[[3, 0]] = bad;
        assert!(matches!(refusal(&k2, &x), Error::NotFinite { row: 3, col: 0, .. }));
    }
    assert!(matches!(refusal(&k2, &Array2::zeros((0, 2))), Error::Parameter { .. } | Error::Shape { .. }));
    assert!(matches!(refusal(&k2, &Array2::zeros((3, 0))), Error::Shape { .. }));
    for weights in [vec![1.0; 5], vec![-1.0; 6], vec![0.0; 6], vec![f64::NAN; 6]] {
        let e = k2.fit_weighted(&Device::cpu(), x1().view(), &weights).unwrap_err();
        assert!(matches!(e, Error::Parameter { .. } | Error::Shape { .. }), "{e}");
    }
    let none: Vec<Array2<f64>> = Vec::new();
    assert!(matches!(k2.fit_batches(&Device::cpu(), &none), Err(Error::Shape { .. })));
    let uneven = vec![clouds(9, 2, 1), clouds(9, 3, 1)];
    assert!(matches!(k2.fit_batches(&Device::cpu(), &uneven), Err(Error::Shape { .. })));
}

#[test]
fn bad_settings_are_refused() {
    let k2 = GaussianMixture::new(2);
    for floor in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refusal(&k2.clone().covariance_floor(floor), &x1()), Error::Parameter { .. }));
    }
    let three = GaussianMixture::new(3).start(MixtureStart::Given(pair([0.0, 1.0], 1.0)));
    assert!(matches!(refusal(&three, &x1()), Error::Shape { .. }));
    let mut heavy = pair([0.0, 1.0], 1.0);
    heavy.weights *= 2.0;
    let model = k2.clone().start(MixtureStart::Given(heavy));
    assert!(matches!(refusal(&model, &x1()), Error::Parameter { .. }));
    let model = k2.clone().start(MixtureStart::Given(pair([0.0, 1.0], -1.0)));
    assert!(matches!(refusal(&model, &x1()), Error::Parameter { .. }));
    let fixed = CovarianceKind::Fixed(Covariance::Spherical(Array1::from(vec![1.0, 0.0])));
    assert!(matches!(refusal(&k2.clone().covariance(fixed), &x1()), Error::Parameter { .. }));
    let model = k2.clone().start(MixtureStart::Labels(vec![0, 1, 2, 0, 1, 2]));
    assert!(matches!(refusal(&model, &x1()), Error::Shape { .. }));
    let lopsided = CovarianceKind::Fixed(Covariance::Tied(ndarray::array![[1.0, 0.5], [0.0, 1.0]]));
    let model = k2.covariance(lopsided);
    assert!(matches!(refusal(&model, &clouds(20, 2, 1)), Error::Parameter { .. }));
}

#[test]
fn a_fitted_mixture_refuses_too() {
    let fit = GaussianMixture::new(2).fit(&Device::cpu(), x1().view()).unwrap();
    assert!(matches!(fit.predict(Array2::<f64>::zeros((2, 2))), Err(Error::Shape { .. })));
    assert!(matches!(fit.score(ndarray::array![[f64::NAN]].view()), Err(Error::NotFinite { .. })));
    assert!(matches!(fit.sample(0, 1), Err(Error::Shape { .. })));
}

/// Without a floor a component that shrinks onto a point is an error that names the pivot; with one it is reported.
#[test]
fn a_component_on_one_point() {
    let mut x = clouds(40, 2, 3);
    x.row_mut(7).fill(1e3);
    let labels: Vec<usize> = (0..40).map(|i| usize::from(i == 7)).collect();
    let from = GaussianMixture::new(2).start(MixtureStart::Labels(labels));
    let fit = from.fit(&Device::cpu(), x.view()).unwrap();
    assert_eq!(fit.floored(), [1]);
    assert!(fit.dead().is_empty() && (fit.params().weights[1] - 1.0 / 40.0).abs() < 1e-12);
    let bare = from.covariance_floor(0.0);
    assert!(matches!(refusal(&bare, &x), Error::NotPositiveDefinite { op: "GaussianMixture", .. }));
}

/// Fewer different rows than components: nothing panics, and what has nothing is said to be dead or floored.
#[test]
fn duplicates_and_constants() {
    let x = Array2::from_shape_fn((12, 2), |(i, _)| (i % 2) as f64);
    for kind in
        [CovarianceKind::Full, CovarianceKind::Tied, CovarianceKind::Diagonal, CovarianceKind::Spherical]
    {
        for k in 1..=5 {
            let model = GaussianMixture::new(k).covariance(kind.clone());
            let fit = model.fit(&Device::cpu(), x.view()).unwrap();
            assert!(fit.log_likelihood().is_finite() && (fit.params().weights.sum() - 1.0).abs() < 1e-12);
            if k == 5 {
                assert!(!fit.floored().is_empty(), "{kind:?}: {fit:?}");
            }
        }
    }
    let same = Array2::from_elem((5, 3), 2.5);
    let fit = GaussianMixture::new(2).fit(&Device::cpu(), same.view()).unwrap();
    assert!(fit.params().means.iter().all(|m| (m - 2.5).abs() < 1e-12));
    let one = GaussianMixture::new(1).fit(&Device::cpu(), ndarray::array![[3.0, 4.0]].view()).unwrap();
    assert_eq!(one.params().means, ndarray::array![[3.0, 4.0]]);
}

#[test]
fn a_long_fit_can_be_stopped() {
    let progress =
        Progress::new(|step| if step.made < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
    let e = refusal(&GaussianMixture::new(3).progress(progress).tolerance(0.0), &random(90, 2, 4));
    assert_eq!(e, Error::Cancelled { op: "GaussianMixture", iterations: 3 });
}
