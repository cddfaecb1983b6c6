//! Monte Carlo gradients: unbiased, calmer with control variates, and steep enough to find a posterior.

use mercer::inference::variational::{
    Approximation, BlackBox, Control, Estimator, gumbel_softmax, kl_to_standard, local_score_gradient,
    reparametrised_gradient, score_gradient,
};
use mercer::random::Philox;

use crate::near;

/// Two coins that like to agree: the log joint.
fn coins(z: &[f64]) -> f64 {
    0.3 * z[0] - 0.8 * z[1] + 1.2 * z[0] * z[1]
}

/// The exact gradient of the ELBO by the logits, by enumeration and differences.
fn exact(logits: &[f64]) -> Vec<f64> {
    let bound = |l: &[f64]| {
        let p: Vec<f64> = l.iter().map(|l| 1.0 / (1.0 + (-l).exp())).collect();
        let mut sum = 0.0;
        for s in 0..4u8 {
            let z = [f64::from(s & 1), f64::from(s >> 1)];
            let q: f64 = (0..2).map(|i| if z[i] > 0.5 { p[i] } else { 1.0 - p[i] }).product();
            sum += q * (coins(&z) - q.ln());
        }
        sum
    };
    (0..2)
        .map(|i| {
            let at = |h: f64| {
                let mut l = logits.to_vec();
                l[i] += h;
                bound(&l)
            };
            (at(1e-5) - at(-1e-5)) / 2e-5
        })
        .collect()
}

#[test]
fn the_score_function_is_unbiased_for_coins() {
    let q = Approximation::Bernoulli { logits: vec![0.4, -0.3] };
    let want = exact(&[0.4, -0.3]);
    let n = 40_000;
    let shifted = |z: &[f64]| Ok(coins(z) + 5.0);
    let [plain, mean, best] = [Control::None, Control::Mean, Control::Optimal]
        .map(|c| score_gradient(&q, n, c, 7, shifted).unwrap());
    let local = local_score_gradient(&q, n, 7, |i, z| {
        Ok(if i == 0 { 0.3 * z[0] } else { -0.8 * z[1] } + 1.2 * z[0] * z[1])
    })
    .unwrap();
    for i in 0..2 {
        for g in [&plain, &mean, &best, &local] {
            near(g.mean[i], want[i], 4.5 * (g.variance[i] / n as f64).sqrt());
        }
        // Same mean, less variance.
        assert!(mean.variance[i] < 0.2 * plain.variance[i] && best.variance[i] <= 1.05 * mean.variance[i]);
        assert!(local.variance[i] < plain.variance[i]);
    }
    // At the posterior of a single coin the weight is a constant: with a baseline the estimator is zero itself.
    let one = Approximation::Bernoulli { logits: vec![0.9] };
    let g = score_gradient(&one, 100, Control::Mean, 1, |z| Ok(0.9 * z[0])).unwrap();
    near(g.mean[0], 0.0, 1e-12);
}

/// log p(x, z) of z ~ N(0, 1), x | z ~ N(z, 1/4) at x = 1.2, with its gradient.
#[allow(clippy::unnecessary_wraps, reason = "as the estimators want it")]
fn target(z: &[f64]) -> mercer::Result<(f64, Vec<f64>)> {
    Ok((-0.5 * z[0] * z[0] - 2.0 * (1.2 - z[0]).powi(2), vec![-z[0] + 4.0 * (1.2 - z[0])]))
}

#[test]
fn reparametrised_is_the_same_gradient_with_less_variance() {
    let (m, s) = (0.3, -0.4f64);
    let q = Approximation::Diagonal { mean: vec![m], log_sd: vec![s] };
    let n = 40_000;
    let path = reparametrised_gradient(&q, n, 3, target).unwrap();
    let score = score_gradient(&q, n, Control::Optimal, 3, |z| Ok(target(z)?.0)).unwrap();
    let want = [-m + 4.0 * (1.2 - m), 1.0 - 5.0 * (2.0 * s).exp()];
    for i in 0..2 {
        near(path.mean[i], want[i], 4.5 * (path.variance[i] / n as f64).sqrt() + 1e-9);
        near(score.mean[i], want[i], 4.5 * (score.variance[i] / n as f64).sqrt());
        assert!(path.variance[i] < score.variance[i]);
    }
    // A full factor, against differences of the score's own definition.
    let full = Approximation::Full { mean: vec![0.1, -0.2], factor: vec![0.8, 0.3, 0.5] };
    let z = [0.4, 0.1];
    let score = full.score(&z);
    for (i, s) in score.iter().enumerate() {
        let at = |h: f64| {
            let mut phi = full.parameters();
            phi[i] += h;
            full.with(&phi).unwrap().log_density(&z)
        };
        near((at(1e-6) - at(-1e-6)) / 2e-6, *s, 1e-7);
    }
    let log = |z: &[f64]| Ok((-0.5 * (z[0] * z[0] + z[1] * z[1]), vec![-z[0], -z[1]]));
    let g = reparametrised_gradient(&full, n, 5, log).unwrap();
    let want = [-0.1, 0.2, -0.8 + 1.0 / 0.8, -0.3, -0.5 + 2.0];
    (0..5).for_each(|i| near(g.mean[i], want[i], 0.03));
}

