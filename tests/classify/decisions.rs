//! Decisions from probabilities and densities.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{close, near, three};

fn rows_of_probabilities(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut p = random(n, k, seed) + 1.001;
    for mut row in p.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
    p
}

/// LS-04, D-04: on a finite table no rule errs less than the most probable class.
#[test]
fn the_most_probable_class_errs_least() {
    let (p, px) = (rows_of_probabilities(4, 3, 1), array![0.1, 0.4, 0.3, 0.2]);
    let rule = LossMatrix::zero_one(3).unwrap().decide(&p).unwrap();
    let risk = |rule: &[usize]| -> f64 { (0..4).map(|i| px[i] * (1.0 - p[[i, rule[i]]])).sum() };
    let best = risk(&rule);
    for code in 0..81 {
        let other: Vec<usize> = (0..4).map(|i| code / 3usize.pow(i) % 3).collect();
        assert!(risk(&other) >= best - 1e-15);
    }
}

/// D-05: any loss matrix; with a column to decline, as a threshold.
#[test]
fn losses_and_the_reject_option() {
    let p = rows_of_probabilities(50, 3, 2);
    let loss = LossMatrix::new(array![[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 1.0, 0.0]]).unwrap();
    let (risk, decided) = (loss.risk(&p).unwrap(), loss.decide(&p).unwrap());
    for (row, j) in risk.rows().into_iter().zip(&decided) {
        assert!(row.iter().all(|r| row[*j] <= *r));
    }
    // 0/1 loss is the most probable class; declining at the cost c is a threshold of 1 - c.
    let zero_one = LossMatrix::zero_one(3).unwrap();
    let classes = zero_one.decide(&p).unwrap();
    let by_cost = zero_one.with_reject(0.55).unwrap().decide(&p).unwrap();
    let by_threshold = most_probable_or_reject(&p, 0.45).unwrap();
    for i in 0..50 {
        assert_eq!(by_threshold[i], (by_cost[i] < 3).then_some(classes[i]));
    }
    assert!(most_probable_or_reject(&p, 1.0 / 3.0).unwrap().iter().all(Option::is_some));
    assert!(most_probable_or_reject(&p, 1.0).unwrap().iter().all(Option::is_none));
    assert_eq!(most_probable_or_reject(array![[1.0, 0.0]], 1.0).unwrap(), [Some(0)]);
    for bad in [array![[0.5, 0.6, 0.1]], array![[1.5, -0.5, 0.0]], array![[f64::NAN, 0.5, 0.5]]] {
        assert!(loss.decide(&bad).is_err());
    }
}

/// A.9: one half is the sign of the score; costs move the threshold to a/(a + b).
#[test]
fn thresholds() {
    let p = rows_of_probabilities(40, 2, 3);
    let half = above_threshold(&p, 0.5).unwrap();
    assert!(half.iter().zip(p.rows()).all(|(up, p)| *up == ((p[1] / p[0]).ln() >= 0.0)));
    let (a, b) = (1.0, 4.0);
    let costs = LossMatrix::new(array![[0.0, a], [b, 0.0]]).unwrap().decide(&p).unwrap();
    let by_threshold = above_threshold(&p, a / (a + b)).unwrap();
    assert!(costs.iter().zip(&by_threshold).all(|(j, up)| (*j == 1) == *up));
}

/// A.3, A.4: the example of the notes; mean, median, quantile and mode are the best of a grid.
#[test]
fn point_predictions() {
    let (values, p) = ([1.0, -1.0], [0.8, 0.2]);
    near(PredictionLoss::Squared.best(&values, &p).unwrap(), 0.6, 1e-15);
    near(PredictionLoss::Squared.risk(0.6, &values, &p).unwrap(), 0.64, 1e-15);
    near(PredictionLoss::ZeroOne.best(&values, &p).unwrap(), 1.0, 1e-15);
    near(PredictionLoss::ZeroOne.risk(1.0, &values, &p).unwrap(), 0.2, 1e-15);
    let values: Vec<f64> = random(9, 1, 4).iter().copied().collect();
    let p: Vec<f64> = random(9, 1, 5).iter().map(|v| v + 1.0).collect();
    for loss in [
        PredictionLoss::Squared,
        PredictionLoss::Absolute,
        PredictionLoss::Pinball(0.3),
        PredictionLoss::ZeroOne,
    ] {
        let best = loss.risk(loss.best(&values, &p).unwrap(), &values, &p).unwrap();
        for k in -200..=200 {
            assert!(loss.risk(f64::from(k) / 150.0, &values, &p).unwrap() >= best - 1e-12, "{loss:?}");
        }
        for v in &values {
            assert!(loss.risk(*v, &values, &p).unwrap() >= best - 1e-12, "{loss:?}");
        }
    }
    // A symmetric predictive law has one answer for both losses.
    let draws: Vec<f64> = (-50..=50).map(|k| 2.0 + f64::from(k) * 0.1).collect();
    near(
        PredictionLoss::Squared.best_of_draws(&draws).unwrap(),
        PredictionLoss::Absolute.best_of_draws(&draws).unwrap(),
        1e-12,
    );
    assert!(
        PredictionLoss::Squared.best(&[], &[]).is_err()
            && PredictionLoss::Pinball(1.0).best(&[1.0], &[1.0]).is_err()
    );
}

