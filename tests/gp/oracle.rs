//! scikit-learn's means, standard deviations, covariances, evidence and its gradient (`tests/oracle/gp_regression.py`).

use mercer::linalg::Noise;
use mercer::models::gp::{FittedGp, GpRegressor, Predictive};
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::support::oracle::{list, matrix};
use crate::{close, support};

pub struct Case {
    pub name: String,
    pub model: GpRegressor,
    pub x: Array2<f64>,
    pub y: Array2<f64>,
    pub new: Array2<f64>,
    pub mean: Vec<f64>,
    pub std: Vec<f64>,
    pub covariance: Vec<f64>,
    pub lml: f64,
    pub gradient: Vec<f64>,
}

fn kernel(name: &str) -> Kernel {
    match name {
        "rbf" => Kernel::rbf(0.9),
        "ard" => 1.7 * Kernel::rbf([0.8, 2.5, 40.0]),
        "matern52" => 2.2 * Kernel::matern52([1.1, 1.9]),
        "composite" => {
            2.0 * Kernel::rbf(6.0)
                + 0.8 * (Kernel::rbf(9.0) * Kernel::periodic(1.3, 3.7))
                + 0.3 * Kernel::rational_quadratic(1.2, 0.7)
        }
        "linear" => 0.6 * Kernel::matern32([1.5, 0.7]) + Kernel::constant(0.64) + Kernel::linear(),
        "matern12" => Kernel::matern12(2.0),
        "noises" => 1.5 * Kernel::rbf(1.1),
        other => panic!("no kernel for {other}"),
    }
}

pub fn cases() -> Vec<Case> {
    let all: Value = serde_json::from_str(include_str!("../oracle/gp_regression.json")).unwrap();
    let each = all["cases"].as_array().unwrap().iter().map(|c| {
        let name = c["name"].as_str().unwrap().to_owned();
        let noise = match list(&c["noise"]).as_slice() {
            [one] => Noise::Same(*one),
            many => Noise::Each(many.to_vec()),
        };
        Case {
            model: GpRegressor::new(kernel(&name)).noise(noise),
            name,
            x: matrix(&c["x"]),
            y: matrix(&c["y"]),
            new: matrix(&c["new"]),
            mean: list(&c["mean"]),
            std: list(&c["std"]),
            covariance: list(&c["covariance"]),
            lml: c["lml"].as_f64().unwrap(),
            gradient: list(&c["gradient"]),
        }
    });
    each.collect()
}

impl Case {
    fn fit(&self, device: &Device) -> FittedGp {
        self.model.fit(device, self.x.view(), self.y.view()).unwrap()
    }
}

#[test]
fn scikit_learn_on_the_cpu() {
    for case in cases() {
        let name = &case.name;
        let fitted = case.fit(&Device::cpu());
        let p = fitted.predict_with(case.new.view(), Predictive::Latent).unwrap();
        close(p.mean.iter().copied(), case.mean.clone(), 1e-8, &format!("{name}: mean"));
        close(p.std(), case.std.clone(), 1e-8, &format!("{name}: std"));
        let joint = fitted.predict_joint(case.new.view(), Predictive::Latent).unwrap();
        close(joint.covariance, case.covariance.clone(), 1e-8, &format!("{name}: covariance"));
        close([fitted.log_evidence()], [case.lml], 1e-8, &format!("{name}: evidence"));
        let gradient = fitted.log_evidence_gradient().unwrap();
        close(gradient, case.gradient.clone(), 1e-8, &format!("{name}: gradient"));
        assert_eq!(fitted.jitter(), 0.0);
        assert!(fitted.report().certificate.backward_error < 1e-15 && fitted.condition().unwrap() > 1.0);
    }
}

#[test]
fn every_adapter_gives_the_f64_answer() {
    for device in support::gpus() {
        for case in cases() {
            let name = format!("{} on {device}", case.name);
            let fitted = case.fit(device);
            let p = fitted.predict_with(case.new.view(), Predictive::Latent).unwrap();
            close(p.mean.iter().copied(), case.mean.clone(), 1e-6, &format!("{name}: mean"));
            for (i, (got, want)) in p.std().iter().zip(&case.std).enumerate() {
                // Each by itself: the small ones are the ones that f32 loses.
                let off = (got - want).abs() / want;
                assert!(off <= 1e-4, "{name}: std[{i}] is {got}, should be {want} ({off:e})");
            }
            let joint = fitted.predict_joint(case.new.view(), Predictive::Latent).unwrap();
            close(joint.covariance, case.covariance.clone(), 1e-6, &format!("{name}: covariance"));
            close([fitted.log_evidence()], [case.lml], 1e-4, &format!("{name}: evidence"));
            let gradient = fitted.log_evidence_gradient().unwrap();
            close(gradient, case.gradient.clone(), 1e-5, &format!("{name}: gradient"));
        }
    }
}
