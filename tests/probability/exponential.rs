//! Exponential families: every member against its own density, finite differences, and closed forms.

use mercer::probability::distributions::*;
use mercer::probability::exponential::*;
use mercer::probability::information::{divergence, entropy, normal_divergence};
use ndarray::{Array1, Array2, array};

use crate::{all_near, integral, near};

fn members() -> Vec<(Member, Vec<f64>)> {
    vec![
        (Member::Normal, vec![0.6, -0.3]),
        (Member::NormalMean { variance: 1.7 }, vec![0.4]),
        (Member::Bernoulli, vec![0.3]),
        (Member::Categorical { categories: 4 }, vec![0.2, -1.0, 0.5]),
        (Member::Binomial { trials: 9 }, vec![-0.4]),
        (Member::Multinomial { trials: 5, categories: 3 }, vec![0.3, -0.2]),
        (Member::Poisson, vec![0.9]),
        (Member::Exponential, vec![-1.4]),
        (Member::Laplace { location: 0.5 }, vec![-0.8]),
        (Member::Gamma, vec![1.5, -0.7]),
        (Member::Beta, vec![0.8, 2.0]),
        (Member::Dirichlet { categories: 3 }, vec![0.5, 1.0, 2.0]),
    ]
}

fn shifted(eta: &[f64], j: usize, h: f64) -> Vec<f64> {
    eta.iter().enumerate().map(|(i, e)| if i == j { e + h } else { *e }).collect()
}

/// H.2, H.3: `∇A` and `∇²A` by differences; the way to the mean parameters and back; positive semi-definite.
#[test]
fn gradients_hessians_and_round_trips() {
    for (m, eta) in members() {
        let (g, h) = (m.mean_parameters(&eta).unwrap(), m.fisher_information(&eta).unwrap());
        for j in 0..eta.len() {
            let step = 1e-5;
            let (up, down) = (shifted(&eta, j, step), shifted(&eta, j, -step));
            let slope = (m.log_partition(&up).unwrap() - m.log_partition(&down).unwrap()) / (2.0 * step);
            near(slope, g[j], 1e-8 * g[j].abs().max(1.0));
            let (a, b) = (m.mean_parameters(&up).unwrap(), m.mean_parameters(&down).unwrap());
            for i in 0..eta.len() {
                near((a[i] - b[i]) / (2.0 * step), h[[i, j]], 1e-7 * h[[i, j]].abs().max(1.0));
            }
        }
        let values = mercer::linalg::eigh(h.view()).unwrap().values;
        assert!(values.iter().all(|v| *v > 0.0), "{m:?}");
        all_near(&m.natural_parameters(&g).unwrap(), &eta, 1e-9);
        assert!(m.check(&vec![f64::NAN; eta.len()]).is_err());
    }
    assert!(
        Member::Gamma.log_partition(&[0.0, 1.0]).is_err()
            && Member::Normal.natural_parameters(&[2.0, 1.0]).is_err()
    );
}

