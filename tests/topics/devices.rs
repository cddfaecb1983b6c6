//! Topics on a device: the bound and the topics of the CPU, one submission a sweep, and what f32 cannot carry on the CPU.

use mercer::models::topics::{TopicModel, word_counts};
use mercer::prelude::*;
use ndarray::Array2;

use crate::support::{alone, cost, gpus};

fn corpus() -> Array2<f64> {
    let lengths: Vec<usize> = (0..60).map(|d| 30 + d % 17).collect();
    let made = TopicModel::new(4).alpha(0.2).eta(0.1).generate(80, &lengths, 5).unwrap();
    word_counts(&made.documents, 80).unwrap()
}

/// Iteration by iteration, and at the end where both have converged.
#[test]
fn the_bound_is_that_of_the_cpu() {
    let x = corpus();
    let model = TopicModel::new(4).alpha(0.3).eta(0.2).seed(2);
    let few = model.clone().max_iterations(6).tolerance(0.0);
    let want = few.fit(&Device::cpu(), &x).unwrap();
    let end = model.fit(&Device::cpu(), &x).unwrap();
    for device in gpus() {
        let got = few.fit(device, &x).unwrap();
        for (got, want) in got.report().trace.iter().zip(&want.report().trace) {
            assert!((got - want).abs() <= 1e-5 * want.abs(), "{got} is not {want} on {device}");
        }
        let off = (got.topics() - want.topics()).mapv(f64::abs).fold(0.0, |m, v| f64::max(m, *v));
        assert!(off < 1e-4 && off > 0.0, "topics off by {off:e} on {device}");
        let got = model.fit(device, &x).unwrap();
        assert!(got.report().converged());
        let (got, want) = (got.report().objective(), end.report().objective());
        assert!((got - want).abs() <= 1e-5 * want.abs(), "{got} is not {want} on {device}");
    }
}

/// The bound never falls by more than rounding to f32 moves it.
#[test]
fn the_bound_does_not_fall() {
    let x = corpus();
    for device in gpus() {
        let fitted = TopicModel::new(5).seed(3).fit(device, &x).unwrap();
        let trace = &fitted.report().trace;
        assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-6 * w[0].abs()), "{trace:?} on {device}");
        assert_eq!(
            fitted.lambda(),
            TopicModel::new(5).seed(3).fit(device, &x).unwrap().lambda(),
            "the same bits on {device}"
        );
    }
}

/// An iteration is one submission; nothing goes up, and λ, γ and the entropies come down.
#[test]
fn a_sweep_is_one_submission() {
    let x = corpus();
    for device in alone() {
        let cost = |iterations: usize| {
            let model = TopicModel::new(4).seed(2).max_iterations(iterations).tolerance(0.0);
            let (spent, fitted) = cost(&device, || model.fit(&device, &x).unwrap());
            assert_eq!(fitted.report().trace.len(), iterations);
            spent
        };
        cost(2);
        let (two, six) = (cost(2), cost(6));
        let [launches, submissions, up, down] = [0, 1, 2, 3].map(|i| (six[i] - two[i]) / 4);
        println!("{device}: {launches} launches, {submissions} submissions, {up} bytes up, {down} down");
        assert!(launches <= 6, "{launches} launches on {device}");
        assert_eq!(submissions, 1, "on {device}");
        assert_eq!(up, 0, "on {device}");
        assert_eq!(down, 4 * (80 * 4 + 60 * 4 + 60), "on {device}");
    }
}

/// Priors so small that the words of topics lie beyond f32: the CPU goes on.
#[test]
fn what_f32_cannot_carry_ends_on_the_cpu() {
    let x = corpus();
    let model = TopicModel::new(4).alpha(1e-3).eta(1e-3).seed(2).max_iterations(30);
    let want = model.fit(&Device::cpu(), &x).unwrap();
    for device in gpus() {
        let got = model.fit(device, &x).unwrap();
        let (a, b) = (got.report().objective(), want.report().objective());
        // Tiny priors have many optima: rounding may choose another, as good as this one.
        assert!(a.is_finite() && (a - b).abs() <= 0.05 * b.abs(), "{a} against {b} on {device}");
    }
}
