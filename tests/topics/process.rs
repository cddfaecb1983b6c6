//! The generative process and the probability of what it makes.

use mercer::Device;
use mercer::models::topics::{TopicModel, word_counts};

use crate::{counts, documents, near, notes};

#[test]
fn a_corpus_is_drawn_and_scored() {
    let model = TopicModel::new(3).alpha(0.7).eta(0.4);
    let corpus = model.generate(6, &[30, 20, 10], 1).unwrap();
    assert_eq!(corpus.documents.iter().map(Vec::len).collect::<Vec<_>>(), [30, 20, 10]);
    let log = model.log_joint(&corpus).unwrap();
    assert!(log.is_finite());
    // The joint is the sum of its factors: another topic for one word changes two of them.
    let mut other = corpus.clone();
    let (word, old) = (corpus.documents[1][4], corpus.assignments[1][4]);
    let new = (old + 1) % 3;
    other.assignments[1][4] = new;
    let factors = |t: usize| corpus.proportions[[1, t]].ln() + corpus.topics[[t, word]].ln();
    near(model.log_joint(&other).unwrap() - log, factors(new) - factors(old), 1e-9);
    // So are the complete conditionals: ratios of joints.
    let p = model.conditional(&corpus.proportions.row(1).to_vec(), &corpus.topics, word).unwrap();
    near((p[new] / p[old]).ln(), factors(new) - factors(old), 1e-9);
    near(p.iter().sum(), 1.0, 1e-12);
    // The order of the words is irrelevant.
    let mut turned = corpus.clone();
    turned.documents[0].reverse();
    turned.assignments[0].reverse();
    near(model.log_joint(&turned).unwrap(), log, 1e-9);
    // Many words of one document have its mean distribution.
    let long = model.generate(6, &[40_000], 2).unwrap();
    let mean = long.proportions.row(0).dot(&long.topics);
    let seen = word_counts(&long.documents, 6).unwrap() / 40_000.0;
    (0..6).for_each(|w| near(seen[[0, w]], mean[w], 0.012));
}

#[test]
fn one_topic_is_the_dirichlet_and_its_counts() {
    let model = TopicModel::new(1).eta(0.3);
    let z: Vec<Vec<usize>> = documents().iter().map(|d| vec![0; d.len()]).collect();
    // Γ(Vη)/Γ(Vη + N) Π Γ(η + n_w)/Γ(η), word by word as predictive probabilities.
    let (mut seen, mut all, mut log) = ([0.3f64; 4], 1.2, 0.0f64);
    for w in documents().into_iter().flatten() {
        log += (seen[w] / all).ln();
        seen[w] += 1.0;
        all += 1.0;
    }
    near(model.collapsed_log_joint(&documents(), &z, 4).unwrap(), log, 1e-10);
    let fitted = model.fit(&Device::cpu(), &counts()).unwrap();
    near(fitted.report().objective(), log, 1e-8); // the bound is tight
    assert_eq!(fitted.transform(&counts()).unwrap().column(0).to_vec(), [1.0; 5]);
    near(fitted.topics()[[0, 0]], (5.0 + 0.3) / (16.0 + 1.2), 1e-9);
}

#[test]
fn bad_corpora_are_refused() {
    let cpu = Device::cpu();
    let mut empty = counts();
    empty.row_mut(2).fill(0.0);
    let e = notes().fit(&cpu, &empty).unwrap_err();
    assert!(e.to_string().contains("document 2 has no words"), "{e}");
    let mut negative = counts();
    negative[[0, 0]] = -1.0;
    assert!(notes().fit(&cpu, &negative).is_err());
    assert!(TopicModel::new(0).fit(&cpu, &counts()).is_err());
    assert!(notes().alpha(0.0).fit(&cpu, &counts()).is_err());
    assert!(notes().start(ndarray::Array2::zeros((2, 4))).fit(&cpu, &counts()).is_err());
    assert!(word_counts(&[vec![4]], 4).is_err());
    assert!(notes().generate(0, &[3], 1).is_err());
    let fitted = notes().fit(&cpu, &counts()).unwrap();
    assert!(fitted.transform(&empty).is_err() && fitted.top_words(2, 1).is_err());
    assert!(notes().collapsed_log_joint(&documents(), &[], 4).is_err());
}