/// H.1, H.4 to H.8: `m exp(ηᵀu - A)` is the density by name.
#[test]
fn densities_are_those_of_the_distributions() {
    let at = |m: Member, eta: &[f64], x: f64| m.log_density(eta, &[x]).unwrap();
    let (mean, v) = (0.6 / 0.6, 1.0 / 0.6);
    near(at(Member::Normal, &[0.6, -0.3], 0.7), Normal::new(mean, v).unwrap().log_density(0.7), 1e-13);
    // Both forms of A: `ν²/(2σ²) + ½ ln(2πσ²)`.
    let a = mean * mean / (2.0 * v) + 0.5 * (std::f64::consts::TAU * v).ln();
    near(Member::Normal.log_partition(&[0.6, -0.3]).unwrap(), a, 1e-13);
    all_near(&Member::Normal.mean_parameters(&[0.6, -0.3]).unwrap(), &[mean, v + mean * mean], 1e-13);
    near(
        at(Member::NormalMean { variance: 2.0 }, &[0.75], 0.7),
        Normal::new(1.5, 2.0).unwrap().log_density(0.7),
        1e-13,
    );
    near(at(Member::Bernoulli, &[0.3], 1.0), Bernoulli::from_logit(0.3).unwrap().log_density(1.0), 1e-14);
    near(at(Member::Poisson, &[0.9], 3.0), Poisson::new(0.9f64.exp()).unwrap().log_density(3.0), 1e-13);
    near(at(Member::Exponential, &[-1.4], 0.3), Exponential::new(1.4).unwrap().log_density(0.3), 1e-13);
    near(
        at(Member::Laplace { location: 0.5 }, &[-0.8], 2.0),
        Laplace::new(0.5, 1.25).unwrap().log_density(2.0),
        1e-13,
    );
    near(at(Member::Gamma, &[1.5, -0.7], 2.0), Gamma::new(2.5, 0.7).unwrap().log_density(2.0), 1e-13);
    near(at(Member::Beta, &[0.8, 2.0], 0.3), Beta::new(1.8, 3.0).unwrap().log_density(0.3), 1e-13);
    let p = mercer::probability::special::sigmoid(-0.4);
    near(
        at(Member::Binomial { trials: 9 }, &[-0.4], 4.0),
        Binomial::new(9, p).unwrap().log_density(4.0),
        1e-12,
    );
    let d = Member::Dirichlet { categories: 3 }.log_density(&[0.5, 1.0, 2.0], &[0.2, 0.5, 0.3]).unwrap();
    near(d, Dirichlet::new(&[1.5, 2.0, 3.0]).unwrap().log_density(&[0.2, 0.5, 0.3]).unwrap(), 1e-13);
    // Categories sum to one, and two of them are a coin.
    let c = Member::Categorical { categories: 4 };
    near((0..4).map(|k| at(c, &[0.2, -1.0, 0.5], f64::from(k)).exp()).sum(), 1.0, 1e-14);
    near(at(Member::Categorical { categories: 2 }, &[0.3], 1.0), at(Member::Bernoulli, &[0.3], 1.0), 1e-15);
    // Counts of five in three categories.
    let m = Member::Multinomial { trials: 5, categories: 3 };
    let mut sum = 0.0;
    for a in 0..=5 {
        for b in 0..=5 - a {
            let x = [f64::from(a), f64::from(b), f64::from(5 - a - b)];
            sum += m.log_density(&[0.3, -0.2], &x).unwrap().exp();
        }
    }
    near(sum, 1.0, 1e-12);
    near(integral(0.0, 60.0, 100_000, |x| at(Member::Gamma, &[1.5, -0.7], x).exp()), 1.0, 1e-6);
}

/// G.13, G.14, G.17: Bregman's form is the divergence; the quadratic form is off by the third order; Chernoff's is `-ln Σ p^a q^(1-a)`.
#[test]
fn divergences_inside_a_family() {
    let b = Member::Bernoulli;
    near(b.divergence(&[0.3], &[0.8]).unwrap(), 0.0295241631, 1e-10);
    let mu = |eta: f64| mercer::probability::special::sigmoid(eta);
    let pair = |eta: f64| [1.0 - mu(eta), mu(eta)];
    near(b.divergence(&[0.3], &[0.8]).unwrap(), divergence(&pair(0.3), &pair(0.8)).unwrap(), 1e-14);
    near(b.divergence(&[0.3], &[0.301]).unwrap(), 1.2222308e-7, 1e-13);
    near(b.quadratic_divergence(&[0.3], &[0.301]).unwrap(), 1.2222916e-7, 1e-13);
    let gap = |h: f64| {
        (b.divergence(&[0.3], &[0.3 + h]).unwrap() - b.quadratic_divergence(&[0.3], &[0.3 + h]).unwrap())
            .abs()
    };
    near(gap(0.02) / gap(0.01), 8.0, 0.2);
    let n = |m: f64, v: f64| [m / v, -0.5 / v];
    near(
        Member::Normal.divergence(&n(0.0, 1.0), &n(1.0, 2.0)).unwrap(),
        normal_divergence((0.0, 1.0), (1.0, 2.0)).unwrap(),
        1e-13,
    );
    let l = |r: f64| [r.ln()];
    near(Member::Poisson.divergence(&l(2.0), &l(3.0)).unwrap(), 2.0 * (2.0f64 / 3.0).ln() + 1.0, 1e-13);
    let chernoff = b.chernoff(0.3, &[0.3], &[0.8]).unwrap();
    let direct: f64 = pair(0.3).iter().zip(pair(0.8)).map(|(p, q)| p.powf(0.3) * q.powf(0.7)).sum();
    near(chernoff, -direct.ln(), 1e-14);
}

