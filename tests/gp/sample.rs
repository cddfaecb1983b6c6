use mercer::models::gp::{GpRegressor, Predictive};
use mercer::{Device, Error, Kernel};
use ndarray::{Array1, Array2, Array3, Axis, array, s};

use crate::{close, data, everywhere};

/// Sample mean and covariance of the first output.
fn moments(values: &Array3<f64>) -> (Array1<f64>, Array2<f64>) {
    let all = values.slice(s![.., .., 0]);
    let mean = all.mean_axis(Axis(0)).unwrap();
    let centred: Array2<f64> = &all - &mean;
    let covariance = centred.t().dot(&centred) / all.nrows() as f64;
    (mean, covariance)
}

#[test]
fn prior_samples_have_the_covariance_of_the_kernel() {
    let x = array![[-1.0], [0.0], [0.4], [3.0]];
    let kernel = 2.0 * Kernel::matern52(1.0);
    let model = GpRegressor::new(kernel.clone());
    let samples = model.sample_prior(x.view(), 20_000, 1).unwrap();
    let (mean, covariance) = moments(&samples.values);
    assert!(mean.iter().all(|m| m.abs() < 0.05), "{mean}");
    let want = crate::gram(&kernel, x.view(), x.view());
    close(covariance, want, 0.03, "covariance");
    assert_eq!(samples, model.sample_prior(x.view(), 20_000, 1).unwrap());
    assert_ne!(samples, model.sample_prior(x.view(), 20_000, 2).unwrap());
}

#[test]
fn posterior_samples_have_the_moments_of_the_posterior() {
    let (x, y) = data(15, 1, 60);
    let new = array![[-2.0], [0.1], [0.3], [5.0]];
    let fitted =
        GpRegressor::new(Kernel::rbf(0.8)).noise(0.1).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    for what in [Predictive::Latent, Predictive::Observed] {
        let joint = fitted.predict_joint(new.view(), what).unwrap();
        let (mean, covariance) = moments(&fitted.sample(new.view(), what, 20_000, 3).unwrap().values);
        close(mean, joint.mean, 0.03, "mean");
        close(covariance, joint.covariance, 0.03, "covariance");
    }
}

/// Without noise every function passes through the data; the jitter that this needs is reported.
#[test]
fn samples_without_noise_pass_through_the_data() {
    let (x, y) = data(8, 1, 61);
    let fitted =
        GpRegressor::new(Kernel::rbf(0.6)).noise(0.0).fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let samples = fitted.sample(x.view(), Predictive::Latent, 5, 4).unwrap();
    for one in samples.values.axis_iter(Axis(0)) {
        close(one.iter().copied(), y.iter().copied(), 1e-4, "a function at the data");
    }
    let far = fitted.sample(array![[30.0], [60.0]].view(), Predictive::Latent, 5, 4).unwrap();
    assert_eq!(far.jitter, 0.0);
}

/// Outputs differ in their mean and in their numbers.
#[test]
fn samples_of_several_outputs() {
    let (x, y) = data(12, 1, 62);
    let both = ndarray::concatenate(Axis(1), &[y.view(), (&y + 100.0).view()]).unwrap();
    let model = GpRegressor::new(Kernel::rbf(0.6)).noise(0.1);
    let fitted = model.fit(&Device::cpu(), x.view(), both.view()).unwrap();
    let samples = fitted.sample(x.view(), Predictive::Latent, 7, 5).unwrap().values;
    assert_eq!(samples.dim(), (7, 12, 2));
    assert!(samples.slice(s![.., .., 1]).iter().all(|v| *v > 50.0));
    assert!(samples.slice(s![.., .., 0]).iter().all(|v| v.abs() < 10.0));
}

/// The same seed takes the same decisions on every device.
#[test]
fn the_same_functions_on_every_device() {
    let (x, y) = data(20, 1, 63);
    let new = Array2::from_shape_fn((10, 1), |(i, _)| 0.7 * i as f64 - 3.0);
    let model = GpRegressor::new(Kernel::matern32(0.6)).noise(0.1);
    let draw = |device: &Device| {
        let fitted = model.fit(device, x.view(), y.view()).unwrap();
        fitted.sample(new.view(), Predictive::Observed, 3, 6).unwrap().values
    };
    let want = draw(&Device::cpu());
    for device in everywhere() {
        close(draw(&device), want.clone(), 1e-6, &device.to_string());
    }
}

#[test]
fn bad_requests() {
    let (x, y) = data(5, 1, 64);
    let model = GpRegressor::new(Kernel::rbf(0.6)).noise(0.1);
    assert!(matches!(model.sample_prior(x.view(), 0, 1), Err(Error::Shape { .. })));
    assert!(matches!(model.sample_prior(array![[f64::NAN]].view(), 1, 1), Err(Error::NotFinite { .. })));
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(matches!(fitted.sample(x.view(), Predictive::Latent, 0, 1), Err(Error::Shape { .. })));
    assert!(matches!(
        fitted.sample(array![[0.0, 1.0]].view(), Predictive::Latent, 1, 1),
        Err(Error::Shape { .. })
    ));
}

/// Where the prior has no variance at all there is one function: a line through the origin is zero there.
#[test]
fn without_variance_samples_are_the_mean() {
    let (x, y) = (array![[1.0], [2.0]], array![[1.0], [2.0]]);
    let origin = array![[0.0], [0.0]];
    let model = GpRegressor::new(Kernel::linear()).noise(0.1);
    let prior = model.sample_prior(origin.view(), 3, 1).unwrap();
    assert!(prior.values.iter().all(|v| *v == 0.0) && prior.jitter == 0.0, "{prior:?}");
    let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
    let latent = fitted.sample(origin.view(), Predictive::Latent, 3, 1).unwrap();
    assert!(latent.values.iter().all(|v| *v == 0.0) && latent.jitter == 0.0, "{latent:?}");
}
