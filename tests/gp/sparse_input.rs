//! What a sparse process refuses, and what it must bear.

use mercer::models::gp::{Inducing, Predictive, SparseGpRegressor};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel, Result};
use ndarray::{Array2, array};

use crate::sparse::{METHODS, data};
use crate::support::{adapters, random};

fn fit(model: &SparseGpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> Result<f64> {
    model.fit(&Device::cpu(), x.view(), y.view()).map(|f| f.log_marginal_likelihood())
}

#[test]
fn bad_input_is_refused() {
    let (x, y) = data(20, 2, 1, 51);
    let greedy = || SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(4));
    assert!(fit(&greedy(), &x, &y).is_ok());
    assert!(matches!(fit(&greedy(), &x, &data(19, 2, 1, 1).1), Err(Error::Shape { .. })));
    assert!(matches!(
        fit(&greedy(), &Array2::zeros((0, 2)), &Array2::zeros((0, 1))),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(fit(&greedy(), &x, &Array2::zeros((20, 0))), Err(Error::Shape { .. })));
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
    assert!(matches!(fit(&given(Array2::zeros((0, 2))), &x, &y), Err(Error::Shape { .. })));
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
    for device in adapters().cloned().chain([Device::cpu()]) {
        let gp = gp.fit(&device, x.view(), y.view()).unwrap();
        assert!(matches!(gp.predict(random(3, 3, 1).view()), Err(Error::Shape { .. })));
        assert!(matches!(gp.predict(Array2::zeros((0, 2)).view()), Err(Error::Shape { .. })));
        let e = gp.predict_variance(x.view(), Predictive::ObservedWith(-1.0));
        assert!(matches!(e, Err(Error::Parameter { .. })));
        assert!(matches!(gp.predict(array![[0.0, f64::NAN]].view()), Err(Error::NotFinite { .. })));
    }
}

#[test]
fn little_dull_and_wide_data_are_borne() {
    let search = || Minimiser { max_iterations: 20, ..Minimiser::default() };
    for method in METHODS {
        // One observation.
        let one = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(1)).method(method);
        let gp = one.fit(&Device::cpu(), array![[0.3]].view(), array![[2.0]].view()).unwrap();
        let at = gp.predict_variance(array![[0.3], [50.0]].view(), Predictive::Latent).unwrap();
        assert!((at.mean[[0, 0]] - 2.0 / 1.1).abs() < 1e-5 && (at.variance[1] - 1.0).abs() < 1e-9);
        // A constant target.
        let (x, _) = data(40, 2, 1, 53);
        let flat = SparseGpRegressor::new(1.0 * Kernel::rbf(1.0), Inducing::greedy(6)).method(method);
        let gp =
            flat.optimise(search()).fit(&Device::cpu(), x.view(), Array2::zeros((40, 1)).view()).unwrap();
        let found = gp.predict_variance(x.view(), Predictive::Latent).unwrap();
        assert!(found.mean.iter().all(|v| v.abs() < 1e-12) && found.variance.iter().all(|v| *v >= 0.0));
        // More features than observations.
        let (x, y) = (random(12, 300, 54), random(12, 1, 55));
        let wide = SparseGpRegressor::new(1.0 * Kernel::rbf(10.0), Inducing::uniform(5, 1));
        let gp = wide.method(method).fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let found = gp.predict_variance(x.view(), Predictive::Observed).unwrap();
        assert!(found.variance.iter().all(|v| *v >= 0.0 && v.is_finite()));
    }
}
