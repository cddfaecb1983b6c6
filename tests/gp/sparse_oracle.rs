//! Sparse processes against `GPy` (`tests/oracle/gp_sparse.py`), on the CPU and on every adapter.

use mercer::models::gp::{Predictive, SparseEvidence, SparseGpRegressor, SparseMethod};
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::sparse::{METHODS, data, sparse};
use crate::support::oracle::{list as numbers, matrix};
use crate::support::{adapters, gpus, random};

fn close(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance * (1.0 + want.abs()), "{what}: {got} instead of {want}");
}

struct Case {
    name: String,
    model: SparseGpRegressor,
    x: Array2<f64>,
    y: Array2<f64>,
    new: Array2<f64>,
    value: f64,
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// By the scale, the lengthscales, the noise and the inducing inputs.
    gradient: Option<Vec<f64>>,
}

fn cases() -> Vec<Case> {
    let oracle: Value = serde_json::from_str(include_str!("../oracle/gp_sparse.json")).unwrap();
    let (x, z, new) = (matrix(&oracle["x"]), matrix(&oracle["z"]), matrix(&oracle["new"]));
    let y = Array2::from_shape_vec((x.nrows(), 1), numbers(&oracle["y"])).unwrap();
    let noise = oracle["noise"].as_f64().unwrap();
    let each = oracle["cases"].as_array().unwrap().iter().map(|case| {
        let (kernel, scale) = match case["kernel"].as_str().unwrap() {
            "rbf" => (1.7 * Kernel::rbf([0.9, 1.4]), 1.7),
            _ => (0.8 * Kernel::matern52([1.1, 0.7]), 0.8),
        };
        let method = match case["method"].as_str().unwrap() {
            "variational" => SparseMethod::Variational,
            "dtc" => SparseMethod::Dtc,
            _ => SparseMethod::Fitc,
        };
        let gradient = (method == SparseMethod::Variational).then(|| {
            let mut all = vec![case["by_scale"].as_f64().unwrap()];
            all.extend(numbers(&case["by_lengthscale"]));
            all.push(case["by_noise"].as_f64().unwrap());
            all.extend(&matrix(&case["by_inducing"]));
            all
        });
        Case {
            name: format!("{kernel} {method:?}"),
            model: sparse(&kernel, noise, &z, method).jitter(1e-9 / scale),
            x: x.clone(),
            y: y.clone(),
            new: new.clone(),
            value: case["value"].as_f64().unwrap(),
            mean: numbers(&case["mean"]),
            variance: numbers(&case["variance"]),
            gradient,
        }
    });
    each.collect()
}

fn flat(found: &SparseEvidence) -> Vec<f64> {
    found.by_params.iter().copied().chain([found.by_noise]).chain(found.by_inducing.iter().copied()).collect()
}

#[test]
fn gpy_agrees() {
    for case in cases() {
        let what = &case.name;
        // GPy adds the jitter of DTC and FITC in other places.
        let tolerance = if case.gradient.is_some() { 1e-9 } else { 1e-8 };
        let got = case.model.evidence(&Device::cpu(), case.x.view(), case.y.view()).unwrap();
        close(got.value, case.value, tolerance, what);
        for (g, w) in flat(&got).iter().zip(case.gradient.iter().flatten()) {
            close(*g, *w, 1e-7, what);
        }
        let gp = case.model.fit(&Device::cpu(), case.x.view(), case.y.view()).unwrap();
        close(gp.log_evidence(), case.value, tolerance, what);
        let found = gp.predict_with(case.new.view(), Predictive::Latent).unwrap();
        found.mean.iter().zip(&case.mean).for_each(|(g, w)| close(*g, *w, 1e-7, what));
        found.variance.iter().zip(&case.variance).for_each(|(g, w)| close(*g, *w, 1e-7, what));
    }
}

#[test]
fn every_adapter_gives_the_f64_answer() {
    for device in gpus() {
        for case in cases() {
            let what = format!("{} on {device}", case.name);
            let gp = case.model.fit(device, case.x.view(), case.y.view()).unwrap();
            crate::close([gp.log_evidence()], [case.value], 1e-7, &what);
            let found = gp.predict_with(case.new.view(), Predictive::Latent).unwrap();
            crate::close(found.mean.iter().copied(), case.mean.clone(), 1e-6, &format!("{what}: mean"));
            for (g, w) in found.std().iter().zip(&case.variance) {
                let off = (g - w.sqrt()).abs() / w.sqrt();
                assert!(off <= 1e-4, "{what}: std is {g}, should be {} ({off:e})", w.sqrt());
            }
            let seen = case.model.evidence(device, case.x.view(), case.y.view()).unwrap();
            crate::close([seen.value], [case.value], 1e-7, &format!("{what}: F"));
            if let Some(gradient) = &case.gradient {
                crate::close(flat(&seen), gradient.clone(), 1e-4, &format!("{what}: gradient in f32"));
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
                assert!(off < 1e-12 && worst < 1e-5, "{what}: {off:e} {worst:e}");
                assert!(
                    (got.by_noise - want.by_noise).abs() < 1e-4 * want.by_noise.abs().max(scale),
                    "{what}"
                );
            }
        }
    }
}

/// Little noise and a smooth kernel, far from the origin: what f32 has no digits for is made in f64.
#[test]
fn the_gradient_survives_where_f32_has_lost_it() {
    let x = Array2::from_shape_fn((120, 1), |(i, _)| 1e5 + i as f64 / 15.0);
    let y = x.mapv(|v| (v - 1e5).sin());
    let z = Array2::from_shape_fn((24, 1), |(i, _)| 1e5 + i as f64 / 3.0);
    for method in METHODS {
        for (noise, jitter) in [(1e-2, 1e-6), (1e-4, 1e-8), (1e-6, 1e-10)] {
            let model = sparse(&(1.3 * Kernel::rbf(1.1)), noise, &z, method).jitter(jitter);
            let want = model.evidence(&Device::cpu(), x.view(), y.view()).unwrap();
            for device in adapters() {
                let got = model.evidence(device, x.view(), y.view()).unwrap();
                let what = format!("{method:?}, noise {noise:e}, on {device}");
                assert_eq!(got.value, want.value, "{what}");
                let off = flat(&got).iter().zip(flat(&want)).fold(0f64, |m, (g, w)| m.max((g - w).abs()));
                let scale = flat(&want).iter().fold(0f64, |m, v| m.max(v.abs()));
                println!("{what}: gradient off by {:e}", off / scale);
                assert!(off <= 1e-2 * scale, "{what}: gradient off by {:e}", off / scale);
            }
        }
    }
}
