//! Mixtures of Bernoulli and of categorical distributions.

use mercer::inference::em::Em;
use mercer::models::mixture::{BernoulliMixture, CategoricalMixture};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::same;
use crate::support::adapters;

const P: [[f64; 6]; 2] = [[0.9, 0.8, 0.7, 0.2, 0.1, 0.5], [0.2, 0.1, 0.3, 0.9, 0.8, 0.5]];

/// Yeses and noes of two kinds of row, a third of them of the first.
fn answers(n: usize) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    Array2::from_shape_fn((n, 6), |(i, j)| {
        f64::from(u8::from(rng.random::<f64>() < P[usize::from(i % 3 != 0)][j]))
    })
}

/// Texts of two kinds: forty words each, from a vocabulary of six.
fn texts(n: usize) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut x = Array2::zeros((n, 6));
    for (i, mut row) in x.rows_mut().into_iter().enumerate() {
        for _ in 0..40 {
            let (p, mut at) = (P[i % 2], rng.random::<f64>() * P[i % 2].iter().sum::<f64>());
            let word = p.iter().position(|v| {
                at -= v;
                at < 0.0
            });
            row[word.unwrap_or(5)] += 1.0;
        }
    }
    x
}

/// The log-likelihood, row by row and component by component, from what was fitted.
fn likelihood(
    weights: &Array1<f64>,
    probabilities: &Array2<f64>,
    x: &Array2<f64>,
    bernoulli: bool,
) -> Vec<f64> {
    let log =
        |x: f64, p: f64| if bernoulli { if x > 0.0 { p.ln() } else { (1.0 - p).ln() } } else { x * p.ln() };
    let joint = |row: ndarray::ArrayView1<f64>, k: usize| {
        weights[k].ln() + row.iter().zip(probabilities.row(k)).map(|(x, p)| log(*x, *p)).sum::<f64>()
    };
    let both = |row| [0, 1].map(|k| joint(row, k));
    x.rows().into_iter().map(both).map(|[a, b]| a.max(b) + (-(a - b).abs()).exp().ln_1p()).collect()
}

#[test]
fn two_kinds_of_rows_are_found_and_scored_by_the_definition() {
    let x = answers(900);
    let fit = BernoulliMixture::new(2).fit(&Device::cpu(), x.view()).unwrap();
    let first = usize::from(fit.probabilities()[[0, 0]] < 0.5);
    same(fit.probabilities().row(first), &P[0], 0.06, "the first kind");
    same(fit.probabilities().row(1 - first), &P[1], 0.06, "the second kind");
    assert!((fit.weights()[first] - 1.0 / 3.0).abs() < 0.05);
    let want = likelihood(fit.weights(), fit.probabilities(), &x, true);
    same(&fit.score_samples(x.view()).unwrap(), &want, 1e-12, "scores");
    same(&[fit.log_likelihood()], &[want.iter().sum()], 1e-10, "likelihood");

    let x = texts(200);
    let fit = CategoricalMixture::new(2).fit(&Device::cpu(), x.view()).unwrap();
    let want = likelihood(fit.weights(), fit.probabilities(), &x, false);
    same(&fit.score_samples(x.view()).unwrap(), &want, 1e-12, "scores of texts");
    let labels = fit.predict(x.view()).unwrap();
    assert!((0..200).all(|i| labels[i] == labels[i % 2]) && labels[0] != labels[1]);
    let sums = fit.probabilities().sum_axis(Axis(1));
    same(&sums, &[1.0, 1.0], 1e-12, "probabilities");
}

/// With one component the fit is the column means, each with its two pseudo-counts.
#[test]
fn one_component_is_the_mean() {
    let x = answers(90);
    let fit = BernoulliMixture::new(1).smoothing(0.5).fit(&Device::cpu(), x.view()).unwrap();
    same(fit.probabilities(), &x.sum_axis(Axis(0)).mapv(|s| (s + 0.5) / 91.0), 1e-12, "yes");
    let x = texts(30);
    let fit = CategoricalMixture::new(1).fit(&Device::cpu(), x.view()).unwrap();
    same(fit.probabilities(), &x.sum_axis(Axis(0)).mapv(|s| (s + 0.01) / (1200.0 + 0.06)), 1e-12, "words");
}

#[test]
fn weights_are_repetitions() {
    let x = answers(60);
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i % 3)).collect();
    let rows: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let model = BernoulliMixture::new(2).em(Em::new().restarts(20).tolerance(1e-12));
    let weighted = model.fit_weighted(&Device::cpu(), x.view(), &weights).unwrap();
    let repeated = model.fit(&Device::cpu(), x.select(Axis(0), &rows).view()).unwrap();
    same(&[weighted.log_likelihood()], &[repeated.log_likelihood()], 1e-6, "likelihood");
}

#[test]
fn every_adapter_agrees_with_the_cpu() {
    let x = answers(3000);
    let model = BernoulliMixture::new(2).em(Em::new().max_iterations(1000));
    let want = model.fit(&Device::cpu(), x.view()).unwrap();
    for device in adapters() {
        let before = device.counters();
        let got = model.fit(device, x.view()).unwrap();
        assert!(device.counters() != before, "never came to {device}");
        same(&[got.log_likelihood()], &[want.log_likelihood()], 1e-5, &device.to_string());
        same(got.probabilities(), want.probabilities(), 1e-2, &device.to_string());
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let bad = |x: Array2<f64>| BernoulliMixture::new(2).fit(&cpu, x.view()).unwrap_err();
    assert!(matches!(bad(Array2::from_elem((5, 2), 0.5)), Error::Parameter { .. }));
    assert!(matches!(bad(Array2::from_elem((5, 2), f64::NAN)), Error::NotFinite { .. }));
    assert!(matches!(bad(Array2::zeros((1, 2))), Error::Parameter { .. }));
    assert!(matches!(bad(Array2::zeros((4, 0))), Error::Shape { .. }));
    let e = CategoricalMixture::new(2).fit(&cpu, Array2::from_elem((5, 2), -1.0).view()).unwrap_err();
    assert!(matches!(e, Error::Parameter { .. }));
    let model = CategoricalMixture::new(2).smoothing(0.0);
    assert!(matches!(model.fit(&cpu, texts(9).view()), Err(Error::Parameter { .. })));
    // A text without a word, and words that nobody uses.
    let mut x = texts(9);
    x.row_mut(3).fill(0.0);
    x.column_mut(2).fill(0.0);
    assert!(CategoricalMixture::new(2).fit(&cpu, x.view()).unwrap().log_likelihood().is_finite());
}

/// Yes and no are one free number for each feature, however many features there are; categories sum to one.
#[test]
fn free_parameters_are_counted() {
    for d in 1..5 {
        let x = Array2::from_shape_fn((12, d), |(i, j)| ((i >> (j % 3)) & 1) as f64);
        let bernoulli = BernoulliMixture::new(3).fit(&Device::cpu(), x.view()).unwrap();
        assert_eq!(bernoulli.parameters(), 3 * d + 2);
        let categorical = CategoricalMixture::new(3).fit(&Device::cpu(), (&x + 1.0).view()).unwrap();
        assert_eq!(categorical.parameters(), 3 * (d - 1) + 2);
    }
}
