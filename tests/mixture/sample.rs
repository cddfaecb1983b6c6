//! Draws from fitted mixtures: as often as the parameters say, and the same for the same seed.

use mercer::models::mixture::{
    Bernoulli, BernoulliMixture, CategoricalMixture, FittedDiscreteMixture, LinearRegressionMixture,
    LogisticRegressionMixture,
};
use mercer::{Device, Error};
use ndarray::{Array1, Array2, array};

use crate::support::random;

const N: usize = 20_000;

/// A share of `count` draws with probability `p` lies within four standard deviations of it.
#[track_caller]
fn often(share: f64, p: f64, count: usize, what: &str) {
    let spread = (p * (1.0 - p) / count as f64).sqrt();
    assert!((share - p).abs() <= 4.0 * spread, "{what}: {share} of {count}, where {p} ± {spread} was due");
}

/// The weights by how often each label comes, and the rows that have each.
fn groups(labels: &[usize], weights: &Array1<f64>) -> Vec<Vec<usize>> {
    let of = |k: usize| (0..labels.len()).filter(|&i| labels[i] == k).collect::<Vec<_>>();
    let groups: Vec<_> = (0..weights.len()).map(of).collect();
    for (k, own) in groups.iter().enumerate() {
        often(own.len() as f64 / labels.len() as f64, weights[k], labels.len(), "a component");
    }
    groups
}

#[test]
fn yes_and_no_come_as_often_as_they_should() {
    let p = array![[0.9, 0.9, 0.1, 0.5], [0.1, 0.2, 0.8, 0.6]];
    let chance = random(3000, 4, 1).mapv(|v| 0.5 * (v + 1.0));
    let x = Array2::from_shape_fn((3000, 4), |(i, j)| {
        f64::from(u8::from(chance[[i, j]] < p[[usize::from(i % 10 > 2), j]]))
    });
    let fit = BernoulliMixture::new(2).fit(&Device::cpu(), &x).unwrap();
    let (drawn, labels) = fit.sample_labelled(N, 3).unwrap();
    assert!(drawn.iter().all(|v| *v == 0.0 || *v == 1.0));
    for (k, own) in groups(&labels, fit.weights()).iter().enumerate() {
        for (j, &p) in fit.probabilities().row(k).iter().enumerate() {
            let share = own.iter().map(|&i| drawn[[i, j]]).sum::<f64>() / own.len() as f64;
            often(share, p, own.len(), "a yes");
        }
    }
    assert_eq!(fit.sample_labelled(N, 3).unwrap(), (drawn.clone(), labels));
    assert_eq!(fit.sample(N, 3).unwrap(), drawn);
    assert_ne!(fit.sample(N, 4).unwrap(), drawn);
    assert!(matches!(fit.sample(0, 3), Err(Error::Shape { .. })));
    // What was drawn is fitted to what it was drawn from.
    let again = BernoulliMixture::new(2).fit(&Device::cpu(), drawn.view()).unwrap();
    let first = |fit: &FittedDiscreteMixture<Bernoulli>| usize::from(fit.probabilities()[[0, 0]] < 0.5);
    let gap = again.weights()[first(&again)] - fit.weights()[first(&fit)];
    assert!(gap.abs() < 0.05, "{} {}", again.weights(), fit.weights());
}

#[test]
fn words_come_as_often_as_they_should() {
    let x = random(50, 4, 1).mapv(|v| (4.0 * v).abs().round());
    let fit = CategoricalMixture::new(2).fit(&Device::cpu(), &x).unwrap();
    let (length, texts) = (25, 2000);
    let (drawn, labels) = fit.sample_labelled(texts, length, 5).unwrap();
    assert!(drawn.rows().into_iter().all(|row| row.sum() == length as f64));
    for (k, own) in groups(&labels, fit.weights()).iter().enumerate() {
        for (j, &p) in fit.probabilities().row(k).iter().enumerate() {
            let words = own.len() * length;
            let share = own.iter().map(|&i| drawn[[i, j]]).sum::<f64>() / words as f64;
            often(share, p, words, "a word");
        }
    }
    assert!(fit.sample(3, 0, 5).unwrap().iter().all(|v| *v == 0.0));
    assert!(matches!(fit.sample(0, 9, 5), Err(Error::Shape { .. })));
}

#[test]
fn answers_of_lines_lie_about_them() {
    let (x, y) = (random(40, 2, 1), random(40, 1, 2));
    let fit = LinearRegressionMixture::new(2).fit(&Device::cpu(), &x, y.column(0)).unwrap();
    let at = random(N, 2, 3);
    let (drawn, labels) = fit.sample_at(at.view(), 7).unwrap();
    let lines = fit.lines(at.view()).unwrap();
    for (k, own) in groups(&labels, fit.weights()).iter().enumerate() {
        let (count, variance) = (own.len() as f64, fit.variances()[k]);
        let rest: Vec<f64> = own.iter().map(|&i| drawn[i] - lines[[i, k]]).collect();
        let mean = rest.iter().sum::<f64>() / count;
        let square = rest.iter().map(|r| r * r).sum::<f64>() / count;
        assert!(mean.abs() < 4.0 * (variance / count).sqrt(), "a mean of {mean} about line {k}");
        assert!((square / variance - 1.0).abs() < 4.0 * (2.0 / count).sqrt(), "{square}, not {variance}");
    }
    assert_eq!(fit.sample_at(at.view(), 7).unwrap(), (drawn, labels));
    assert!(matches!(fit.sample_at(Array2::<f64>::zeros((2, 3)), 7), Err(Error::Shape { .. })));
}

#[test]
fn votes_come_as_often_as_they_should() {
    let (x, y) = (random(40, 1, 1), random(40, 1, 2).mapv(|v| v > 0.0));
    let y: Vec<bool> = y.into_iter().collect();
    let fit = LogisticRegressionMixture::new(2).fit(&Device::cpu(), &x, &y).unwrap();
    let at = Array2::from_elem((N, 1), 0.7);
    let (drawn, labels) = fit.sample_at(at.view(), 9).unwrap();
    let p = fit.probabilities(at.view()).unwrap();
    for (k, own) in groups(&labels, fit.weights()).iter().enumerate() {
        let share = own.iter().filter(|&&i| drawn[i]).count() as f64 / own.len() as f64;
        often(share, p[[0, k]], own.len(), "a yes");
    }
    let share = drawn.iter().filter(|v| **v).count() as f64 / N as f64;
    often(share, fit.predict_proba(at.view()).unwrap()[[0, 1]], N, "a yes of anyone");
    assert!(matches!(fit.sample_at(Array2::<f64>::zeros((2, 3)), 7), Err(Error::Shape { .. })));
}
