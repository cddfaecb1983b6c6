//! Bad and odd input where the covariance is not stored, and where hyper-parameters are sampled.

use mercer::learn::plan::Method;
use mercer::models::gp::{GpRegressor, Mean, Predictive, SliceParams};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array, concatenate};

use crate::matrix_free::frugal;
use crate::support::random;
use crate::{close, data, everywhere};

fn model() -> GpRegressor {
    GpRegressor::new(Kernel::rbf(1.0)).noise(0.1)
}

/// Both ways to be given data.
fn both(device: &Device, gp: &GpRegressor, x: &Array2<f64>, y: &Array2<f64>) -> [mercer::Result<()>; 2] {
    let few = SliceParams::new().samples(2).burn_in(0).thin(1);
    [
        frugal(gp).fit(device, x.view(), y.view()).map(|f| assert_ne!(f.method(), Method::Dense)),
        gp.sample_hyperparameters(device, x.view(), y.view(), &few).map(|p| assert_eq!(p.thetas().len(), 2)),
    ]
}

#[test]
fn data_that_are_not_numbers() {
    let (x, y) = data(12, 2, 180);
    for bad in [f64::NAN, f64::INFINITY] {
        for device in everywhere() {
            let (mut xs, mut ys) = (x.clone(), y.clone());
            (xs[[3, 1]], ys[[2, 0]]) = (bad, bad);
            for e in both(&device, &model(), &xs, &y) {
                assert!(matches!(e, Err(Error::NotFinite { what: "x", row: 3, col: 1, .. })), "{e:?}");
            }
            for e in both(&device, &model(), &x, &ys) {
                assert!(matches!(e, Err(Error::NotFinite { what: "y", row: 2, .. })), "{e:?}");
            }
            let fitted = frugal(&model()).fit(&device, x.view(), y.view()).unwrap();
            assert!(matches!(fitted.predict(xs.view()), Err(Error::NotFinite { row: 3, .. })));
        }
    }
}

#[test]
fn noise_that_is_no_variance() {
    let (x, y) = data(12, 2, 181);
    for bad in [-0.1, f64::NAN, f64::INFINITY] {
        for noisy in [model().noise(bad), model().noise([vec![0.1; 11], vec![bad]].concat())] {
            for e in both(&Device::cpu(), &noisy, &x, &y) {
                assert!(matches!(e, Err(Error::Parameter { .. })), "{bad}: {e:?}");
            }
        }
    }
    for e in both(&Device::cpu(), &model().noise(vec![0.1; 11]), &x, &y) {
        assert!(matches!(e, Err(Error::Shape { .. })), "{e:?}");
    }
}

#[test]
fn one_point() {
    let (x, y) = (array![[0.5, -1.0]], array![[2.0]]);
    for device in everywhere() {
        for done in both(&device, &model(), &x, &y) {
            done.unwrap();
        }
        let fitted = frugal(&model()).fit(&device, x.view(), y.view()).unwrap();
        let p = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
        close(p.mean, [2.0 / 1.1], 1e-7, "mean");
        close(p.variance, [1.0 - 1.0 / 1.1], 1e-5, "variance");
        let trend = frugal(&model().mean(Mean::Constant)).fit(&device, x.view(), y.view()).unwrap();
        close(trend.predict(array![[9.0, 9.0]].view()).unwrap(), [2.0], 1e-6, "mean of one");
    }
}

/// A constant y, zero among them, leaves nothing to solve for.
#[test]
fn constant_targets() {
    let (x, _) = data(15, 2, 182);
    for value in [0.0, 3.0] {
        let y = Array2::from_elem((15, 1), value);
        for device in everywhere() {
            for mean in [Mean::Zero, Mean::Constant] {
                let gp = model().mean(mean);
                for done in both(&device, &gp, &x, &y) {
                    done.unwrap();
                }
                let want = gp.fit(&Device::cpu(), x.view(), y.view()).unwrap().predict(x.view()).unwrap();
                let got = frugal(&gp).fit(&device, x.view(), y.view()).unwrap();
                let off = (got.predict(x.view()).unwrap() - want).mapv(f64::abs).fold(0f64, |m, v| m.max(*v));
                assert!(off < 1e-6, "{value}, {mean:?} on {device}: {off}");
            }
        }
    }
}

#[test]
fn duplicates() {
    let (x, y) = data(10, 1, 183);
    let x = concatenate(Axis(0), &[x.view(), x.view()]).unwrap();
    let y = concatenate(Axis(0), &[y.view(), y.view()]).unwrap();
    for device in everywhere() {
        for done in both(&device, &model(), &x, &y) {
            done.unwrap();
        }
        let want = model().fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let got = frugal(&model()).fit(&device, x.view(), y.view()).unwrap();
        close(got.predict(x.view()).unwrap(), want.predict(x.view()).unwrap(), 1e-6, "duplicates");
        let [free, sampled] = both(&device, &model().noise(0.0), &x, &y);
        assert!(matches!(free, Err(Error::Parameter { .. })), "{free:?}");
        assert!(matches!(sampled, Err(Error::NotPositiveDefinite { .. })), "{sampled:?}");
    }
}

#[test]
fn ten_thousand_features_on_fifty_points() {
    let x = random(50, 10_000, 184);
    let y = x.slice(ndarray::s![.., ..1]).to_owned();
    let gp = GpRegressor::new(Kernel::rbf(60.0)).noise(0.1).fixed_noise();
    for device in everywhere() {
        for done in both(&device, &gp, &x, &y) {
            done.unwrap();
        }
        let fitted = frugal(&gp).fit(&device, x.view(), y.view()).unwrap();
        let p = fitted.predict_with(x.view(), Predictive::Latent).unwrap();
        assert!(p.variance.iter().all(|v| (0.0..1.0).contains(v)), "{device}");
        let linear = frugal(&gp.clone().mean(Mean::Linear)).fit(&device, x.view(), y.view());
        assert!(matches!(linear, Err(Error::Shape { .. })), "{linear:?}");
    }
}