#[test]
fn the_divergence_from_the_prior_has_a_closed_form() {
    let q = Approximation::Full { mean: vec![0.1, -0.2], factor: vec![0.8, 0.3, 0.5] };
    let d = Approximation::Diagonal { mean: vec![0.5], log_sd: vec![0.3] };
    near(kl_to_standard(&d).unwrap(), 0.5 * (0.6f64.exp() + 0.25 - 1.0 - 0.6), 1e-12);
    for q in [q, d] {
        let (mut rng, n) = (Philox::new(1, 0), 60_000);
        let mut sum = 0.0;
        for _ in 0..n {
            let z = q.draw(&mut rng);
            let prior: f64 = z.iter().map(|v| -0.5 * v * v - 0.5 * (2.0 * std::f64::consts::PI).ln()).sum();
            sum += q.log_density(&z) - prior;
        }
        near(sum / f64::from(n), kl_to_standard(&q).unwrap(), 0.02);
    }
    assert!(kl_to_standard(&Approximation::bernoulli(2)).is_err());
}

#[test]
fn black_box_inference_finds_the_posterior_by_either_gradient() {
    let by = |e: Estimator| BlackBox::new().estimator(e).samples(32).seed(2);
    for e in [Estimator::Reparametrised, Estimator::Score(Control::Optimal)] {
        let found = by(e).run(&Approximation::diagonal(1), target).unwrap();
        let phi = found.approximation().parameters();
        near(phi[0], 0.96, 0.03);
        near(phi[1].exp(), 0.2f64.sqrt(), 0.03);
    }
    // A correlated posterior needs the full factor; precision [[2, 1.2], [1.2, 1.5]].
    let pair = |z: &[f64]| {
        let g = vec![-2.0 * z[0] - 1.2 * z[1], -1.2 * z[0] - 1.5 * z[1]];
        Ok((0.5 * (z[0] * g[0] + z[1] * g[1]), g))
    };
    let found = by(Estimator::Reparametrised).iterations(2000).run(&Approximation::full(2), pair).unwrap();
    let a = found.approximation().parameters()[2..].to_vec();
    near(a[0] * a[0], 0.9615384615, 0.06);
    near(a[0] * a[1], -1.2 / 1.56, 0.06);
    let odds = by(Estimator::Score(Control::Mean))
        .run(&Approximation::bernoulli(1), |z| Ok((0.7 * z[0], vec![])))
        .unwrap();
    near(odds.approximation().parameters()[0], 0.7, 0.05);
}

#[test]
fn gumbel_softmax_is_categorical_when_it_is_cold() {
    let (mut rng, n) = (Philox::new(4, 0), 20_000);
    let mut mean = [0.0; 3];
    for _ in 0..n {
        let v = gumbel_softmax(&[0.0, 1.0, -1.0], 0.01, &mut rng).unwrap();
        (0..3).for_each(|k| mean[k] += v[k] / f64::from(n));
    }
    let all = 1.0 + 1f64.exp() + (-1f64).exp();
    for (m, l) in mean.iter().zip([0.0f64, 1.0, -1.0]) {
        near(*m, l.exp() / all, 0.015);
    }
    assert!(gumbel_softmax(&[0.0], 0.0, &mut rng).is_err());
}

#[test]
fn a_local_gradient_refuses_what_is_not_finite() {
    let q = Approximation::Diagonal { mean: vec![0.0, 0.0], log_sd: vec![0.0, 0.0] };
    let good = local_score_gradient(&q, 10, 1, |i, z| Ok(-z[i] * z[i])).unwrap();
    assert!(good.elbo.is_none() && good.mean.iter().all(|g| g.is_finite()));
    assert!(local_score_gradient(&q, 10, 1, |_, _| Ok(f64::NEG_INFINITY)).is_err());
    assert!(local_score_gradient(&q, usize::MAX, 1, |_, _| Ok(0.0)).is_err());
}
