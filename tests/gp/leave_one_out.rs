use mercer::models::gp::{GpRegressor, Mean, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis};

use crate::{close, data, everywhere};

fn without(a: &Array2<f64>, i: usize) -> Array2<f64> {
    let rest: Vec<usize> = (0..a.nrows()).filter(|k| *k != i).collect();
    a.select(Axis(0), &rest)
}

/// The closed form is n refits, on every device.
#[test]
fn the_closed_form_is_the_refit() {
    let (x, y) = data(18, 2, 20);
    let y = ndarray::concatenate(Axis(1), &[y.view(), (&y * y.mapv(f64::cos)).view()]).unwrap();
    let noises: Vec<f64> = (0..18).map(|i| 0.05 + 0.01 * f64::from(i)).collect();
    for mean in [Mean::Zero, Mean::Constant, Mean::Linear] {
        let model = GpRegressor::new(1.4 * Kernel::matern52([1.0, 2.0])).mean(mean);
        for device in everywhere() {
            let exact = if device.is_gpu() { 1e-6 } else { 1e-10 };
            let fitted = model.clone().noise(noises.clone()).fit(&device, x.view(), y.view()).unwrap();
            let loo = fitted.leave_one_out().unwrap();
            for i in 0..18 {
                let rest: Vec<f64> =
                    noises.iter().copied().enumerate().filter(|(k, _)| *k != i).map(|(_, v)| v).collect();
                let refit = model.clone().noise(rest);
                let refit = refit.fit(&Device::cpu(), without(&x, i).view(), without(&y, i).view()).unwrap();
                let at = x.select(Axis(0), &[i]);
                let p = refit.predict_with(at.view(), Predictive::ObservedWith(noises[i])).unwrap();
                close(
                    loo.mean.row(i).to_vec(),
                    p.mean.row(0).to_vec(),
                    exact,
                    &format!("mean {i} on {device}"),
                );
                close([loo.variance[i]], [p.variance[0]], exact, &format!("variance {i} on {device}"));
                for k in 0..2 {
                    let r = y[[i, k]] - p.mean[[0, k]];
                    let want = -0.5 * (r * r / p.variance[0] + (std::f64::consts::TAU * p.variance[0]).ln());
                    close([loo.log_density[[i, k]]], [want], exact, &format!("density {i} on {device}"));
                }
            }
            close([loo.log_predictive_density()], [loo.log_density.sum()], 0.0, "sum");
        }
    }
}

#[test]
fn a_single_point_leaves_the_prior() {
    let (x, y) = data(1, 2, 21);
    let fitted =
        GpRegressor::new(2.0 * Kernel::rbf(1.0)).noise(0.5).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let loo = fitted.leave_one_out().unwrap();
    assert!(loo.mean[[0, 0]].abs() < 1e-15 && (loo.variance[0] - 2.5).abs() < 1e-14);
    let constant = GpRegressor::new(Kernel::rbf(1.0)).noise(0.5).mean(Mean::Constant);
    let fitted = constant.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(matches!(fitted.leave_one_out(), Err(Error::Singular { index: 0, .. })));
}
