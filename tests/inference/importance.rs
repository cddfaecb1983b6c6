//! Importance sampling, rejection, and the evidence by draws of the prior.

use mercer::inference::monte_carlo::{importance_sample, marginal_likelihood, rejection_sample};
use mercer::random::Philox;

use crate::{distance, near, normal_cdf};

fn log_normal(x: f64, m: f64, v: f64) -> f64 {
    -0.5 * ((x - m).powi(2) / v + (2.0 * std::f64::consts::PI * v).ln())
}

/// x = 0 under N(2, 1) or N(0, 1), half and half: evidence 0.2264666.
fn likelihood(z: &[f64]) -> f64 {
    log_normal(0.0, if z[0] > 0.5 { 0.0 } else { 2.0 }, 1.0)
}

#[test]
fn draws_of_the_prior_give_the_evidence() {
    let coin = |rng: &mut Philox| Ok(vec![f64::from(u8::from(rng.bernoulli(0.5)))]);
    let errors: Vec<f64> = (0..40)
        .map(|seed| marginal_likelihood(1000, seed, coin, |z| Ok(likelihood(z))).unwrap().exp() - 0.2264666)
        .collect();
    // Unbiased: the mean of forty is within its own error.
    let mean = errors.iter().sum::<f64>() / 40.0;
    let sd = (errors.iter().map(|e| e * e).sum::<f64>() / 40.0).sqrt();
    assert!(mean.abs() < 4.0 * sd / 40f64.sqrt() && sd < 0.01, "{mean} {sd}");
}

#[test]
fn the_posterior_as_proposal_has_no_variance() {
    // z ~ N(0, 1), x | z ~ N(z, 1) at x = 1: posterior N(1/2, 1/2), evidence N(1; 0, 2).
    let joint = |z: &[f64]| Ok(log_normal(z[0], 0.0, 1.0) + log_normal(1.0, z[0], 1.0));
    let by = |m: f64, v: f64| {
        importance_sample(
            2000,
            1,
            move |rng| {
                let z = m + v.sqrt() * rng.normal();
                Ok((vec![z], log_normal(z, m, v)))
            },
            joint,
        )
        .unwrap()
    };
    let best = by(0.5, 0.5);
    near(best.log_evidence(), log_normal(1.0, 0.0, 2.0), 1e-12);
    near(best.effective_size(), 2000.0, 1e-6);
    let other = by(0.0, 2.0);
    assert!(other.effective_size() < 1900.0 && other.effective_size() > 400.0);
    near(other.log_evidence(), log_normal(1.0, 0.0, 2.0), 0.06);
    near(other.average(|z| z[0]), 0.5, 0.07);
    let nothing = importance_sample(10, 1, |rng| Ok((vec![rng.normal()], 0.0)), |_| Ok(f64::NEG_INFINITY));
    assert!(nothing.is_err());
}

#[test]
fn rejection_draws_the_target() {
    // N(0, 1) under a Cauchy envelope: M = √(2π/e)·... , reached at x = ±1.
    let cauchy = |x: f64| -(std::f64::consts::PI * (1.0 + x * x)).ln();
    let bound = log_normal(1.0, 0.0, 1.0) - cauchy(1.0);
    let draw = |rng: &mut Philox| {
        let x = (std::f64::consts::PI * (rng.uniform() - 0.5)).tan();
        Ok((vec![x], cauchy(x)))
    };
    let s = rejection_sample(4000, 100_000, bound, 2, draw, |z| Ok(log_normal(z[0], 0.0, 1.0))).unwrap();
    let x: Vec<f64> = s.points.iter().map(|z| z[0]).collect();
    // 1.63/√n is the 1 % point.
    assert!(distance(&x, normal_cdf) < 1.63 / 4000f64.sqrt());
    near(s.rate(), (-bound).exp(), 0.02);
    assert!(rejection_sample(10, 1000, bound - 0.2, 2, draw, |z| Ok(log_normal(z[0], 0.0, 1.0))).is_err());
    assert!(rejection_sample(10, 5, bound, 2, draw, |z| Ok(log_normal(z[0], 0.0, 1.0))).is_err());
}
