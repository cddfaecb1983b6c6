//! Gibbs sampling of topics: counts are conserved, and the posterior is that of enumeration.

use mercer::Device;
use mercer::models::topics::{TopicMethod, TopicModel};
use ndarray::array;

use crate::{counts, near, notes};

#[test]
fn counts_are_conserved_and_topics_are_found() {
    for blocked in [false, true] {
        let model = notes().method(TopicMethod::Gibbs { blocked }).max_iterations(400).seed(3);
        let fitted = model.fit(&Device::cpu(), &counts()).unwrap();
        near(fitted.lambda().sum(), 2.0 * 0.4 + 16.0, 1e-9);
        let words = fitted.lambda().sum_axis(ndarray::Axis(0)) - 0.2;
        (0..4).for_each(|w| near(words[w], counts().column(w).sum(), 1e-9));
        assert!(fitted.report().trace.iter().all(|v| v.is_finite()));
        // Words 0 and 1 are of one topic, 2 and 3 of the other.
        let mass = fitted.lambda().sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1));
        let topics = fitted.lambda() / &mass;
        let first = usize::from(topics[[1, 0]] > topics[[0, 0]]);
        assert!(topics[[first, 0]] + topics[[first, 1]] > 0.8, "{topics}");
        assert!(topics[[1 - first, 2]] + topics[[1 - first, 3]] > 0.8, "{topics}");
        assert_eq!(fitted.report().trace.len(), 401);
    }
}

#[test]
fn both_samplers_have_the_exact_posterior() {
    // Two documents of two words: sixteen assignments.
    let docs = vec![vec![0, 1], vec![0, 0]];
    let model = TopicModel::new(2).alpha(0.8).eta(0.6);
    let mut mean = 0.0;
    let mut all = 0.0;
    for s in 0..16usize {
        let z = vec![vec![s & 1, s >> 1 & 1], vec![s >> 2 & 1, s >> 3]];
        let log = model.collapsed_log_joint(&docs, &z, 2).unwrap();
        mean += log * log.exp();
        all += log.exp();
    }
    // The mean of log p(w, z) is blind to the names of topics.
    let want = mean / all;
    for blocked in [false, true] {
        let run = model.clone().method(TopicMethod::Gibbs { blocked }).max_iterations(20_000).seed(1);
        let fitted = run.fit(&Device::cpu(), &array![[1.0, 1.0], [2.0, 0.0]]).unwrap();
        let trace = &fitted.report().trace;
        near(trace.iter().sum::<f64>() / trace.len() as f64, want, 0.01);
    }
    let half = array![[0.5, 1.0]];
    assert!(model.method(TopicMethod::Gibbs { blocked: false }).fit(&Device::cpu(), &half).is_err());
}
