//! Labels of any kind, scores, and what crosses to a device.

use mercer::prelude::*;

use crate::ring;
use crate::support::{alone, random};

#[test]
fn labels_come_back_as_they_went_in() {
    let (x, labels) = ring(60, 1);
    let names: Vec<&str> = labels.iter().map(|l| ["outside", "inside"][*l]).collect();
    let model = GpClassifier::new(4.0 * Kernel::rbf(0.9));
    let fitted = model.fit(&Device::cpu(), &x, &names).unwrap();
    assert_eq!(fitted.classes(), ["inside", "outside"]);
    let said: Vec<&str> = fitted.predict(&x).unwrap();
    let right = said.iter().zip(&names).filter(|(a, b)| a == b).count();
    assert_eq!(fitted.score(&x, &names).unwrap(), right as f64 / 60.0);
    let truth: Vec<bool> = labels.iter().map(|l| *l == 1).collect();
    let flags = model.fit(&Device::cpu(), x.mapv(|v| v as f32), &truth).unwrap();
    assert_eq!(flags.classes(), [false, true]);
    // The second class speaks by positive values, under every likelihood.
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let fitted = model.clone().likelihood(likelihood).fit(&Device::cpu(), &x, &truth).unwrap();
        let (decision, said) = (fitted.decision(&x).unwrap(), fitted.predict(&x).unwrap());
        assert_eq!(decision.dim(), (60, 1));
        assert!(decision.iter().zip(said).all(|(d, said)| (*d > 0.0) == said || d.abs() < 0.05));
        let clone = fitted.clone();
        assert_eq!(clone.predict_proba(&x).unwrap(), fitted.predict_proba(&x).unwrap());
    }
}

/// K is made where it is used, and stays: a step of Newton's method sends n numbers, not n².
#[test]
fn a_newton_step_takes_no_matrix_across() {
    let n = 300;
    let x = random(n, 2, 5) * 2.0;
    let labels: Vec<usize> = (0..n).map(|i| usize::from(x[[i, 0]] * x[[i, 1]] > 0.1)).collect();
    for gpu in &alone() {
        for likelihood in [Likelihood::Logistic, Likelihood::Probit] {
            let model = GpClassifier::new(20.0 * Kernel::rbf(0.7)).likelihood(likelihood);
            let before = gpu.counters();
            let fitted = model.fit(gpu, &x, &labels).unwrap();
            let after = gpu.counters();
            let steps = fitted.newton_traces()[0].len() as u64 - 1;
            let (up, down) = (after.bytes_up - before.bytes_up, after.bytes_down - before.bytes_down);
            assert!(fitted.device().is_gpu() && steps >= 4 && after.dispatches > before.dispatches);
            // A column of f32 takes 16 bytes a row; x, and for each step the root twice and a right-hand side.
            assert!(up <= (n as u64) * 16 * (1 + 4 * (steps + 2)), "{gpu}: {up} bytes up in {steps} steps");
            assert!(down <= (n as u64) * 16 * (steps + 4), "{gpu}: {down} bytes down in {steps} steps");
        }
    }
}
