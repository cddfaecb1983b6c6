//! scikit-learn's `GaussianProcessClassifier` at fixed hyper-parameters: `tests/oracle/classify_sklearn.py`.

use mercer::models::gp::GpClassifier;
use mercer::{Device, Kernel};
use ndarray::Array2;
use serde_json::Value;

use crate::support::oracle::{list as vector, matrix};
use crate::{close, support};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../oracle/classify_sklearn.json")).unwrap()
}

/// What is classified, by which kernel.
fn data(case: &Value) -> (&str, GpClassifier, Array2<f64>, Vec<usize>, Array2<f64>) {
    let name = case["name"].as_str().unwrap();
    let kernel = match name {
        "wine" => 2.5 * Kernel::rbf([0.8, 1.5, 2.0]),
        _ => 4.0 * Kernel::matern52(1.2),
    };
    let y = vector(&case["y"]).into_iter().map(|v| v as usize).collect();
    (name, GpClassifier::new(kernel), matrix(&case["x"]), y, matrix(&case["new"]))
}

/// The probabilities of the classes: the integrals, of several classes divided by their sum.
fn probabilities(case: &Value) -> Array2<f64> {
    let parts: Vec<Vec<f64>> =
        case["parts"].as_array().unwrap().iter().map(|p| vector(&p["probability"])).collect();
    if let [yes] = &parts[..] {
        return Array2::from_shape_fn((yes.len(), 2), |(i, c)| if c == 1 { yes[i] } else { 1.0 - yes[i] });
    }
    let total = |i: usize| parts.iter().map(|p| p[i]).sum::<f64>();
    Array2::from_shape_fn((parts[0].len(), parts.len()), |(i, c)| parts[c][i] / total(i))
}

#[test]
fn scikit_learn() {
    for case in cases() {
        let (name, model, x, y, new) = data(&case);
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
        let exact = probabilities(&case);
        for i in 0..new.nrows() {
            for (c, part) in parts.iter().enumerate() {
                close(latent.mean[[i, c]], part["mean"][i].as_f64().unwrap(), 1e-8, name);
                close(latent.variance[[i, c]], part["variance"][i].as_f64().unwrap(), 1e-8, name);
            }
            for c in 0..fitted.classes().len() {
                close(proba[[i, c]], exact[[i, c]], 1e-8, name);
                // Theirs stand for the integral with five error functions.
                close(proba[[i, c]], theirs[[i, c]], 1e-3, name);
            }
        }
    }
}

#[test]
fn every_adapter_gives_the_f64_answer() {
    for gpu in support::gpus() {
        for case in cases() {
            let (name, model, x, y, new) = data(&case);
            let on = format!("{name} on {gpu}");
            let fitted = model.fit(gpu, x.view(), &y).unwrap();
            let latent = fitted.latent(new.view()).unwrap();
            let (mut evidence, mut slopes) = (0.0, vec![0.0; model.kernel().theta().len()]);
            for (c, part) in case["parts"].as_array().unwrap().iter().enumerate() {
                let (mean, variance) = (vector(&part["mean"]), vector(&part["variance"]));
                let scale = mean.iter().fold(0f64, |s, v| s.max(v.abs()));
                for i in 0..new.nrows() {
                    close(latent.mean[[i, c]], mean[i], 1e-6 * scale, &on);
                    // Each by itself: the small ones are the ones that f32 loses.
                    let std = variance[i].sqrt();
                    close(latent.variance[[i, c]].sqrt(), std, 1e-4 * std, &on);
                }
                evidence += part["lml"].as_f64().unwrap();
                slopes.iter_mut().zip(vector(&part["gradient"])).for_each(|(s, g)| *s += g);
            }
            close(fitted.log_evidence(), evidence, 1e-5 * evidence.abs(), &on);
            let searched = model.log_evidence(gpu, x.view(), &y).unwrap();
            close(searched.value, evidence, 1e-8, &on);
            searched.gradient.iter().zip(&slopes).for_each(|(g, s)| close(*g, *s, 1e-8, &on));
            let p = fitted.predict_proba(new.view()).unwrap();
            p.iter().zip(&probabilities(&case)).for_each(|(p, want)| close(*p, *want, 1e-5, &on));
        }
    }
}
