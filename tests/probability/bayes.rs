//! Posteriors on grids, summaries, Bayes factors, predictive averages, empirical Bayes, searches.

use mercer::optim::Minimiser;
use mercer::probability::bayes::*;
use mercer::probability::conjugate::{BetaBernoulli, Conjugate, NormalMean};
use mercer::probability::distributions::{Bernoulli, Beta, Laplace, Normal, Univariate};
use mercer::probability::special::log_choose;

use crate::{integral, near};

/// BL-01: the grid is the conjugate posterior.
#[test]
fn grid_posteriors() {
    let coin =
        GridPosterior::new(&[(0.0, 1.0, 4000)], |t| 7.0 * t[0].ln() + 3.0 * (1.0 - t[0]).ln()).unwrap();
    let exact = Beta::new(8.0, 4.0).unwrap();
    near(coin.probabilities().sum(), 1.0, 1e-12);
    near(coin.mean()[0], exact.mean().unwrap(), 1e-7);
    near(coin.variance()[0], 0.01709401709, 1e-7);
    near(coin.mode()[0], 0.7, 2e-4);
    near(coin.log_evidence(), -7.185387016, 1e-6);
    near(coin.expectation(|t| t[0] * t[0]), exact.variance().unwrap() + exact.mean().unwrap().powi(2), 1e-7);
    // Two parameters: mean and log deviation of a normal sample.
    let x = [0.3, 1.2, -0.4];
    let two = GridPosterior::new(&[(-4.0, 4.0, 200), (-2.0, 2.0, 200)], |t| {
        x.iter().map(|x| Normal::new(t[0], (2.0 * t[1]).exp()).unwrap().log_density(*x)).sum()
    })
    .unwrap();
    near(two.mean()[0], 1.1 / 3.0, 0.02);
    assert!(GridPosterior::new(&[(1.0, 0.0, 5)], |_| 0.0).is_err());
    assert!(GridPosterior::new(&[(0.0, 1.0, 5)], |_| f64::NEG_INFINITY).is_err());
}

#[test]
fn summaries_of_draws() {
    let b = Beta::new(8.0, 4.0).unwrap();
    let x = b.sample(40_000, 1).unwrap().to_vec();
    let s = Summary::new(&x).unwrap();
    near(s.mean(), b.mean().unwrap(), 0.003);
    near(s.variance(), b.variance().unwrap(), 0.0005);
    near(s.quantile(0.9).unwrap(), b.quantile(0.9).unwrap(), 0.005);
    let (low, high) = highest_density(&b, 0.1).unwrap();
    near(b.between(low, high), 0.9, 1e-9);
    near(b.log_density(low), b.log_density(high), 1e-6);
    let (l, h) = s.interval(0.1).unwrap();
    assert!(high - low < h - l);
    let (a, c) = shortest_interval(&x, 0.1).unwrap();
    near(a, low, 0.02);
    near(c, high, 0.02);
}

/// The evidence of seven heads and three tails by every route: closed form, grid, Laplace, draws of the prior, BIC.
#[test]
fn evidence_by_five_routes() {
    let log = |p: f64| 7.0 * p.ln() + 3.0 * (1.0 - p).ln();
    let exact = BetaBernoulli::new(1.0, 1.0).unwrap().log_evidence_of(7.0, 3.0).unwrap();
    near(exact, -7.185387016, 1e-9);
    near(GridPosterior::new(&[(0.0, 1.0, 4000)], |t| log(t[0])).unwrap().log_evidence(), exact, 1e-6);
    let prior = Beta::new(1.0, 1.0).unwrap().sample(200_000, 3).unwrap().to_vec();
    near(log_predictive(&prior, |&p| log(p)).unwrap(), exact, 0.01);
    let laplace = mercer::inference::LaplaceApproximation::scalar((1e-3, 0.999), 0.5, |p| {
        (log(p), 7.0 / p - 3.0 / (1.0 - p), -7.0 / (p * p) - 3.0 / (1.0 - p).powi(2))
    });
    near(laplace.unwrap().log_evidence(), exact, 0.07);
    // BIC leaves a constant out: its error neither grows nor falls with n, and is far below the evidence.
    let error = |n: f64| {
        let (yes, no) = (0.7 * n, 0.3 * n);
        let most = yes * 0.7f64.ln() + no * 0.3f64.ln();
        let exact = BetaBernoulli::new(1.0, 1.0).unwrap().log_evidence_of(yes, no).unwrap();
        -0.5 * bic(most, 1, n) - exact
    };
    assert!(error(10.0).abs() < 0.3);
    // -½ ln(2π p(1-p)), the determinant that it leaves out.
    near(error(1e6), -0.5 * (std::f64::consts::TAU * 0.21).ln(), 1e-5);
    assert!(log_predictive(&[0.5, 2.0], |&p| log(p)).is_err()); // a logarithm of a negative number
}

