//! Independent cases in extended precision (`tests/oracle/accuracy.py`), held against the CPU and every adapter, which no problem
//! is too small for: means and solutions to 1e-6, variances to 1e-4, gradients of the evidence to 1e-5.

use mercer::models::gp::{GpClassifier, GpRegressor, Inducing, SparseGpRegressor};
use mercer::models::kernel_methods::{Falkon, KernelRidge};
use mercer::models::latent::Pca;
use mercer::models::linear::Ridge;
use mercer::{Device, Kernel};
use ndarray::{Array1, Array2, Axis};
use serde_json::Value;

use crate::{close, support};

const SOLUTION: f64 = 1e-6;
const VARIANCE: f64 = 1e-4;
const GRADIENT: f64 = 1e-5;

fn cases() -> Value {
    serde_json::from_str(include_str!("../oracle/accuracy.json")).unwrap()
}

fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn vector(v: &Value) -> Array1<f64> {
    Array1::from(list(v))
}

fn matrix(v: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(list).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

/// The CPU, and every adapter in both of its shapes.
fn devices() -> Vec<Device> {
    std::iter::once(Device::cpu()).chain(support::gpus().iter().cloned()).collect()
}

fn kernel(name: &str, p: &[f64]) -> Kernel {
    match name {
        "ard" => p[0] * Kernel::rbf([p[1], p[2], p[3]]),
        "matern32" => p[0] * Kernel::matern32(p[1]),
        "matern52" => p[0] * Kernel::matern52([p[1], p[2]]),
        "seasons" => Kernel::rbf(p[0]) * Kernel::periodic(p[1], p[2]),
        "co2" => {
            p[0] * Kernel::rbf(p[1])
                + p[2] * (Kernel::rbf(p[3]) * Kernel::periodic(p[4], p[5]))
                + p[6] * Kernel::rational_quadratic(p[7], p[8])
        }
        "polynomial" => Kernel::polynomial(3, p[0]),
        other => panic!("no kernel {other}"),
    }
}

/// Each by itself: the small ones are those that f32 loses.
#[track_caller]
fn each(got: &Array1<f64>, want: &Array1<f64>, tolerance: f64, what: &str) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * w.abs(), "{what}: [{i}] is {g}, should be {w}");
    }
}

#[test]
fn processes() {
    let all = cases();
    for case in all["processes"].as_array().unwrap() {
        let (x, y, new) = (matrix(&case["x"]), vector(&case["y"]), matrix(&case["new"]));
        let p = list(&case["parameters"]);
        let model = GpRegressor::new(kernel(case["kernel"].as_str().unwrap(), &p)).noise(p[p.len() - 1]);
        for device in devices() {
            let name = format!("{} on {device}", case["name"]);
            let fitted = model.fit(&device, &x, &y).unwrap();
            assert_eq!(fitted.device(), &device, "{name}: forced");
            let at = fitted.predict_latent(&new).unwrap();
            close(at.mean, list(&case["mean"]), SOLUTION, &format!("{name}: mean"));
            close(
                fitted.alpha().iter().copied(),
                list(&case["alpha"]),
                SOLUTION,
                &format!("{name}: solution"),
            );
            each(&at.variance, &vector(&case["variance"]), VARIANCE, &format!("{name}: variance"));
            let value = case["evidence"].as_f64().unwrap();
            // That of a fit has the determinant of its factor: in f32 a few digits of each observation's share.
            let share = (fitted.log_evidence() - value).abs() / y.len() as f64;
            assert!(
                share <= if device.is_gpu() { 1e-3 } else { 1e-9 },
                "{name}: evidence off by {share} a row"
            );
            let gradient = list(&case["gradient"]);
            let here = fitted.log_evidence_gradient().unwrap();
            close(here, gradient.clone(), GRADIENT, &format!("{name}: gradient"));
            let there = model.log_evidence(&device, &x, &y).unwrap();
            close(there.gradient, gradient, GRADIENT, &format!("{name}: gradient without a fit"));
            close([there.value], [value], 1e-9, &format!("{name}: evidence without a fit"));
        }
    }
}

/// The mean of a process is a kernel ridge regression whose penalty is the noise.
#[test]
fn kernel_ridges() {
    let all = cases();
    for case in all["processes"].as_array().unwrap() {
        let (x, y, new) = (matrix(&case["x"]), vector(&case["y"]), matrix(&case["new"]));
        let p = list(&case["parameters"]);
        let model = KernelRidge::new(kernel(case["kernel"].as_str().unwrap(), &p), p[p.len() - 1]);
        for device in devices() {
            let name = format!("{} on {device}", case["name"]);
            let fitted = model.fit(&device, &x, &y).unwrap();
            close(fitted.predict(&new).unwrap(), list(&case["mean"]), SOLUTION, &format!("{name}: mean"));
            let a = fitted.dual_coefficients().iter().copied();
            close(a, list(&case["alpha"]), SOLUTION, &format!("{name}: solution"));
        }
    }
}

