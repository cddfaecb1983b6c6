//! Hyper-parameters.

use std::ops::ControlFlow;

use mercer::models::gp::{GpClassifier, Likelihood};
use mercer::optim::{Minimiser, Stop};
use mercer::{Device, Error, Kernel, Progress};
use ndarray::Array2;

use crate::support::{adapters, random};

/// A boundary across the first feature; the second means nothing.
fn stripes(n: usize, seed: u64) -> (Array2<f64>, Vec<usize>) {
    let x = random(n, 2, seed) * 3.0;
    let labels = (0..n).map(|i| usize::from(((1.4 * x[[i, 0]]).sin() > 0.0) != (i % 17 == 4))).collect();
    (x, labels)
}

#[test]
fn the_search_raises_the_evidence_and_switches_an_irrelevant_feature_off() {
    let (x, labels) = stripes(90, 70);
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let start = 1.0 * Kernel::rbf([1.0, 1.0]);
        let model = GpClassifier::new(start).likelihood(likelihood).optimise(Minimiser::default());
        let before = model.log_evidence(&Device::cpu(), x.view(), &labels).unwrap().value;
        let fitted = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        assert!(fitted.log_evidence() > before + 1.0, "{} from {before}", fitted.log_evidence());
        let [found] = fitted.searches() else { panic!("one search") };
        assert!(matches!(found.stop, Stop::Gradient | Stop::Value), "{:?}", found.stop);
        assert!((found.value + fitted.log_evidence()).abs() < 1e-9);
        let kernel = fitted.kernels()[0];
        let lengths: Vec<f64> = kernel.params()[1..].iter().map(|p| p.value).collect();
        assert!(lengths[1] > 5.0 * lengths[0], "{likelihood:?}: {lengths:?}");
    }
}

#[test]
fn adapters_find_the_same_optimum() {
    let (x, labels) = stripes(60, 73);
    let new = random(30, 2, 74) * 3.0;
    for likelihood in [Likelihood::Logistic, Likelihood::Probit, Likelihood::Softmax] {
        let start = 1.0 * Kernel::rbf([1.0, 1.0]);
        let model = GpClassifier::new(start).likelihood(likelihood).optimise(Minimiser::default());
        let want = model.fit(&Device::cpu(), x.view(), &labels).unwrap();
        let p = want.predict_proba(new.view()).unwrap();
        for gpu in adapters() {
            let got = model.fit(gpu, x.view(), &labels).unwrap();
            let (g, w) = (got.log_evidence(), want.log_evidence());
            let q = got.predict_proba(new.view()).unwrap();
            let off = q.iter().zip(&p).fold(0f64, |m, (q, p)| m.max((q - p).abs()));
            let search = &got.searches()[0];
            println!(
                "{likelihood:?}: {g} and {w}, {off:e}, {:?}, {} on {gpu}",
                search.stop, search.evaluations
            );
            assert!((g - w).abs() < 1e-6 * w.abs(), "{likelihood:?}: {g}, not {w} on {gpu}");
            assert!(off < 1e-3, "{likelihood:?}: probabilities off by {off:e} on {gpu}");
        }
    }
}

#[test]
fn fixed_parameters_and_bounds_are_kept() {
    let (x, labels) = stripes(50, 71);
    let kernel =
        (2.0 * Kernel::rbf(1.0)).fixed("scale").unwrap().bounded("rbf.lengthscale", 1.5, 4.0).unwrap();
    let fitted = GpClassifier::new(kernel)
        .optimise(Minimiser::default())
        .fit(&Device::cpu(), x.view(), &labels)
        .unwrap();
    let params = fitted.kernels()[0].params();
    assert_eq!(params[0].value, 2.0);
    assert!((1.5 - 1e-9..=4.0).contains(&params[1].value), "{}", params[1].value);
    // Nothing to learn, no search.
    let fitted = GpClassifier::new(Kernel::linear())
        .optimise(Minimiser::default())
        .fit(&Device::cpu(), x.view(), &labels)
        .unwrap();
    assert!(fitted.searches().is_empty());
}

#[test]
fn the_callback_can_stop_it() {
    let (x, labels) = stripes(40, 72);
    let stop = Minimiser::new().progress(Progress::new(|_| ControlFlow::Break(())));
    let model = GpClassifier::new(2.0 * Kernel::rbf(0.3)).optimise(stop);
    let error = model.fit(&Device::cpu(), x.view(), &labels).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
}
