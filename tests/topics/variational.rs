//! Coordinate ascent for topics: the numbers of the notes, batches, scikit-learn's step.

use mercer::Device;
use mercer::models::topics::{TopicMethod, TopicModel};
use ndarray::{Array2, Axis, array};
use serde_json::Value;

use crate::{counts, documents, near, notes};

fn start() -> Array2<f64> {
    array![[1.0, 0.8, 0.3, 0.2], [0.2, 0.4, 0.9, 1.1]]
}

#[test]
fn the_corpus_of_the_notes() {
    let model = notes().start(start()).local_passes(1).tolerance(0.0);
    let fit = |sweeps: usize| model.clone().max_iterations(sweeps).fit(&Device::cpu(), &counts()).unwrap();
    let found = fit(300);
    let trace = &found.report().trace;
    for (sweep, value) in [(0, -28.73087099), (1, -25.08727948), (2, -24.8660939)] {
        near(trace[sweep], value, 1e-7);
    }
    near(found.report().objective(), -24.86607628, 1e-7);
    assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-10));
    let one = fit(1);
    for (w, want) in [5.0616535, 2.6548675, 0.30807467, 0.14443331].into_iter().enumerate() {
        near(one.lambda()[[0, w]], want, 1e-7);
    }
    for (w, want) in [5.0999926, 3.0999985, 0.10000132, 0.10000751].into_iter().enumerate() {
        near(found.lambda()[[0, w]], want, 2e-6);
    }
    // γ₅ = (1.5, 1.5): both topics alike.
    near(found.transform(&counts()).unwrap()[[4, 0]], 0.5, 1e-4);
    near(found.lambda().sum(), 2.0 * 0.4 + 16.0, 1e-9);
    assert_eq!(found.top_words(0, 2).unwrap(), [0, 1]);
}

#[test]
fn the_bound_is_below_the_evidence() {
    // Every assignment of two topics to sixteen words.
    let (model, docs) = (notes(), documents());
    let lengths: Vec<usize> = docs.iter().map(Vec::len).collect();
    let logs: Vec<f64> = (0..1usize << 16)
        .map(|s| {
            let mut bit = 0;
            let z: Vec<Vec<usize>> = lengths
                .iter()
                .map(|n| {
                    bit += n;
                    (bit - n..bit).map(|b| s >> b & 1).collect()
                })
                .collect();
            model.collapsed_log_joint(&docs, &z, 4).unwrap()
        })
        .collect();
    let top = logs.iter().copied().fold(f64::MIN, f64::max);
    let evidence = top + logs.iter().map(|l| (l - top).exp()).sum::<f64>().ln();
    near(evidence, -23.9110446, 1e-6);
    for seed in 0..4 {
        let bound = model.clone().seed(seed).fit(&Device::cpu(), &counts()).unwrap().report().objective();
        assert!(bound < evidence);
    }
}

#[test]
fn a_step_and_the_topics_of_documents_are_scikit_learns() {
    let o: Value = serde_json::from_str(include_str!("../oracle/topics.json")).unwrap();
    let matrix = |name: &str| {
        let rows = o[name].as_array().unwrap();
        Array2::from_shape_fn((rows.len(), rows[0].as_array().unwrap().len()), |(i, j)| {
            rows[i][j].as_f64().unwrap()
        })
    };
    let (x, start) = (matrix("x"), matrix("start"));
    let model = TopicModel::new(3).alpha(0.3).eta(0.2).start(start).local_passes(20_000).max_iterations(1);
    let one = model.fit(&Device::cpu(), &x).unwrap();
    assert!((one.lambda() - &matrix("after")).iter().all(|v| v.abs() < 1e-6));
    // λ after a step of no documents' weight is the start: ask it through a model of one iteration less.
    let none = model.max_iterations(0).fit(&Device::cpu(), &x).unwrap();
    assert!((none.transform(&x).unwrap() - &matrix("transform")).iter().all(|v| v.abs() < 1e-6));
}

/// A corpus of three topics, and documents that were kept from the fit.
fn corpus() -> (Array2<f64>, Array2<f64>) {
    let made = TopicModel::new(3).alpha(0.2).eta(0.1).generate(20, &[60; 120], 7).unwrap();
    let x = mercer::models::topics::word_counts(&made.documents, 20).unwrap();
    let (a, b) = x.view().split_at(Axis(0), 90);
    (a.to_owned(), b.to_owned())
}

