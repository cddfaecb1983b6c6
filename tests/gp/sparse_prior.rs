//! Priors on the hyper-parameters of sparse processes, and bounds that a search ends at.

use mercer::models::gp::{Inducing, Prior, SparseGpRegressor};
use mercer::optim::Minimiser;
use mercer::{Device, Error, Kernel};
use ndarray::Array2;

use crate::sparse::{METHODS, data};
use crate::support::adapters;

const SCALE: Prior = Prior::LogNormal { mean: 0.4, deviation: 0.5 };
const LENGTH: Prior = Prior::Gamma { shape: 3.0, rate: 4.0 };
const NOISE: Prior = Prior::HalfCauchy { scale: 0.02 };

fn model(scale: f64, length: f64, noise: f64) -> SparseGpRegressor {
    let z = Array2::from_shape_fn((6, 1), |(i, _)| -1.5 + 0.6 * i as f64);
    SparseGpRegressor::new(scale * Kernel::rbf(length), Inducing::Given(z)).noise(noise)
}

/// No step: value and gradient of the objective are those of the start.
fn still() -> Minimiser {
    Minimiser::new().max_iterations(0)
}

#[test]
fn the_prior_and_its_slope_are_part_of_what_is_searched() {
    let (x, y) = data(40, 1, 1, 300);
    for method in METHODS {
        for moved in [false, true] {
            let at = |[scale, length, noise]: [f64; 3]| {
                let plain = model(scale, length, noise).method(method).optimise_inducing(moved);
                let value = plain.evidence(&Device::cpu(), x.view(), y.view()).unwrap().value;
                let told = plain.prior("scale", SCALE).prior("rbf.lengthscale", LENGTH).prior("noise", NOISE);
                let fitted = told.optimise(still()).fit(&Device::cpu(), x.view(), y.view()).unwrap();
                let found = fitted.search().unwrap().clone();
                let densities =
                    SCALE.log_density(scale).0 + LENGTH.log_density(length).0 + NOISE.log_density(noise).0;
                let want = -value - densities;
                assert!((found.value - want).abs() < 1e-10 * want.abs(), "{} not {want}", found.value);
                found
            };
            let here = [1.3, 0.6, 0.08];
            let gradient = at(here).gradient;
            assert_eq!(gradient.len(), 3 + if moved { 6 } else { 0 });
            for p in 0..3 {
                let beside = |h: f64| {
                    let mut at_h = here;
                    at_h[p] *= h.exp();
                    at(at_h).value
                };
                let slope = (beside(1e-5) - beside(-1e-5)) / 2e-5;
                assert!(
                    (gradient[p] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{p}: {} not {slope}",
                    gradient[p]
                );
            }
        }
    }
}

/// Beside noise a hundred times as large the length scale is anybody's guess, and the prior has one. On a GPU too, where the value
/// of the search is compared with that of f64.
#[test]
fn where_the_data_are_silent_the_prior_decides() {
    let x = Array2::from_shape_fn((30, 1), |(i, _)| i as f64);
    let y = Array2::<f64>::zeros((30, 1));
    for device in std::iter::once(Device::cpu()).chain(adapters().cloned()) {
        for want in [0.3, 3.0] {
            let length = Prior::LogNormal { mean: f64::ln(want), deviation: 0.05 };
            let kernel = (0.01 * Kernel::rbf(1.0)).fixed("scale").unwrap();
            let start = SparseGpRegressor::new(kernel, Inducing::greedy(10)).noise(1.0).fixed_noise();
            let gp = start.prior("rbf.lengthscale", length).optimise(Minimiser::default());
            let gp = gp.fit(&device, x.view(), y.view()).unwrap();
            let found = gp.kernel().params().into_iter().find(|p| p.name == "rbf.lengthscale").unwrap().value;
            assert!((found / want).ln().abs() < 0.05, "{found} instead of {want} on {device}");
        }
    }
}

#[test]
fn bad_priors_are_refused() {
    let (x, y) = data(20, 1, 1, 310);
    let fit =
        |name: &str, prior| model(1.0, 1.0, 0.1).prior(name, prior).fit(&Device::cpu(), x.view(), y.view());
    let e = fit("length", SCALE);
    assert!(
        matches!(&e, Err(Error::UnknownName { name, known, .. }) if name == "length" && known.contains("noise"))
    );
    let e = fit("noise", Prior::HalfNormal { deviation: -1.0 });
    assert!(matches!(e, Err(Error::Parameter { .. })), "{e:?}");
    assert!(fit("noise", NOISE).is_ok());
}

#[test]
fn parameters_that_end_at_a_bound_are_named() {
    let (x, y) = data(60, 1, 1, 320);
    for moved in [false, true] {
        let free = model(1.0, 0.7, 0.02).optimise_inducing(moved).optimise(Minimiser::default());
        let fit = |m: SparseGpRegressor| m.fit(&Device::cpu(), x.view(), y.view()).unwrap();
        assert!(fit(free.clone()).at_bounds().is_empty());
        // Less noise than there is.
        assert_eq!(fit(free.clone().noise_bounds(1e-5, 1e-3)).at_bounds(), ["noise"]);
        let short = (1.0 * Kernel::rbf(0.1)).bounded("rbf.lengthscale", 0.05, 0.15).unwrap();
        let z = Inducing::greedy(20);
        let short = SparseGpRegressor::new(short, z).optimise_inducing(moved).optimise(Minimiser::default());
        assert!(fit(short).at_bounds().contains(&"rbf.lengthscale".to_owned()));
    }
    assert!(model(1.0, 0.7, 0.02).fit(&Device::cpu(), x.view(), y.view()).unwrap().at_bounds().is_empty());
}