/// H.11, H.12, H.13: a likelihood sees sums only; parts add; the gradient is data less model, and zero at the fit.
#[test]
fn likelihoods_from_statistics() {
    let x = array![[0.4], [1.9], [-0.3], [0.8], [2.2]];
    let w = Array1::ones(5);
    let all = Member::Normal.summary(x.view(), w.view()).unwrap();
    let part = |a: usize, b: usize| {
        let rows = x.slice(ndarray::s![a..b, ..]);
        Member::Normal.summary(rows, Array1::ones(b - a).view()).unwrap()
    };
    let merged = part(0, 2).merge(&part(2, 5)).unwrap();
    all_near(&merged.sum, &all.sum, 1e-14);
    let eta = [0.5, -0.4];
    let direct: f64 = x.iter().map(|x| Member::Normal.log_density(&eta, &[*x]).unwrap()).sum();
    near(Member::Normal.log_likelihood(&eta, &all).unwrap(), direct, 1e-12);
    let g = Member::Normal.gradient(&eta, &all).unwrap();
    for (j, g) in g.into_iter().enumerate() {
        let h = 1e-6;
        let (a, b) = (shifted(&eta, j, h), shifted(&eta, j, -h));
        let l = |e: &[f64]| Member::Normal.log_likelihood(e, &all).unwrap() / 5.0;
        near((l(&a) - l(&b)) / (2.0 * h), g, 1e-7);
    }
    let fitted = Member::Normal.fit(&all).unwrap();
    all_near(&Member::Normal.gradient(&fitted, &all).unwrap(), &[0.0, 0.0], 1e-13);
    let by_name = Normal::fit(&x.column(0).to_vec()).unwrap();
    near(-0.5 / fitted[1], by_name.variance().unwrap(), 1e-13);
    // Gamma: the maximum is that of the distribution's own fit.
    let positive = x.mapv(f64::abs);
    let s = Member::Gamma.summary(positive.view(), w.view()).unwrap();
    let (eta, g) = (Member::Gamma.fit(&s).unwrap(), Gamma::fit(&positive.column(0).to_vec()).unwrap());
    all_near(&[eta[0] + 1.0, -eta[1]], &[g.shape(), g.rate()], 1e-8);
}

/// H.10: moments are matched, and no other feasible distribution has more entropy; no constraint that bites is uniform.
#[test]
fn maximum_entropy_with_given_means() {
    let u = Array2::from_shape_fn((6, 1), |(i, _)| i as f64 + 1.0);
    let die = maximum_entropy(u.view(), &[4.5]).unwrap();
    near(die.probabilities.iter().enumerate().map(|(i, p)| p * (i as f64 + 1.0)).sum(), 4.5, 1e-11);
    // Along (1, -2, 1, 0, 0, 0), which changes neither sum nor mean.
    for t in [-0.01, 0.01] {
        let mut q = die.probabilities.clone();
        for (i, d) in [1.0, -2.0, 1.0].into_iter().enumerate() {
            q[i] += t * d;
        }
        assert!(entropy(&q).unwrap() < die.entropy);
    }
    near(maximum_entropy(u.view(), &[3.5]).unwrap().entropy, 6f64.ln(), 1e-12);
    // Mean and variance on a fine grid: a normal density.
    let grid = Array2::from_shape_fn((801, 2), |(i, j)| ((i as f64 - 400.0) * 0.02).powf(j as f64 + 1.0));
    let p = maximum_entropy(grid.view(), &[0.5, 0.25 + 0.8]).unwrap().probabilities;
    let normal = Normal::new(0.5, 0.8).unwrap();
    near(p[450] / 0.02, normal.density(1.0), 1e-4);
    assert!(maximum_entropy(u.view(), &[7.0]).is_err());
}