/// A.10: the ratio with the prior's threshold is the most probable class; its curve has the area that it must have.
#[test]
fn likelihood_ratios() {
    let gaussian = IndependentDensity::new(FeatureFamily::Gaussian);
    let part = random(200, 1, 6);
    let (xp, xq) = (&part + 0.5, &part * 0.8 - 0.4);
    let (p, q) = (gaussian.fit(&Device::cpu(), &xp).unwrap(), gaussian.fit(&Device::cpu(), &xq).unwrap());
    let prior = 0.3;
    let test = LikelihoodRatio::new(p.clone(), q.clone()).prior(prior).unwrap();
    let new = random(50, 1, 7) * 2.0;
    let (lp, lq) = (p.score_samples(&new).unwrap(), q.score_samples(&new).unwrap());
    for (i, decided) in test.decide(&new).unwrap().into_iter().enumerate() {
        assert_eq!(decided, prior * lp[i].exp() > (1.0 - prior) * lq[i].exp());
    }
    let ratios = test.ratio(&new).unwrap();
    close(ratios.view().insert_axis(Axis(1)), (lp - lq).view().insert_axis(Axis(1)), 1e-14);
    let area = test.roc(&xp, &xq).unwrap().area();
    let (rp, rq) = (test.ratio(&xp).unwrap(), test.ratio(&xq).unwrap());
    let wins: f64 = rp
        .iter()
        .flat_map(|a| {
            rq.iter().map(move |b| {
                if a > b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                }
            })
        })
        .sum();
    near(area, wins / 40_000.0, 1e-12);
    let strict = test.level(&xq, 0.05).unwrap();
    let alarms = strict.decide(&xq).unwrap().iter().filter(|d| **d).count();
    assert!(alarms <= 10, "{alarms} of 200");
}

/// D-06: the share of training rows that is flagged is the one asked for, and a far row is rarer than all of them.
#[test]
fn outliers_by_density() {
    let (x, y) = three();
    for share in [0.0, 0.05, 0.2] {
        let fit = Novelty::new(Ppca::new(2), share).fit(&Device::cpu(), &x).unwrap();
        let flagged = fit.predict(&x).unwrap().iter().filter(|f| **f).count();
        assert_eq!(flagged, (share * x.nrows() as f64).floor() as usize);
        assert_eq!(fit.predict(array![[50.0, 50.0, 50.0, 50.0]]).unwrap(), [true]);
    }
    // The marginal density of a generative classifier.
    let fit = LinearDiscriminant::new().fit(&Device::cpu(), &x, &y).unwrap();
    let (own, far) =
        (fit.score_samples(&x).unwrap(), fit.score_samples(array![[50.0, 50.0, 50.0, 50.0]]).unwrap()[0]);
    assert!(own.iter().all(|v| *v > far));
    assert!(Novelty::new(Ppca::new(2), 1.0).fit(&Device::cpu(), &x).is_err());
}

