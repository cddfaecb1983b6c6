//! scikit-learn's `GaussianProcessClassifier` at fixed hyper-parameters: `tests/oracle/classify_sklearn.py`.

use mercer::models::gp::GpClassifier;
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::close;

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../oracle/classify_sklearn.json")).unwrap()
}

fn vector(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn matrix(v: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = v.as_array().unwrap().iter().map(vector).collect();
    Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
}

#[test]
fn scikit_learn() {
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        let (x, new) = (matrix(&case["x"]), matrix(&case["new"]));
        let y: Vec<usize> = vector(&case["y"]).into_iter().map(|v| v as usize).collect();
        let kernel = match name {
            "wine" => 2.5 * Kernel::rbf([0.8, 1.5, 2.0]),
            _ => 4.0 * Kernel::matern52(1.2),
        };
        let model = GpClassifier::new(kernel);
        let fitted = model.fit(&Device::cpu(), x.view(), &y).unwrap();
        let parts = case["parts"].as_array().unwrap();
        assert_eq!(parts.len(), fitted.modes().len());
        let sum = |what: &dyn Fn(&Value) -> f64| parts.iter().map(what).sum::<f64>();
        close(fitted.log_evidence(), sum(&|p| p["lml"].as_f64().unwrap()), 1e-8, name);
        let gradient = model.log_evidence(&Device::cpu(), x.view(), &y).unwrap().gradient;
        for (j, g) in gradient.iter().enumerate() {
            close(*g, sum(&|p| p["gradient"][j].as_f64().unwrap()), 1e-8, name);
        }
        let latent = fitted.latent(new.view()).unwrap();
        let proba = fitted.predict_proba(new.view()).unwrap();
        let theirs = matrix(&case["theirs"]);
        let exact: Vec<Vec<f64>> = parts.iter().map(|p| vector(&p["probability"])).collect();
        for i in 0..new.nrows() {
            for (c, part) in parts.iter().enumerate() {
                close(latent.mean[[i, c]], part["mean"][i].as_f64().unwrap(), 1e-8, name);
                close(latent.variance[[i, c]], part["variance"][i].as_f64().unwrap(), 1e-8, name);
            }
            if parts.len() == 1 {
                close(proba[[i, 1]], exact[0][i], 1e-8, name);
            } else {
                let total: f64 = exact.iter().map(|p| p[i]).sum();
                exact.iter().enumerate().for_each(|(c, p)| close(proba[[i, c]], p[i] / total, 1e-8, name));
            }
            for c in 0..fitted.classes().len() {
                // Theirs stand for the integral with five error functions.
                close(proba[[i, c]], theirs[[i, c]], 1e-3, name);
            }
        }
    }
}
