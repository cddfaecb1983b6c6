use mercer::linalg::{Jitter, Noise};
use mercer::models::gp::{FittedGp, GpRegressor, Mean, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis, array, s};

use crate::{close, data, everywhere, indefinite};

fn same(grown: &FittedGp, refit: &FittedGp, new: &Array2<f64>, tolerance: f64, what: &str) {
    let (a, b) = (
        grown.predict_with(new.view(), Predictive::Latent).unwrap(),
        refit.predict_with(new.view(), Predictive::Latent).unwrap(),
    );
    close(a.mean, b.mean, tolerance, &format!("{what}: mean"));
    close(a.variance, b.variance, 100.0 * tolerance, &format!("{what}: variance"));
    let (a, b) = (grown.log_evidence(), refit.log_evidence());
    close([a], [b], 100.0 * tolerance, &format!("{what}: evidence"));
    assert_eq!((grown.x(), grown.y()), (refit.x(), refit.y()));
    close(grown.coefficients().iter().copied(), refit.coefficients().iter().copied(), tolerance, what);
}

/// Adding points one at a time or in blocks gives what a fit to everything gives.
#[test]
fn adding_is_refitting() {
    let (x, y) = data(40, 2, 30);
    let (new, _) = data(6, 2, 31);
    for mean in [Mean::Zero, Mean::Linear] {
        let model = GpRegressor::new(1.5 * Kernel::rbf([1.0, 1.5])).noise(0.1).mean(mean);
        for device in everywhere() {
            let refit = model.fit(&device, x.view(), y.view()).unwrap();
            for sizes in [vec![20, 40], vec![39, 40], vec![5, 6, 7, 8, 40]] {
                let first = sizes[0];
                let (own, ys) = (x.slice(s![..first, ..]), y.slice(s![..first, ..]));
                let mut grown = model.fit(&device, own, ys).unwrap();
                for w in sizes.windows(2) {
                    grown.append(x.slice(s![w[0]..w[1], ..]), y.slice(s![w[0]..w[1], ..])).unwrap();
                }
                let tolerance = if device.is_gpu() { 1e-6 } else { 1e-10 };
                same(&grown, &refit, &new, tolerance, &format!("{sizes:?} on {device}"));
                assert!(grown.report().certificate.backward_error < 1e-14);
            }
        }
    }
}

/// An uneven diagonal is scaled on a GPU, and new rows are scaled with it.
#[test]
fn adding_to_an_uneven_diagonal() {
    let (x, y) = data(30, 1, 32);
    let new = array![[0.1], [2.2]];
    let noises: Vec<f64> = (0..30).map(|i| 10f64.powi(i % 6 - 2)).collect();
    for device in everywhere() {
        let model = GpRegressor::new(Kernel::matern32(1.0));
        let refit = model.clone().noise(noises.clone()).fit(&device, x.view(), y.view()).unwrap();
        let first = model.noise(noises[..20].to_vec());
        let mut grown = first.fit(&device, x.slice(s![..20, ..]), y.slice(s![..20, ..])).unwrap();
        grown.append_with_noise(x.slice(s![20.., ..]), y.slice(s![20.., ..]), &noises[20..]).unwrap();
        let tolerance = if device.is_gpu() { 1e-6 } else { 1e-10 };
        same(&grown, &refit, &new, tolerance, &format!("{device}"));
        assert_eq!(grown.noise(), &Noise::Each(noises.clone()));
    }
}

#[test]
fn a_point_that_is_there_already() {
    let (x, y) = data(10, 1, 33);
    let model = GpRegressor::new(Kernel::rbf(0.5)).noise(0.0);
    let again = (x.slice(s![3..4, ..]), y.slice(s![3..4, ..]));
    let mut fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let before = fitted.log_evidence();
    assert!(indefinite(&fitted.append(again.0, again.1).unwrap_err()));
    assert_eq!((fitted.x().nrows(), fitted.log_evidence()), (10, before));
    // With a jitter allowed everything is factored anew.
    let mut fitted = model.jitter(Jitter::ladder()).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    fitted.append(again.0, again.1).unwrap();
    assert!(fitted.jitter() > 0.0);
    // With noise a second observation is welcome.
    let mut fitted =
        GpRegressor::new(Kernel::rbf(0.5)).noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let before = fitted.predict_with(again.0, Predictive::Latent).unwrap().variance[0];
    fitted.append(again.0, again.1).unwrap();
    assert!(fitted.predict_with(again.0, Predictive::Latent).unwrap().variance[0] < before);
}

#[test]
fn bad_additions() {
    let (x, y) = data(10, 2, 34);
    let model = GpRegressor::new(Kernel::rbf(0.5));
    let mut one = model.clone().noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let shape = |r: mercer::Result<()>| matches!(r, Err(Error::Shape { .. }));
    assert!(shape(one.append(x.slice(s![..0, ..]), y.slice(s![..0, ..]))));
    assert!(shape(one.append(x.slice(s![..2, ..1]), y.slice(s![..2, ..]))));
    assert!(shape(one.append(x.slice(s![..2, ..]), y.slice(s![..3, ..]))));
    let wide = ndarray::concatenate(Axis(1), &[y.view(), y.view()]).unwrap();
    assert!(shape(one.append(x.view(), wide.view())));
    assert!(shape(one.append_with_noise(x.view(), y.view(), &[0.1])));
    assert!(matches!(
        one.append(array![[f64::NAN, 0.0]].view(), array![[0.0]].view()),
        Err(Error::NotFinite { .. })
    ));
    let negative = one.append_with_noise(x.slice(s![..1, ..]), y.slice(s![..1, ..]), &[-0.1]);
    assert!(matches!(negative, Err(Error::Parameter { .. })));
    let mut each = model.noise(vec![0.1; 10]).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(matches!(each.append(x.view(), y.view()), Err(Error::Parameter { .. })));
    assert_eq!(one.x().nrows(), 10);
}