#[test]
fn ridges() {
    let all = cases();
    for case in all["ridge"].as_array().unwrap() {
        let (x, y) = (matrix(&case["x"]), vector(&case["y"]));
        for device in devices() {
            let name = format!("{} on {device}", case["name"]);
            let fitted = Ridge::new(case["penalty"].as_f64().unwrap()).fit(&device, &x, &y).unwrap();
            let w = fitted.coefficients().iter().copied();
            close(w, list(&case["w"]), SOLUTION, &format!("{name}: w"));
            let want = case["b"].as_f64().unwrap();
            close(fitted.intercept().iter().copied(), [want], SOLUTION, &format!("{name}: b"));
        }
    }
}

#[test]
fn ridges_on_landmarks() {
    let all = &cases()["falkon"];
    let (x, y, new) = (matrix(&all["x"]), vector(&all["y"]), matrix(&all["new"]));
    let chosen: Vec<usize> = list(&all["chosen"]).iter().map(|i| *i as usize).collect();
    for case in all["cases"].as_array().unwrap() {
        for device in devices() {
            let penalty = case["penalty"].as_f64().unwrap();
            let model = Falkon::new(Kernel::rbf(1.1), penalty, 40);
            let fitted = model.fit(&device, &x, &y).unwrap();
            assert_eq!((fitted.indices(), fitted.jitter()), (&chosen[..], 0.0));
            let name = format!("penalty {penalty} on {device}");
            close(fitted.predict(&new).unwrap(), list(&case["mean"]), SOLUTION, &name);
        }
    }
}

#[test]
fn sparse_process() {
    let case = &cases()["sparse"];
    let (x, y, new) = (matrix(&case["x"]), vector(&case["y"]), matrix(&case["new"]));
    let model = SparseGpRegressor::new(1.3 * Kernel::rbf(0.9), Inducing::Given(matrix(&case["z"])))
        .noise(0.05)
        .jitter(0.0);
    for device in devices() {
        let found = model.evidence(&device, &x, &y).unwrap();
        let value = case["value"].as_f64().unwrap();
        close([found.value], [value], 1e-8, &format!("bound on {device}"));
        let by = found.by_params.iter().copied().chain([found.by_noise]);
        close(by, list(&case["by"]), GRADIENT, &format!("gradient on {device}"));
        let at = model.fit(&device, &x, &y).unwrap().predict_latent(&new).unwrap();
        close(at.mean, list(&case["mean"]), SOLUTION, &format!("mean on {device}"));
        each(&at.variance, &vector(&case["variance"]), VARIANCE, &format!("variance on {device}"));
    }
}

#[test]
fn classifier() {
    let case = &cases()["classifier"];
    let (x, new) = (matrix(&case["x"]), matrix(&case["new"]));
    let y: Vec<i64> = case["y"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
    let model = GpClassifier::new(2.5 * Kernel::rbf(1.2));
    for device in devices() {
        let found = model.log_evidence(&device, &x, y.as_slice()).unwrap();
        close([found.value], [case["value"].as_f64().unwrap()], 1e-8, &format!("evidence on {device}"));
        close(found.gradient, list(&case["gradient"]), GRADIENT, &format!("gradient on {device}"));
        let at = model.fit(&device, &x, y.as_slice()).unwrap().latent(&new).unwrap();
        close(at.mean, list(&case["mean"]), SOLUTION, &format!("mean on {device}"));
        let variance = at.variance.index_axis(Axis(1), 0).to_owned();
        each(&variance, &vector(&case["variance"]), VARIANCE, &format!("variance on {device}"));
    }
}

#[test]
fn principal_components() {
    let all = cases();
    for case in all["pca"].as_array().unwrap() {
        let x = matrix(&case["x"]);
        for device in devices() {
            let name = format!("{} on {device}", case["name"]);
            let pca = Pca::new(3).fit(&device, &x).unwrap();
            let variance = pca.explained_variance().iter().copied();
            close(variance, list(&case["variance"]), SOLUTION, &format!("{name}: variances"));
            let components = pca.components().iter().copied();
            close(components, matrix(&case["components"]), SOLUTION, &format!("{name}: components"));
        }
    }
}
