//! Sparse processes against `GPy` (`tests/oracle/gp_sparse.py`), on the CPU and on every adapter.

use mercer::models::gp::{Predictive, SparseMethod};
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::sparse::{METHODS, data, sparse};
use crate::support::{adapters, random};

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(v: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(numbers).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * (1.0 + want.abs()), "{what}: {got} instead of {want}");
}

#[test]
fn gpy_agrees() {
    let oracle: Value = serde_json::from_str(include_str!("../oracle/gp_sparse.json")).unwrap();
    let (x, z, new) = (matrix(&oracle["x"]), matrix(&oracle["z"]), matrix(&oracle["new"]));
    let y = Array2::from_shape_vec((x.nrows(), 1), numbers(&oracle["y"])).unwrap();
    let noise = oracle["noise"].as_f64().unwrap();
    for case in oracle["cases"].as_array().unwrap() {
        let (kernel, scale) = match case["kernel"].as_str().unwrap() {
            "rbf" => (1.7 * Kernel::rbf([0.9, 1.4]), 1.7),
            _ => (0.8 * Kernel::matern52([1.1, 0.7]), 0.8),
        };
        let (method, tolerance) = match case["method"].as_str().unwrap() {
            "variational" => (SparseMethod::Variational, 1e-9),
            // There GPy adds its jitter in other places.
            "dtc" => (SparseMethod::Dtc, 1e-8),
            _ => (SparseMethod::Fitc, 1e-8),
        };
        let model = sparse(&kernel, noise, &z, method).jitter(1e-9 / scale);
        let what = format!("{kernel} {method:?}");
        let got = model.evidence(&Device::cpu(), x.view(), y.view()).unwrap();
        close(got.value, case["value"].as_f64().unwrap(), tolerance, &what);
        if method == SparseMethod::Variational {
            close(got.by_params[0], case["by_scale"].as_f64().unwrap(), 1e-7, &what);
            for (g, w) in got.by_params[1..].iter().zip(numbers(&case["by_lengthscale"])) {
                close(*g, w, 1e-7, &what);
            }
            close(got.by_noise, case["by_noise"].as_f64().unwrap(), 1e-7, &what);
            for (g, w) in got.by_inducing.iter().zip(&matrix(&case["by_inducing"])) {
                close(*g, *w, 1e-7, &what);
            }
        }
        for device in adapters().cloned().chain([Device::cpu()]) {
            let (value_within, mean_within, variance_within) =
                if device.is_gpu() { (1e-5, 1e-5, 1e-5) } else { (tolerance, 1e-7, 1e-7) };
            let gp = model.fit(&device, x.view(), y.view()).unwrap();
            let what = format!("{what} on {device}");
            close(gp.log_marginal_likelihood(), case["value"].as_f64().unwrap(), value_within, &what);
            let found = gp.predict_variance(new.view(), Predictive::Latent).unwrap();
            for (g, w) in found.mean.iter().zip(numbers(&case["mean"])) {
                close(*g, w, mean_within, &what);
            }
            for (g, w) in found.variance.iter().zip(numbers(&case["variance"])) {
                close(*g, w, variance_within, &what);
            }
        }
    }
}

/// Kernels of all sorts, in chunks, with all derivatives.
#[test]
fn every_adapter_agrees_with_the_cpu() {
    let (x, y) = data(130, 2, 2, 31);
    let z = random(9, 2, 32) * 1.8;
    let kernels = [
        1.2 * Kernel::matern32([0.9, 1.1]),
        Kernel::rbf(0.8) + Kernel::linear() * Kernel::periodic(1.0, 3.0),
    ];
    for kernel in kernels {
        for method in METHODS {
            let model = sparse(&kernel, 0.1, &z, method).jitter(1e-6).chunk(50);
            let want = model.evidence(&Device::cpu(), x.view(), y.view()).unwrap();
            let scale =
                want.by_inducing.iter().chain(&want.by_params).fold(want.value.abs(), |s, v| s.max(v.abs()));
            for device in adapters() {
                let got = model.evidence(device, x.view(), y.view()).unwrap();
                let what = format!("{kernel} {method:?} on {device}");
                let off = (got.value - want.value).abs() / want.value.abs();
                let slopes = got
                    .by_params
                    .iter()
                    .zip(&want.by_params)
                    .chain(got.by_inducing.iter().zip(&want.by_inducing));
                let worst = slopes.fold(0f64, |w, (g, t)| w.max((g - t).abs() / scale));
                println!("{what}: value {off:.1e}, gradient {worst:.1e}");
                assert!(off < 2e-5 && worst < 2e-4, "{what}: {off:e} {worst:e}");
                assert!(
                    (got.by_noise - want.by_noise).abs() < 1e-4 * want.by_noise.abs().max(scale),
                    "{what}"
                );
            }
        }
    }
}
