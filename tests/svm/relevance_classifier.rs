//! Sparse Bayesian classification: the conditions of its optimum, and a straightforward implementation of its definition.

use mercer::learn::links::sigmoid;
use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};
use serde_json::Value;

use crate::support::oracle::{counts, labels, list, matrix};
use crate::support::random;
use crate::{all_near, cpu, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/relevance_classifier.json")).unwrap()
}

/// Columns, precisions, weights, evidence and probabilities of dense matrices in the space of observations.
#[test]
fn what_the_definition_finds() {
    let all = numbers();
    let (x, y, new) = (matrix(&all["x"]), labels(&all["y"]), matrix(&all["new"]));
    for case in all["cases"].as_array().unwrap() {
        let kernel = Kernel::rbf(case["width"].as_f64().unwrap());
        let fit = RelevanceVectorClassifier::new(kernel).tolerance(1e-9).fit(&cpu(), &x, &y).unwrap();
        assert!(fit.report().converged());
        let first = usize::from(fit.has_constant());
        let columns: Vec<usize> = (0..first).chain(fit.relevance().iter().map(|i| i + 1)).collect();
        let want: Vec<usize> = counts(&case["columns"]);
        assert_eq!(columns, want);
        let ratio: Array1<f64> = fit.precisions() / &Array1::from(list(&case["precisions"]));
        assert!(ratio.iter().all(|r| (r - 1.0).abs() < 1e-5), "{ratio}");
        let (weights, size) = (list(&case["weights"]), fit.coefficients().mapv(f64::abs).sum());
        all_near(fit.coefficients(), &weights, 1e-6 * size, "weights");
        near(fit.log_evidence(), case["log_evidence"].as_f64().unwrap(), 1e-8, "evidence");
        let p = fit.predict_proba(&new).unwrap();
        all_near(p.column(1), &list(&case["probabilities"]), 1e-6, "probabilities");
    }
}

/// At the mode `Φᵀ(t - σ) = Aw`; at the optimum `α_i w_i² = 1 - α_i Σ_ii`; and no point outside would raise the evidence: its
/// squared quality is below its sparsity.
#[test]
fn the_conditions_of_the_optimum() {
    let all = numbers();
    let (x, y) = (matrix(&all["x"]), labels(&all["y"]));
    let kernel = Kernel::rbf(0.4);
    let fit = RelevanceVectorClassifier::new(kernel.clone()).tolerance(1e-9).fit(&cpu(), &x, &y).unwrap();
    assert!(fit.relevance().len() <= 8, "{:?}", fit.relevance());
    let n = x.nrows();
    let column = |j: usize| -> Array1<f64> {
        let at = |i: usize| match j {
            0 => 1.0,
            j => kernel.value(&x.row(i).to_vec(), &x.row(j - 1).to_vec()).unwrap(),
        };
        (0..n).map(at).collect()
    };
    let first = usize::from(fit.has_constant());
    let used: Vec<usize> = (0..first).chain(fit.relevance().iter().map(|i| i + 1)).collect();
    let phi = Array2::from_shape_fn((n, used.len()), |(i, c)| column(used[c])[i]);
    let scores = phi.dot(fit.coefficients());
    let slope: Array1<f64> = (0..n).map(|i| y[i] as f64 - sigmoid(scores[i])).collect();
    let b = scores.mapv(|a| sigmoid(a) * sigmoid(-a));
    let gradient = phi.t().dot(&slope) - fit.precisions() * fit.coefficients();
    assert!(gradient.iter().all(|g| g.abs() < 1e-7), "{gradient}");
    for i in 0..used.len() {
        let (a, w, s) = (fit.precisions()[i], fit.coefficients()[i], fit.covariance()[[i, i]]);
        near(a * w * w, 1.0 - a * s, 1e-6, "the fixed point");
    }
    let curved = &phi * &b.view().insert_axis(Axis(1));
    let inverse = fit.covariance().dot(&(phi.t().dot(&curved) + Array2::from_diag(fit.precisions())));
    all_near(&inverse, Array2::<f64>::eye(used.len()).as_slice().unwrap(), 1e-8, "the covariance");
    for j in (0..=n).filter(|j| !used.contains(j)) {
        let own = column(j);
        let cross = curved.t().dot(&own);
        let s = (&own * &own).dot(&b) - cross.dot(&fit.covariance().dot(&cross));
        assert!(own.dot(&slope).powi(2) <= s * (1.0 + 1e-4), "column {j} would raise the evidence");
    }
}

#[test]
fn few_points_are_enough_and_labels_come_back() {
    let x = random(200, 2, 5) * 2.0;
    let y: Vec<&str> =
        x.rows().into_iter().map(|r| if r[1] > (2.0 * r[0]).sin() { "above" } else { "below" }).collect();
    let fit = RelevanceVectorClassifier::new(Kernel::rbf(0.8)).fit(&cpu(), &x, &y).unwrap();
    assert_eq!(fit.classes(), ["above", "below"]);
    let said = fit.predict(&x).unwrap();
    let right = said.iter().zip(&y).filter(|(a, b)| a == b).count();
    assert!(right >= 190 && fit.relevance().len() <= 25, "{right} right by {}", fit.relevance().len());
    let machine = SvmClassifier::new(Kernel::rbf(0.8), 1.0).fit(&cpu(), &x, &y).unwrap();
    assert!(3 * fit.relevance().len() < machine.support().len());
    // The variance of the log-odds is that of the weights, and far away only the constant is left.
    let (mean, variance) = fit.decision_with_variance(array![[0.1, 0.3], [90.0, 0.0]]).unwrap();
    assert!(variance[0] > 0.0 && (mean[0] - fit.decision(array![[0.1, 0.3]]).unwrap()[[0, 0]]).abs() < 1e-12);
    let constant = if fit.has_constant() { fit.coefficients()[0] } else { 0.0 };
    near(mean[1], constant, 1e-12, "far away");
}

#[test]
fn three_classes_one_against_the_rest_and_bad_input() {
    let centres = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]];
    let noise = random(90, 2, 6);
    let x = Array2::from_shape_fn((90, 2), |(i, j)| centres[i % 3][j] + noise[[i, j]]);
    let y: Vec<usize> = (0..90).map(|i| i % 3).collect();
    let model = RelevanceVectorClassifier::new(Kernel::rbf(1.5));
    assert!(matches!(model.fit(&cpu(), &x, &y), Err(Error::Shape { .. })));
    let all = OneVsRest::new(model.clone()).fit(&cpu(), &x, &y).unwrap();
    let right = all.predict(&x).unwrap().iter().zip(&y).filter(|(a, b)| a == b).count();
    assert!(right >= 88, "{right}");
    let one = vec![1; 90];
    assert!(model.fit(&cpu(), &x, &one).is_err());
    let two: Vec<bool> = y.iter().map(|k| *k == 0).collect();
    assert!(model.clone().tolerance(0.0).fit(&cpu(), &x, &two).is_err());
    // Equal points of both classes: nothing is known of them, and that is what it says.
    let same = Array2::<f64>::zeros((10, 2));
    let half: Vec<bool> = (0..10).map(|i| i % 2 == 0).collect();
    let p = model.fit(&cpu(), &same, &half).unwrap().predict_proba(&same).unwrap();
    assert!(p.iter().all(|p| (p - 0.5).abs() < 1e-6));
}
