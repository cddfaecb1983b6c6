//! Sparse processes where numbers are hard: noise of next to nothing, data beyond f32.

use mercer::models::gp::{GpRegressor, Inducing, Predictive, SparseGpRegressor, SparseMethod};
use mercer::optim::Minimiser;
use mercer::{Device, Kernel};
use ndarray::{Array2, array};

use crate::close;
use crate::sparse::{METHODS, data};
use crate::support::adapters;

/// With all points inducing F is the exact likelihood. As `yᵀΛ⁻¹y` less what is explained of it, it would keep four digits
/// at the least of these.
#[test]
fn little_noise_costs_no_digits() {
    let x = Array2::from_shape_fn((40, 1), |(i, _)| i as f64 * 0.5);
    let y = x.mapv(|v| 3.0 * (0.7 * v).sin());
    let kernel = 1.0 * Kernel::matern32(1.0);
    for noise in [1e-12, 1e-10, 1e-8, 1e-4] {
        let exact = GpRegressor::new(kernel.clone()).noise(noise);
        let want = exact.fit(&Device::cpu(), x.view(), y.view()).unwrap().log_evidence();
        for method in METHODS {
            let model = SparseGpRegressor::new(kernel.clone(), Inducing::Given(x.clone()));
            let model = model.noise(noise).jitter(0.0).method(method);
            let fitted = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
            let evidence = model.evidence(&Device::cpu(), x.view(), y.view()).unwrap();
            for got in [fitted.log_evidence(), evidence.value] {
                // What K - Q rounds to is divided by the noise in the bound, and is noise of FITC.
                let rounding =
                    if method == SparseMethod::Dtc { 0.0 } else { 40.0 * 4.0 * f64::EPSILON / noise };
                let off = (got - want).abs();
                assert!(
                    off < 1e-8 * want.abs() + rounding,
                    "{method:?}, noise {noise:e}: off by {off:e} of {want}"
                );
            }
        }
    }
}

/// Observations, or the quotients of them and the noise, that f32 has no numbers for: the search is one in f64.
#[test]
fn data_beyond_f32_are_fitted_all_the_same() {
    let (x, y) = data(60, 2, 1, 400);
    let new = array![[0.1, 0.2], [1.0, -1.0], [30.0, 0.0]];
    for (size, noise, stretch) in [(1e36, 1e-8, 1.0), (1e45, 1e85, 1.0), (1.0, 0.05, 1e45)] {
        let (x, y, new) = (&x * stretch, &y * size, &new * stretch);
        let kernel = (20.0 * noise) * Kernel::rbf(stretch);
        let few = Minimiser::new().max_iterations(5);
        let model = SparseGpRegressor::new(kernel, Inducing::greedy(10)).noise(noise).optimise(few);
        let want = model.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        let slope = model.evidence(&Device::cpu(), x.view(), y.view()).unwrap();
        for device in adapters() {
            let got = model.fit(device, x.view(), y.view()).unwrap();
            let on = format!("y of {size:e}, noise {noise:e}, x of {stretch:e} on {device}");
            let at = |f: &mercer::models::gp::FittedSparseGp| {
                f.predict_with(new.view(), Predictive::Latent).unwrap()
            };
            close(at(&got).mean, at(&want).mean, 1e-6, &on);
            close(at(&got).std(), at(&want).std(), 1e-4, &on);
            assert_eq!(model.evidence(device, x.view(), y.view()).unwrap(), slope, "{on}");
        }
    }
}
