//! What only a device in f32 can get wrong.

use mercer::Device;
use mercer::Kernel;
use mercer::models::gp::{GpRegressor, Predictive};
use ndarray::Array2;

use crate::{data, support};

/// Conditions from easy to hopeless for f32: the standard deviation is right at all of them, the mean too.
#[test]
fn standard_deviations_survive_f32() {
    let (x, y) = data(70, 1, 90);
    let new = Array2::from_shape_fn((40, 1), |(i, _)| -4.0 + 0.2 * i as f64);
    for noise in [0.1, 1e-3, 1e-5, 1e-7] {
        for kernel in [Kernel::rbf(1.0), 5.0 * Kernel::matern52(2.0)] {
            let model = GpRegressor::new(kernel.clone()).noise(noise);
            let predict = |device: &Device| {
                let fitted = model.fit(device, x.view(), y.view()).unwrap();
                fitted.predict_variance(new.view(), Predictive::Latent).unwrap()
            };
            let want = predict(&Device::cpu());
            for device in support::gpus() {
                let got = predict(device);
                let scale = want.mean.iter().fold(0f64, |m, v| m.max(v.abs()));
                for i in 0..40 {
                    let off = (got.mean[[i, 0]] - want.mean[[i, 0]]).abs() / scale;
                    assert!(off <= 1e-6, "{kernel}, noise {noise}, {device}: mean {i} off by {off:e}");
                    let (g, w) = (got.variance[i].sqrt(), want.variance[i].sqrt());
                    let off = (g - w).abs() / w;
                    assert!(off <= 1e-4, "{kernel}, noise {noise}, {device}: std {i} is {g}, should be {w}");
                }
            }
        }
    }
}