/// BL-11: ref:M, and that evidences sum to one over all data.
#[test]
fn bayes_factors_of_coins() {
    let uniform = BetaBernoulli::new(1.0, 1.0).unwrap();
    let fair = |n: f64| n * 0.5f64.ln();
    for (yes, no, want) in [(7.0, 3.0, 1.2890625), (5.0, 5.0, 2.70703125), (10.0, 0.0, 0.0107421875)] {
        let other = uniform.log_evidence_of(yes, no).unwrap();
        near(log_bayes_factor(fair(10.0), other).exp(), want, 1e-12);
        near(log_bayes_factor(fair(10.0), other) + log_bayes_factor(other, fair(10.0)), 0.0, 1e-15);
        let p = model_posterior(&[fair(10.0), other], &[0.5, 0.5]).unwrap();
        near(p[0] / p[1], want, 1e-12);
    }
    let all: f64 = (0..=10)
        .map(|k| {
            (uniform.log_evidence_of(f64::from(k), f64::from(10 - k)).unwrap()
                + log_choose(10.0, f64::from(k)))
            .exp()
        })
        .sum();
    near(all, 1.0, 1e-12);
    // The evidence as a mean of the likelihood over the prior.
    let draws = Beta::new(1.0, 1.0).unwrap().sample(40_000, 1).unwrap().to_vec();
    let mean = log_predictive(&draws, |p| 7.0 * p.ln() + 3.0 * (1.0 - p).ln()).unwrap();
    near(mean, uniform.log_evidence_of(7.0, 3.0).unwrap(), 0.03);
}

/// BL-05, D.6: the average over draws is the closed form, wider than the plug-in, and becomes it.
#[test]
fn predictive_averages() {
    let after = NormalMean::new(1.0, 3.0, 1.0).unwrap().posterior(&[0.0]).unwrap();
    let draws = after.belief().sample(40_000, 1).unwrap().to_vec();
    for x in [0.0, 2.0] {
        let mean = log_predictive(&draws, |m| Normal::new(*m, 1.0).unwrap().log_density(x)).unwrap();
        near(mean, after.predictive().unwrap().log_density(x), 0.02);
    }
    let plug_in = Normal::new(after.belief().location(), 1.0).unwrap();
    assert!(after.predictive().unwrap().density(4.0) > 2.0 * plug_in.density(4.0));
    near(integral(-20.0, 20.0, 4000, |x| after.predictive().unwrap().density(x)), 1.0, 1e-9);
    let many = NormalMean::new(1.0, 3.0, 1.0).unwrap().posterior(&vec![0.0; 100_000]).unwrap();
    near(many.predictive().unwrap().variance().unwrap(), 1.0, 1e-4);
    let coin = Beta::new(8.0, 4.0).unwrap().sample(40_000, 2).unwrap().to_vec();
    let p = log_predictive(&coin, |p| Bernoulli::new(*p).unwrap().log_density(1.0)).unwrap().exp();
    near(p, BetaBernoulli::new(8.0, 4.0).unwrap().predictive(), 0.003);
}

