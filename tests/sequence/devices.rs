//! Baum-Welch on a device: the likelihood and the parameters of the CPU, one submission an iteration.

use mercer::models::sequence::{Emission, Emissions, FittedHiddenMarkov, HiddenMarkov};
use ndarray::{Array2, Array3, array};

use crate::support::{alone, cost, gpus};

fn symbols() -> FittedHiddenMarkov {
    let b = array![[0.7, 0.1, 0.1, 0.05, 0.05], [0.05, 0.05, 0.1, 0.1, 0.7], [0.1, 0.4, 0.4, 0.1, 0.0]];
    let a = array![[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.1, 0.7]];
    FittedHiddenMarkov::new(array![0.5, 0.3, 0.2], a, Emission::Discrete(b)).unwrap()
}

/// Far from the origin, with narrow states.
fn vectors() -> FittedHiddenMarkov {
    let means = array![[1000.0, -50.0], [1003.0, -48.0], [998.0, -53.0]];
    let covariances = Array3::from_shape_fn((3, 2, 2), |(k, i, j)| {
        let own = array![[0.3, 0.1], [0.1, 0.2]];
        own[[i, j]] * (1.0 + k as f64)
    });
    let a = array![[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.1, 0.6]];
    FittedHiddenMarkov::new(array![0.4, 0.4, 0.2], a, Emission::Gaussian { means, covariances }).unwrap()
}

/// Sequences of many lengths, one of a single observation.
fn drawn(from: &FittedHiddenMarkov) -> Vec<Array2<f64>> {
    (0..12).map(|s| from.sample(1 + 17 * s, s as u64).unwrap().0).collect()
}

/// A start that is not where the data come from.
fn disturbed(of: &FittedHiddenMarkov) -> FittedHiddenMarkov {
    let mixed = |p: &Array2<f64>| p * 0.7 + 0.3 / p.ncols() as f64;
    let emission = match of.emission() {
        Emission::Discrete(b) => Emission::Discrete(mixed(b)),
        Emission::Gaussian { means, covariances } => {
            Emission::Gaussian { means: means + 0.4, covariances: covariances * 1.5 }
        }
        other => other.clone(),
    };
    FittedHiddenMarkov::new(of.initial() * 0.7 + 0.1, mixed(of.transition()), emission).unwrap()
}

fn parameters(of: &FittedHiddenMarkov) -> Vec<f64> {
    let mut all: Vec<f64> = of.initial().iter().chain(of.transition()).copied().collect();
    match of.emission() {
        Emission::Discrete(b) => all.extend(b),
        Emission::Gaussian { means, covariances } => all.extend(means.iter().chain(covariances)),
        _ => {}
    }
    all
}

fn off(got: &FittedHiddenMarkov, want: &FittedHiddenMarkov) -> f64 {
    let pairs = parameters(got).into_iter().zip(parameters(want));
    pairs.fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs() / (1.0 + b.abs())))
}

/// A few iterations are those of the CPU to f32's rounding, and the end is judged in f64.
#[test]
fn an_iteration_is_that_of_the_cpu() {
    for (truth, emissions) in
        [(symbols(), Emissions::Discrete { symbols: 5 }), (vectors(), Emissions::Gaussian)]
    {
        let x = drawn(&truth);
        let model = HiddenMarkov::new(3, emissions).start(disturbed(&truth));
        let few = model.clone().max_iterations(4).tolerance(0.0);
        let want = few.learn(&x).unwrap();
        let end = model.clone().max_iterations(60).tolerance(1e-6).learn(&x).unwrap();
        for device in gpus() {
            let what = format!("{emissions:?} on {device}");
            let got = few.clone().on(device).learn(&x).unwrap();
            let worst = off(&got, &want);
            assert!(worst < 1e-4 && worst > 0.0, "{what}: {worst:e}");
            let logs = got.report().trace.iter().zip(&want.report().trace);
            assert!(logs.clone().all(|(a, b)| (a - b).abs() < 1e-5 * b.abs()), "{what}");
            let got = model.clone().max_iterations(60).tolerance(1e-6).on(device).learn(&x).unwrap();
            let (a, b) = (got.report().objective(), end.report().objective());
            assert!((a - b).abs() < 1e-6 * b.abs(), "{what}: {a} against {b}");
            // Judged in f64: what the report says is the likelihood of the parameters.
            let own: f64 = x.iter().map(|x| got.log_likelihood(x).unwrap()).sum();
            assert!((own - a).abs() < 1e-3 + 1e-9 * a.abs(), "{what}: {own} against {a}");
        }
    }
}

/// An iteration is one submission: parameters go up, expected counts come down.
#[test]
fn an_iteration_is_one_submission() {
    for (truth, emissions) in
        [(symbols(), Emissions::Discrete { symbols: 5 }), (vectors(), Emissions::Gaussian)]
    {
        let x = drawn(&truth);
        for device in alone() {
            let cost = |iterations: usize| {
                let model = HiddenMarkov::new(3, emissions).start(disturbed(&truth)).tolerance(0.0);
                cost(&device, || model.max_iterations(iterations).on(&device).learn(&x).unwrap()).0
            };
            cost(2);
            let (two, six) = (cost(2), cost(6));
            let [launches, submissions, up, down] = [0, 1, 2, 3].map(|i| (six[i] - two[i]) / 4);
            let what = format!("{emissions:?} on {device}");
            println!("{what}: {launches} launches, {submissions} submissions, {up} bytes up, {down} down");
            assert_eq!(submissions, 1, "{what}");
            assert!(launches <= 24, "{what}: {launches} launches");
            assert!(up <= 400 && down <= 1600, "{what}: {up} bytes up, {down} down");
        }
    }
}

/// What the device does not take: missing observations, mixtures, and a step beyond f32.
#[test]
fn what_the_device_cannot_do_the_cpu_does() {
    let mut x = drawn(&vectors());
    x[5].row_mut(3).fill(f64::NAN);
    let missing = HiddenMarkov::new(3, Emissions::Gaussian).start(disturbed(&vectors())).allow_missing(true);
    let mixture = HiddenMarkov::new(2, Emissions::Mixture { components: 2 }).max_iterations(3).seed(1);
    let whole = drawn(&vectors());
    // Observations so sure that the others' probabilities are beyond f32.
    let sure = FittedHiddenMarkov::new(
        array![1.0, 0.0],
        array![[1.0 - 1e-30, 1e-30], [0.0, 1.0]],
        Emission::Discrete(array![[1.0, 0.0], [0.0, 1.0]]),
    )
    .unwrap();
    let step = vec![array![[0.0], [0.0], [1.0], [1.0]]];
    let rare = HiddenMarkov::new(2, Emissions::Discrete { symbols: 2 }).start(sure).max_iterations(2);
    for device in gpus() {
        let same = |a: FittedHiddenMarkov, b: FittedHiddenMarkov| assert!(off(&a, &b) < 1e-6, "on {device}");
        let few = missing.clone().max_iterations(3);
        same(few.clone().on(device).learn(&x).unwrap(), few.learn(&x).unwrap());
        same(mixture.clone().on(device).learn(&whole).unwrap(), mixture.learn(&whole).unwrap());
        same(rare.clone().on(device).learn(&step).unwrap(), rare.learn(&step).unwrap());
    }
}