/// D-05: two naive models together are the model of both.
#[test]
fn independent_models_combine() {
    let (x, y) = three();
    let model = GaussianNaiveBayes::new().smoothing(0.0);
    let whole = model.fit(&Device::cpu(), &x, &y).unwrap();
    let halves = [[0, 1], [2, 3]].map(|columns| {
        let part = x.select(Axis(1), &columns);
        model.fit(&Device::cpu(), &part, &y).unwrap().predict_proba(&part).unwrap()
    });
    let together = combine_independent(&halves, &whole.priors().to_vec()).unwrap();
    close(together.view(), whole.predict_proba(&x).unwrap().view(), 1e-9);
    let mean = average_probabilities(&halves, &[1.0, 3.0]).unwrap();
    near(mean[[7, 1]], 0.25 * halves[0][[7, 1]] + 0.75 * halves[1][[7, 1]], 1e-15);
    mean.sum_axis(Axis(1)).iter().for_each(|s| near(*s, 1.0, 1e-12));
    assert_eq!(majority(&[vec![2, 0], vec![1, 0], vec![2, 1], vec![1, 1]]).unwrap(), [1, 0]);
    assert!(combine_independent(&[array![[1.0, 0.0]], array![[0.0, 1.0]]], &[0.5, 0.5]).is_err());
    assert!(combine_independent(&[], &[0.5, 0.5]).is_err());
}

/// AA.2: parts are disjoint, no noise is a majority, noise is seeded and changes votes.
#[test]
fn a_private_vote() {
    let (x, y) = three();
    let model = PrivateVote::new(GaussianNaiveBayes::new(), 5).seed(3);
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let mut rows: Vec<usize> = fit.parts().iter().flatten().copied().collect();
    rows.sort_unstable();
    assert_eq!(rows, (0..x.nrows()).collect::<Vec<_>>());
    let each: Vec<Vec<usize>> = fit
        .experts()
        .iter()
        .map(|e| e.predict(&x).unwrap().into_iter().map(|k| k as usize).collect())
        .collect();
    let said: Vec<usize> = fit.predict(&x).unwrap().into_iter().map(|k| k as usize).collect();
    assert_eq!(said, majority(&each).unwrap());
    let votes = fit.votes(&x).unwrap();
    votes.sum_axis(Axis(1)).iter().for_each(|s| near(*s, 5.0, 0.0));
    let noisy = model.clone().noise(2.0).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(noisy.votes(&x).unwrap(), noisy.votes(&x).unwrap());
    let noise: Array1<f64> = (&noisy.votes(&x).unwrap() - &votes).iter().copied().collect();
    // A Laplace variable of scale b has the mean size b.
    near(noise.mapv(f64::abs).sum() / noise.len() as f64, 2.0, 0.3);
}

/// One on the half-line to the right of zero, and impossible to its left.
struct Right;

impl LogDensity for Right {
    fn log_density(&self, x: ndarray::ArrayView2<f64>) -> mercer::Result<Array1<f64>> {
        Ok(x.column(0).mapv(|x| if x < 0.0 { f64::NEG_INFINITY } else { -x }))
    }
}

/// What neither density allows is not decided, and NaN is no threshold.
#[test]
fn ratios_of_nothing_are_refused() {
    let test = LikelihoodRatio::new(Right, Right);
    assert!(test.ratio(array![[1.0], [-1.0]]).is_err() && test.decide(array![[-1.0]]).is_err());
    assert_eq!(test.decide(array![[1.0]]).unwrap(), [false]);
    assert!(test.threshold(f64::NAN).decide(array![[1.0]]).is_err());
    assert!(LikelihoodRatio::new(Right, Right).level(Array2::<f64>::zeros((0, 1)), 0.1).is_err());
}

/// AA.2: a label that changes moves no row, and noise belongs to what is asked, not to where it stands.
#[test]
fn a_private_vote_keeps_its_guarantee() {
    let (x, y) = three();
    let model = PrivateVote::new(GaussianNaiveBayes::new(), 3).seed(3);
    let (mut other, classes) = (y.clone(), y.iter().max().unwrap());
    other[0] = (other[0] + 1) % (classes + 1);
    let parts = |y: &Vec<i64>| model.fit(&Device::cpu(), &x, y).unwrap().parts().to_vec();
    assert_eq!(parts(&y), parts(&other));
    let [clean, noisy] = [0.0, 2.0].map(|b| model.clone().noise(b).fit(&Device::cpu(), &x, &y).unwrap());
    let noise = |x: &Array2<f64>| noisy.votes(x).unwrap() - clean.votes(x).unwrap();
    let (a, b) = (x.select(Axis(0), &[0, 1]), x.select(Axis(0), &[1, 2]));
    let (of_a, of_b) = (noise(&a), noise(&b));
    assert!(of_a.row(0).iter().zip(of_b.row(0)).all(|(p, q)| (p - q).abs() > 1e-9));
    assert!(of_a.row(1).iter().zip(of_b.row(0)).all(|(p, q)| (p - q).abs() < 1e-12));
}