/// I.4: the generic prior reproduces Beta-Bernoulli, Dirichlet-categorical and the normal mean.
#[test]
fn the_generic_conjugate_prior() {
    let x = array![[1.0], [0.0], [1.0], [1.0]];
    let w = Array1::ones(4);
    let s = Member::Bernoulli.summary(x.view(), w.view()).unwrap();
    let (a, b) = (2.0, 3.0);
    let after = ConjugatePrior::new(&[a], a + b).unwrap().posterior(&s).unwrap();
    near(after.mean()[0], (a + 3.0) / (a + b + 4.0), 1e-15);
    near(
        Member::Bernoulli.mean_parameters(&after.mode(&Member::Bernoulli).unwrap()).unwrap()[0],
        after.mean()[0],
        1e-14,
    );
    // Its density in η is Beta's in μ times dμ/dη.
    let beta = Beta::new(a + 3.0, b + 1.0).unwrap();
    let log = |eta: f64| {
        let mu = mercer::probability::special::sigmoid(eta);
        beta.log_density(mu) + (mu * (1.0 - mu)).ln() - after.log_density(&Member::Bernoulli, &[eta]).unwrap()
    };
    near(log(-0.5), log(1.3), 1e-12);
    let c = Member::Categorical { categories: 3 };
    let seen = c.summary(array![[0.0], [2.0], [2.0]].view(), Array1::ones(3).view()).unwrap();
    let mean = ConjugatePrior::new(&[2.0, 0.5], 3.5).unwrap().posterior(&seen).unwrap().mean();
    all_near(&mean, &[2.0 / 6.5, 2.5 / 6.5], 1e-15);
    let known = Member::NormalMean { variance: 1.0 };
    let s = known.summary(array![[0.0]].view(), Array1::ones(1).view()).unwrap();
    let n0 = 1.0 / 3.0;
    near(ConjugatePrior::new(&[n0 * 1.0], n0).unwrap().posterior(&s).unwrap().mean()[0], 0.25, 1e-15);
}

/// Means that are no numbers have no natural parameters, and families that are none have no density.
#[test]
fn what_is_no_number_is_refused() {
    for (m, eta) in members() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut mean = m.mean_parameters(&eta).unwrap();
            mean[0] = bad;
            assert!(m.natural_parameters(&mean).is_err(), "{m:?}");
        }
    }
    let faces = array![[1.0], [2.0], [3.0]];
    assert!(maximum_entropy(faces.view(), &[f64::NAN]).is_err());
    for (m, eta, x) in [
        (Member::Dirichlet { categories: 0 }, vec![], vec![]),
        (Member::Dirichlet { categories: 1 }, vec![0.1], vec![1.0]),
        (Member::Multinomial { trials: 2, categories: 0 }, vec![0.1], vec![]),
        (Member::Multinomial { trials: 0, categories: 2 }, vec![0.1], vec![0.0, 0.0]),
        (Member::Categorical { categories: 1 }, vec![0.1], vec![0.0]),
        (Member::Binomial { trials: 0 }, vec![0.1], vec![0.0]),
        (Member::NormalMean { variance: -1.0 }, vec![0.1], vec![0.0]),
        (Member::Laplace { location: f64::NAN }, vec![-1.0], vec![0.0]),
    ] {
        assert!(m.log_partition(&eta).is_err() && m.log_density(&eta, &x).is_err(), "{m:?}");
        assert!(m.natural_parameters(&eta).is_err() && m.statistics(&x).is_none(), "{m:?}");
    }
}

/// Statistics of another family are refused, not cut short.
#[test]
fn statistics_of_another_family() {
    let normal = Member::Normal.summary(array![[0.3], [1.2]].view(), array![1.0, 1.0].view()).unwrap();
    let coin = Member::Bernoulli;
    assert!(coin.log_likelihood(&[0.1], &normal).is_err() && coin.gradient(&[0.1], &normal).is_err());
    let prior = ConjugatePrior::new(&[1.0, 2.0], 3.0).unwrap();
    assert!(prior.log_density(&coin, &[0.1]).is_err());
    assert!(ConjugatePrior::new(&[f64::NAN], 1.0).is_err());
}
