//! What a sparse process refuses, and what it must bear.

use mercer::models::gp::{Inducing, Predictive, SparseGpRegressor};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel, Result};
use ndarray::{Array2, Axis, array, concatenate};

use crate::everywhere;
use crate::sparse::{METHODS, data};
use crate::support::random;

fn fit(model: &SparseGpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> Result<f64> {
    model.fit(&Device::cpu(), x.view(), y.view()).map(|f| f.log_evidence())
}

#[test]
fn bad_input_is_refused() {
    let (x, y) = data(20, 2, 1, 51);
    let greedy = || SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(4));
    assert!(fit(&greedy(), &x, &y).is_ok());
    assert!(matches!(fit(&greedy(), &x, &data(19, 2, 1, 1).1), Err(Error::Shape { .. })));
    assert!(matches!(
        fit(&greedy(), &Array2::<f64>::zeros((0, 2)), &Array2::<f64>::zeros((0, 1))),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(fit(&greedy(), &x, &Array2::<f64>::zeros((20, 0))), Err(Error::Shape { .. })));
    for noise in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(fit(&greedy().noise(noise), &x, &y), Err(Error::Parameter { .. })), "{noise}");
    }
    for jitter in [-1e-9, f64::NAN] {
        assert!(matches!(fit(&greedy().jitter(jitter), &x, &y), Err(Error::Parameter { .. })));
    }
    assert!(matches!(fit(&greedy().noise_bounds(1.0, 0.1), &x, &y), Err(Error::Parameter { .. })));
    let mut holed = x.clone();
    holed[[3, 1]] = f64::NAN;
    assert!(matches!(fit(&greedy(), &holed, &y), Err(Error::NotFinite { row: 3, col: 1, .. })));
    let mut holed = y.clone();
    holed[[5, 0]] = f64::INFINITY;
    assert!(matches!(fit(&greedy(), &x, &holed), Err(Error::NotFinite { row: 5, .. })));
    for inducing in [
        Inducing::uniform(0, 0),
        Inducing::uniform(21, 0),
        Inducing::k_means_plus_plus(0, 0),
        Inducing::greedy(50),
    ] {
        let e = fit(&SparseGpRegressor::new(Kernel::rbf(1.0), inducing), &x, &y);
        assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
    }
    let given = |z: Array2<f64>| SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::Given(z));
    assert!(matches!(fit(&given(array![[1.0]]), &x, &y), Err(Error::Shape { .. })));
    assert!(matches!(fit(&given(array![[1.0, f64::NAN]]), &x, &y), Err(Error::NotFinite { .. })));
    assert!(matches!(fit(&given(Array2::<f64>::zeros((0, 2))), &x, &y), Err(Error::Shape { .. })));
    let white = Kernel::rbf(1.0) + Kernel::white(0.1);
    let e = fit(&SparseGpRegressor::new(white, Inducing::greedy(4)), &x, &y);
    assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    let bad = SparseGpRegressor::new(Kernel::rbf(-1.0), Inducing::greedy(4));
    assert!(matches!(fit(&bad, &x, &y), Err(Error::Parameter { .. })));
}

#[test]
fn predictions_refuse_other_points() {
    let (x, y) = data(20, 2, 1, 52);
    let gp = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(4));
    for device in everywhere() {
        let gp = gp.fit(&device, x.view(), y.view()).unwrap();
        assert!(matches!(gp.predict(random(3, 3, 1).view()), Err(Error::Shape { .. })));
        assert!(matches!(gp.predict(Array2::<f64>::zeros((0, 2)).view()), Err(Error::Shape { .. })));
        let e = gp.predict_with(x.view(), Predictive::ObservedWith(-1.0));
        assert!(matches!(e, Err(Error::Parameter { .. })));
        assert!(matches!(gp.predict(array![[0.0, f64::NAN]].view()), Err(Error::NotFinite { .. })));
    }
}

#[test]
fn little_and_dull_data_are_borne() {
    let search = || Minimiser::new().max_iterations(20);
    for method in METHODS {
        // One observation.
        let one = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(1)).method(method);
        let gp = one.fit(&Device::cpu(), array![[0.3]].view(), array![[2.0]].view()).unwrap();
        let at = gp.predict_with(array![[0.3], [50.0]].view(), Predictive::Latent).unwrap();
        assert!((at.mean[[0, 0]] - 2.0 / 1.1).abs() < 1e-5 && (at.variance[1] - 1.0).abs() < 1e-9);
        // A constant target.
        let (x, _) = data(40, 2, 1, 53);
        let flat = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(6)).method(method);
        let gp = flat
            .optimise(search())
            .fit(&Device::cpu(), x.view(), Array2::<f64>::zeros((40, 1)).view())
            .unwrap();
        let found = gp.predict_with(x.view(), Predictive::Latent).unwrap();
        assert!(found.mean.iter().all(|v| v.abs() < 1e-12) && found.variance.iter().all(|v| *v >= 0.0));
    }
}

#[test]
fn a_constant_target_and_duplicates_that_disagree() {
    let (x, _) = data(20, 2, 1, 56);
    let twice = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    // The same input with 2 and with 4: in between, and the noise is what they differ by.
    let y = Array2::from_shape_fn((40, 1), |(i, _)| if i < 20 { 2.0 } else { 4.0 });
    for device in everywhere() {
        for method in METHODS {
            let model = SparseGpRegressor::new(9.0 * Kernel::rbf(2.0), Inducing::greedy(20)).method(method);
            let gp =
                model.clone().optimise(Minimiser::default()).fit(&device, twice.view(), y.view()).unwrap();
            let found = gp.predict(x.view()).unwrap();
            assert!(found.iter().all(|v| (v - 3.0).abs() < 0.2), "{method:?} on {device}: {found}");
            assert!((0.7..1.3).contains(&gp.noise()), "{method:?} on {device}: {}", gp.noise());
            let gp =
                model.noise(1e-4).fit(&device, x.view(), Array2::from_elem((20, 1), 5.0).view()).unwrap();
            let found = gp.predict_with(x.view(), Predictive::Latent).unwrap();
            assert!(found.mean.iter().all(|v| (v - 5.0).abs() < 0.1), "{method:?} on {device}");
            assert!(found.variance.iter().all(|v| *v >= 0.0), "{method:?} on {device}");
        }
    }
}

#[test]
fn fifty_points_of_ten_thousand_features() {
    let (x, y) = (random(50, 10_000, 54), random(50, 1, 55));
    for device in everywhere() {
        for method in METHODS {
            let wide =
                SparseGpRegressor::new(1.0 * Kernel::rbf(80.0), Inducing::uniform(5, 1)).method(method);
            let once = wide.optimise(Minimiser::new().max_iterations(2));
            let gp = once.fit(&device, x.view(), y.view()).unwrap();
            let found = gp.predict_with(x.view(), Predictive::Observed).unwrap();
            assert!(found.variance.iter().all(|v| *v >= 0.0 && v.is_finite()), "{method:?} on {device}");
        }
    }
}