#[test]
fn on_line_learning_comes_close_and_predicts_new_documents() {
    let (train, test) = corpus();
    let model = TopicModel::new(3).alpha(0.2).eta(0.1).seed(2).max_iterations(40);
    let batch = model.fit(&Device::cpu(), &train).unwrap();
    let online = TopicMethod::Online { batch: 15, delay: 2.0, decay: 0.7 };
    let stream = model.clone().method(online).fit(&Device::cpu(), &train).unwrap();
    let one = TopicModel::new(1).alpha(0.2).eta(0.1).fit(&Device::cpu(), &train).unwrap();
    let p = [&batch, &stream, &one].map(|m| m.perplexity(&test).unwrap());
    assert!(p[0] < 0.85 * p[2] && p[1] < 0.85 * p[2], "{p:?}");
    // Topics that were learned hang together better than words at random.
    let coherence = batch.coherence(&train, 4).unwrap().mean().unwrap();
    for seed in 0..5 {
        let mut rng = mercer::random::Philox::new(seed, 0);
        let held = train.sum_axis(Axis(0));
        let random =
            Array2::from_shape_fn((3, 20), |(_, w)| if held[w] > 0.0 { 0.1 + rng.uniform() } else { 1e-3 });
        let words = model.clone().start(random).max_iterations(0).fit(&Device::cpu(), &train).unwrap();
        let other = words.coherence(&train, 4).unwrap().mean().unwrap();
        assert!(coherence > other + 1.0, "{coherence} of topics, {other} of words");
    }
    assert!(batch.transform(&test).unwrap().rows().into_iter().all(|r| (r.sum() - 1.0).abs() < 1e-12));
    assert!(
        model
            .clone()
            .method(TopicMethod::Online { batch: 0, delay: 1.0, decay: 0.7 })
            .fit(&Device::cpu(), &train)
            .is_err()
    );
    assert!(
        model
            .method(TopicMethod::Online { batch: 5, delay: 1.0, decay: 0.3 })
            .fit(&Device::cpu(), &train)
            .is_err()
    );
}

#[test]
fn documents_may_come_in_any_order() {
    let model = notes().start(start());
    let order = [3, 0, 4, 2, 1];
    let a = model.fit(&Device::cpu(), &counts()).unwrap();
    let b = model.fit(&Device::cpu(), &counts().select(Axis(0), &order)).unwrap();
    assert!((a.lambda() - b.lambda()).iter().all(|v| v.abs() < 1e-9));
    // Topics that are exchanged at the start are exchanged at the end.
    let c = model.start(start().select(Axis(0), &[1, 0])).fit(&Device::cpu(), &counts()).unwrap();
    assert!((a.lambda() - &c.lambda().select(Axis(0), &[1, 0])).iter().all(|v| v.abs() < 1e-9));
}

#[test]
fn the_bound_of_on_line_learning_is_one() {
    // Steps so small that λ stays at its start, which is no η + Σφ: the evidence of these words is -23.911.
    let method = TopicMethod::Online { batch: 2, delay: 1e9, decay: 1.0 };
    for size in [0.001, 0.1, 1.0, 20.0] {
        let model = notes().method(method).max_iterations(2).start(start() * size);
        let found = model.fit(&Device::cpu(), &counts()).unwrap();
        assert!(found.report().trace.iter().all(|v| *v < -23.911), "{:?}", found.report().trace);
    }
    // A whole batch and a whole step: the numbers of coordinate ascent.
    let whole = TopicMethod::Online { batch: 5, delay: 0.0, decay: 1.0 };
    let model = notes().start(start()).local_passes(1).max_iterations(1);
    let online = model.clone().method(whole).fit(&Device::cpu(), &counts()).unwrap();
    near(
        online.report().objective(),
        model.fit(&Device::cpu(), &counts()).unwrap().report().objective(),
        1e-9,
    );
}

