//! Against LIBSVM, by numbers that `tests/oracle/svm_sklearn.py` made.

use mercer::prelude::*;
use ndarray::{Array1, s};
use serde_json::Value;

use crate::support::oracle::{labels, list as vector, matrix};
use crate::{all_near, cpu, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/svm_sklearn.json")).unwrap()
}

#[test]
fn classification() {
    let all = numbers();
    for case in all["classify"].as_array().unwrap() {
        let data = &all["data"][case["data"].as_str().unwrap()];
        let (x, y) = (matrix(&data["x"]), labels(&data["y"]));
        let n = case["train"].as_u64().unwrap() as usize;
        let (value, length) = (case["value"].as_f64().unwrap(), case["length"].as_f64().unwrap());
        let kernel = if case["kernel"] == "rbf" { Kernel::rbf(length) } else { Kernel::linear() };
        let hinge = case["kind"] == "c";
        let model = if hinge { SvmClassifier::new(kernel, value) } else { SvmClassifier::nu(kernel, value) };
        let fitted = model.tolerance(1e-8).fit(&cpu(), x.slice(s![..n, ..]), &y[..n]).unwrap();
        let what = format!("{} {} {} {value}", case["data"], case["kernel"], case["kind"]);
        assert_eq!(fitted.predict(x.slice(s![n.., ..])).unwrap(), labels(&case["predictions"]), "{what}");
        // Every machine: how many support vectors, and its dual: Σ|a| - ½ aᵀKa, or -½ρ² aᵀKa where ρ has divided a.
        let pairs = case["pairs"].as_array().unwrap();
        assert_eq!(fitted.certificates().len(), pairs.len());
        for (k, (proof, pair)) in fitted.certificates().iter().zip(pairs).enumerate() {
            assert!(proof.violation <= 1e-8 && !proof.stalled, "{what}: {proof}");
            let pair = vector(pair);
            near(proof.support as f64, pair[0], 0.0, &what);
            let dual = if hinge { pair[2] } else { -0.5 * fitted.margin()[k].powi(2) * pair[1] };
            near(proof.dual, dual, 1e-6 * dual.abs(), &what);
            if hinge {
                // A violation costs at most itself for every observation, at the price C.
                assert!(proof.gap() <= value * n as f64 * proof.violation + 1e-9, "{what}: {proof}");
            }
        }
        if case["decision"].is_array() {
            all_near(fitted.intercept(), &vector(&case["intercept"]), 1e-5, &what);
            let scale = vector(&case["decision"]).iter().fold(1.0, |m: f64, v| m.max(v.abs()));
            all_near(
                &fitted.decision(x.slice(s![n.., ..])).unwrap(),
                &vector(&case["decision"]),
                1e-5 * scale,
                &what,
            );
            let support: Vec<f64> = fitted.support().iter().map(|i| *i as f64).collect();
            let mut want = vector(&case["support"]);
            want.sort_by(f64::total_cmp);
            assert_eq!(support, want, "{what}");
        }
    }
}

#[test]
fn regression() {
    let all = numbers();
    let (x, y, w) = (matrix(&all["curve"]["x"]), vector(&all["curve"]["y"]), vector(&all["curve"]["w"]));
    let (train, y) = (x.slice(s![..40, ..]), Array1::from(y));
    for case in all["regress"].as_array().unwrap() {
        let value = case["value"].as_f64().unwrap();
        let model = if case["kind"] == "nu" {
            SvmRegressor::nu(Kernel::rbf(1.0), 3.0, value)
        } else {
            SvmRegressor::new(Kernel::rbf(1.0), 3.0, value)
        };
        let model = model.tolerance(1e-9);
        let fitted = if case["weighted"].as_bool().unwrap() {
            model.fit_weighted(&cpu(), train, y.slice(s![..40]), &w[..40]).unwrap()
        } else {
            model.fit(&cpu(), train, y.slice(s![..40])).unwrap()
        };
        let what = format!("{} {value}", case["kind"]);
        all_near(&fitted.predict(x.slice(s![40.., ..])).unwrap(), &vector(&case["predictions"]), 1e-6, &what);
        near(fitted.intercept()[0], case["intercept"].as_f64().unwrap(), 1e-6, &what);
        let proof = &fitted.certificates()[0];
        assert!(proof.gap().abs() < 1e-6 * proof.primal, "{what}: {proof}");
        let dual = case["dual"].as_f64().unwrap();
        near(proof.dual, dual, 1e-6 * dual.abs(), &what);
    }
}

#[test]
fn one_class() {
    let all = numbers();
    let x = matrix(&all["curve"]["x"]);
    for case in all["one_class"].as_array().unwrap() {
        let model = OneClassSvm::new(Kernel::rbf(1.0), case["nu"].as_f64().unwrap()).tolerance(1e-10);
        let fitted = model.fit(&cpu(), &x).unwrap();
        near(fitted.threshold(), case["threshold"].as_f64().unwrap(), 1e-7, "rho");
        all_near(&fitted.decision(&x).unwrap(), &vector(&case["decision"]), 1e-6, "decision");
        let proof = fitted.certificate();
        let dual = case["dual"].as_f64().unwrap();
        near(proof.dual, dual, 1e-6 * dual.abs(), "dual");
        assert!(proof.gap().abs() < 1e-6 * proof.primal.abs(), "{proof}");
    }
}
