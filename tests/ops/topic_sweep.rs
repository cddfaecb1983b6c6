use mercer::matrix::SparseMatrix;
use mercer::ops::{TopicPriors, TopicSweep, WordCounts, topic_sweep};
use mercer::probability::special::digamma;
use mercer::{Device, Error};
use ndarray::{Array2, Axis};

use crate::support::{adapters, assert_close, gpus, on, random};

/// Documents of a few of 97 words, the last of all of them; every fifth word in every document.
fn corpus(documents: usize) -> SparseMatrix {
    let mut entries = Vec::new();
    for d in 0..documents {
        for w in (0..97).filter(|w| w % 5 == 0 || (w * 7 + d * 13) % 11 == 0 || d + 1 == documents) {
            entries.push((d, w, 1.0 + ((w + d) % 4) as f64));
        }
    }
    SparseMatrix::from_triplets(documents, 97, &entries).unwrap()
}

fn start(documents: usize, k: usize) -> (Array2<f64>, Array2<f64>) {
    (random(97, k, 1).mapv(|v| 1.5 + v), random(documents, k, 2).mapv(|v| 3.0 + 2.0 * v))
}

fn sweep(device: &Device, counts: &SparseMatrix, k: usize, priors: &TopicPriors) -> TopicSweep {
    let (lambda, gamma) = start(counts.rows(), k);
    let counts = WordCounts::new(device, counts.clone()).unwrap();
    topic_sweep(&counts, &on(device, &lambda), &on(device, &gamma), priors).unwrap()
}

/// The updates written out word by word, for one pass.
#[test]
fn a_sweep_is_its_updates() {
    let (counts, k) = (corpus(7), 3);
    let ((lambda, gamma), priors) = (start(7, k), TopicPriors { alpha: 0.4, eta: 0.2, passes: 1 });
    let found = sweep(&Device::cpu(), &counts, k, &priors);
    let sums = lambda.sum_axis(Axis(0));
    let (mut new_lambda, mut new_gamma) = (Array2::from_elem((97, k), 0.2), Array2::from_elem((7, k), 0.4));
    let mut entropies = Array2::zeros((1, 7));
    for (d, w, n) in counts.entries() {
        let p: Vec<f64> = (0..k)
            .map(|t| (digamma(gamma[[d, t]]) + digamma(lambda[[w, t]]) - digamma(sums[t])).exp())
            .collect();
        let all: f64 = p.iter().sum();
        for t in 0..k {
            new_lambda[[w, t]] += n * p[t] / all;
            new_gamma[[d, t]] += n * p[t] / all;
            entropies[[0, d]] -= n * p[t] / all * (p[t] / all).ln();
        }
    }
    assert_close(&found.lambda, &new_lambda, 1e-12, "lambda");
    assert_close(&found.gamma, &new_gamma, 1e-12, "gamma");
    assert_close(&found.entropies, &entropies, 1e-12, "entropies");
}

/// Around the powers of two that lanes are shared by, one document and many, few passes and so many that they are split.
#[test]
fn every_adapter_makes_the_sweep_of_the_cpu() {
    for k in [1, 2, 4, 5, 16, 20, 32, 33, 63, 64] {
        for documents in [1, 3, 66] {
            let counts = corpus(documents);
            let priors = TopicPriors { alpha: 0.1, eta: 0.05, passes: 4 };
            let want = sweep(&Device::cpu(), &counts, k, &priors);
            for device in gpus() {
                let got = sweep(device, &counts, k, &priors);
                let what = format!("{k} topics of {documents} documents on {device}");
                assert_close(&got.lambda, &want.lambda.to_array().unwrap(), 2e-5, &what);
                assert_close(&got.gamma, &want.gamma.to_array().unwrap(), 2e-5, &what);
                assert_close(&got.entropies, &want.entropies.to_array().unwrap(), 2e-5, &what);
            }
        }
    }
    let (counts, priors) = (corpus(3), TopicPriors { alpha: 0.1, eta: 0.05, passes: 700 });
    let want = sweep(&Device::cpu(), &counts, 16, &priors);
    for device in adapters() {
        let got = sweep(device, &counts, 16, &priors);
        assert_close(&got.gamma, &want.gamma.to_array().unwrap(), 1e-3, &format!("700 passes on {device}"));
        let again = sweep(device, &counts, 16, &priors);
        assert_eq!(got.lambda.to_array().unwrap(), again.lambda.to_array().unwrap(), "the same bits");
    }
}

/// A word that only one topic has, in a document of another: beyond f32, and said.
#[test]
fn what_f32_cannot_carry_is_said() {
    let counts = SparseMatrix::from_triplets(2, 2, &[(0, 0, 5.0), (1, 1, 5.0)]).unwrap();
    let (lambda, gamma) =
        (ndarray::array![[50.0, 1e-3], [1e-3, 50.0]], ndarray::array![[1e-3, 50.0], [1e-3, 50.0]]);
    for device in gpus() {
        let counts = WordCounts::new(device, counts.clone()).unwrap();
        let priors = TopicPriors { alpha: 1e-3, eta: 1e-3, passes: 1 };
        let found = topic_sweep(&counts, &on(device, &lambda), &on(device, &gamma), &priors).unwrap();
        let entropies = found.entropies.to_array().unwrap();
        assert!(entropies[[0, 0]] == -1.0 && entropies[[0, 1]] >= 0.0, "{entropies} on {device}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let counts = corpus(3);
    let priors = TopicPriors { alpha: 0.1, eta: 0.1, passes: 1 };
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let there = WordCounts::new(&device, counts.clone()).unwrap();
        let (lambda, gamma) = start(3, 2);
        let (l, g) = (on(&device, &lambda), on(&device, &gamma));
        assert!(matches!(topic_sweep(&there, &g, &l, &priors), Err(Error::Shape { .. })));
        for bad in [
            TopicPriors { alpha: 0.0, ..priors },
            TopicPriors { eta: f64::NAN, ..priors },
            TopicPriors { passes: 0, ..priors },
        ] {
            assert!(matches!(topic_sweep(&there, &l, &g, &bad), Err(Error::Parameter { .. })));
        }
        if device.is_gpu() {
            assert!(!WordCounts::fits(&device, 65, &counts));
            let (lambda, gamma) = start(3, 65);
            let found = topic_sweep(&there, &on(&device, &lambda), &on(&device, &gamma), &priors);
            assert!(matches!(found, Err(Error::Shape { .. })));
        }
    }
    let empty = SparseMatrix::from_triplets(2, 2, &[(0, 0, 1.0)]).unwrap();
    assert!(matches!(WordCounts::new(&Device::cpu(), empty), Err(Error::Shape { .. })));
    let negative = SparseMatrix::from_triplets(1, 2, &[(0, 0, -1.0)]).unwrap();
    assert!(matches!(WordCounts::new(&Device::cpu(), negative), Err(Error::Parameter { .. })));
}