/// D.5: the slope of the evidence is zero at what is found, and it is at least that of any other prior.
#[test]
fn empirical_bayes_across_groups() {
    let x = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
    let s = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0f64].map(|s| s * s);
    let found = EmpiricalBayes::fit(&x, &s).unwrap();
    // The eight schools: no more spread than noise.
    assert_eq!(found.variance(), 0.0);
    assert!(found.posterior_means().iter().all(|m| (m - found.mean()).abs() < 1e-12));
    let s = s.map(|v| v / 25.0);
    let found = EmpiricalBayes::fit(&x, &s).unwrap();
    let evidence = |m: f64, t: f64| -> f64 {
        x.iter().zip(s).map(|(x, s)| Normal::new(m, s + t).unwrap().log_density(*x)).sum()
    };
    let (m, t) = (found.mean(), found.variance());
    near(evidence(m, t), found.log_evidence(), 1e-10);
    for (dm, dt) in [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.5), (0.0, -0.5)] {
        assert!(evidence(m + dm, t + dt) < found.log_evidence());
    }
    near((evidence(m, t * 1.0001) - evidence(m, t * 0.9999)) / (0.0002 * t), 0.0, 1e-7);
    let shrunk = found.posterior_means();
    assert!(shrunk[0] < 28.0 && shrunk[0] > m && found.posterior_variances()[0] < s[0]);
}

/// P-19: closed forms by the general search.
#[test]
fn maximum_likelihood_by_a_search() {
    let x = [0.4, 1.9, -0.3, 0.8, 2.2];
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let minimiser = Minimiser::new().tolerance(1e-10);
    let found = maximum_likelihood(&minimiser, &[0.0, 0.0], &[free; 2], 5, |t, i| {
        let (r, v) = (x[i] - t[0], (2.0 * t[1]).exp());
        let log = -0.5 * r * r / v - t[1] - 0.5 * std::f64::consts::TAU.ln();
        Ok((log, vec![r / v, r * r / v - 1.0]))
    })
    .unwrap();
    let exact = <Normal as mercer::probability::distributions::Learned>::fit(&x).unwrap();
    near(found.point[0], exact.location(), 1e-7);
    near(found.point[1].exp(), exact.scale(), 1e-7);
    let y = [1.0, 0.0, 1.0, 1.0];
    let coin = maximum_likelihood(&minimiser, &[0.1], &[free], 4, |t, i| {
        let p = mercer::probability::special::sigmoid(t[0]);
        Ok((Bernoulli::log_density_of_logit(t[0], y[i] == 1.0), vec![y[i] - p]))
    })
    .unwrap();
    near(mercer::probability::special::sigmoid(coin.point[0]), 0.75, 1e-8);
}

/// P-20: flat ⇒ ML, normal ⇒ ridge, Laplace ⇒ soft threshold, much data ⇒ ML.
#[test]
fn maximum_posterior_by_a_search() {
    let (x, y) = ([1.0, 2.0, -1.0, 0.5], [1.1, 1.7, -1.2, 0.8]);
    let free = [(f64::NEG_INFINITY, f64::INFINITY)];
    let minimiser = Minimiser::new().tolerance(1e-10);
    let like = |t: &[f64], i: usize| {
        let r = y[i] - t[0] * x[i];
        Ok((-0.5 * r * r, vec![r * x[i]]))
    };
    let (xx, xy) = (x.iter().map(|x| x * x).sum::<f64>(), x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>());
    let flat = maximum_posterior(&minimiser, &[0.3], &free, 4, like, |_| Ok((0.0, vec![0.0]))).unwrap();
    near(flat.point[0], xy / xx, 1e-8);
    let alpha = 2.0;
    let ridge = maximum_posterior(&minimiser, &[0.3], &free, 4, like, |t| {
        Ok((-0.5 * alpha * t[0] * t[0], vec![-alpha * t[0]]))
    })
    .unwrap();
    near(ridge.point[0], xy / (xx + alpha), 1e-8);
    let prior = Laplace::new(0.0, 0.5).unwrap();
    let lasso = maximum_posterior(&minimiser, &[0.3], &free, 4, like, |t| {
        Ok((prior.log_density(t[0]), vec![-t[0].signum() / 0.5]))
    })
    .unwrap();
    near(lasso.point[0], (xy - 2.0) / xx, 1e-8);
    // Every observation a thousand times: the prior hardly counts.
    let many = maximum_posterior(
        &minimiser,
        &[0.3],
        &free,
        4000,
        |t, i| like(t, i % 4),
        |t| Ok((-0.5 * alpha * t[0] * t[0], vec![-alpha * t[0]])),
    )
    .unwrap();
    near(many.point[0], xy / xx, 1e-3);
}