/// `UMass` by hand. Of the five documents three hold word 0, two hold 1, two 2, three 3.
#[test]
fn coherence_counts_the_documents_of_the_notes() {
    let found = notes().start(start()).tolerance(0.0).fit(&Device::cpu(), &counts()).unwrap();
    let alone = [3.0, 2.0, 2.0, 3.0];
    let both = [[3.0, 2.0, 0.0, 1.0], [2.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0], [1.0, 0.0, 2.0, 3.0f64]];
    for count in 1..=4 {
        let c = found.coherence(&counts(), count).unwrap();
        for topic in 0..2 {
            let top = found.top_words(topic, count).unwrap();
            let pairs = (1..count).flat_map(|i| (0..i).map(move |j| (i, j)));
            let want: f64 = pairs.map(|(i, j)| f64::ln((both[top[i]][top[j]] + 1.0) / alone[top[j]])).sum();
            near(c[topic], want, 1e-12);
        }
    }
    // Words 0, 1, 3: log 3/3 + log 2/3 + log 1/2.
    assert_eq!(found.top_words(0, 3).unwrap(), [0, 1, 3]);
    near(found.coherence(&counts(), 3).unwrap()[0], (1.0f64 / 3.0).ln(), 1e-12);
    // A word that is in no document has no share of them.
    assert!(found.coherence(&array![[1.0, 0.0, 0.0, 0.0]], 4).is_err());
}

fn digamma(v: f64) -> f64 {
    statrs::function::gamma::digamma(v)
}

/// One topic: θ is known, and the bound is `Σ n_w (ψ(λ_w) - ψ(Σλ))`, λ = η + the counts of the fit.
#[test]
fn the_perplexity_of_one_topic_has_a_closed_form() {
    let new = array![[2.0, 0.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]];
    let one = TopicModel::new(1).alpha(0.5).eta(0.1).fit(&Device::cpu(), &counts()).unwrap();
    let lambda = counts().sum_axis(Axis(0)) + 0.1;
    let all = digamma(lambda.sum());
    let log: f64 = (0..4).map(|w| new.column(w).sum() * (digamma(lambda[w]) - all)).sum();
    near(one.perplexity(&new).unwrap(), (-log / 7.0).exp(), 1e-9);
}

/// Two topics: `E log p(θ) + E log p(z | θ) + E log p(w | z) + H(θ) + H(z)`, term by term, at the fixed point of γ and φ; below
/// the sum over all topics of the words.
#[test]
fn the_perplexity_of_two_topics_is_the_bound_term_by_term() {
    let found = notes().start(start()).fit(&Device::cpu(), &counts()).unwrap();
    let (words, alpha) = ([0usize, 0, 3, 1, 2], 0.5);
    let logs = Array2::from_shape_fn((2, 4), |(t, w)| {
        digamma(found.lambda()[[t, w]]) - digamma(found.lambda().row(t).sum())
    });
    let mut gamma = [alpha + 2.5; 2];
    let mut phi = [[0.5; 2]; 5];
    for _ in 0..5000 {
        for (p, w) in phi.iter_mut().zip(words) {
            let e = [0, 1].map(|t| (digamma(gamma[t]) + logs[[t, w]]).exp());
            *p = e.map(|v| v / (e[0] + e[1]));
        }
        gamma = [0, 1].map(|t| alpha + phi.iter().map(|p| p[t]).sum::<f64>());
    }
    let theta = gamma.map(|g| digamma(g) - digamma(gamma[0] + gamma[1]));
    let gamma_of = statrs::function::gamma::ln_gamma;
    let beta = |g: [f64; 2]| gamma_of(g[0]) + gamma_of(g[1]) - gamma_of(g[0] + g[1]);
    let mut bound = (alpha - 1.0) * (theta[0] + theta[1]) - beta([alpha; 2]);
    bound += beta(gamma) - (0..2).map(|t| (gamma[t] - 1.0) * theta[t]).sum::<f64>();
    for (p, w) in phi.iter().zip(words) {
        bound += (0..2).map(|t| p[t] * (theta[t] + logs[[t, w]] - p[t].ln())).sum::<f64>();
    }
    let x = array![[2.0, 1.0, 1.0, 1.0]];
    near(found.score(&x).unwrap() * 5.0, bound, 1e-8);
    near(found.perplexity(&x).unwrap(), (-bound / 5.0).exp(), 1e-8);
    // Every topic of every word: Pólya's urn.
    let every: f64 = (0..32usize)
        .map(|c| {
            let (mut seen, mut p) = ([alpha; 2], 1.0);
            for (i, w) in words.into_iter().enumerate() {
                let t = c >> i & 1;
                p *= seen[t] / (seen[0] + seen[1]) * logs[[t, w]].exp();
                seen[t] += 1.0;
            }
            p
        })
        .sum();
    assert!(bound < every.ln() && bound > every.ln() - 1.0, "{bound} {}", every.ln());
}
