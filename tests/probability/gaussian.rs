//! Normal distributions of several numbers: algebra as theorems.

use mercer::Device;
use mercer::probability::distributions::{Gamma, Normal, Univariate};
use mercer::probability::gaussian::*;
use mercer::probability::tables::{covariance, kolmogorov_distance};
use ndarray::{Array1, Array2, Axis, array};
use serde_json::Value;

use crate::{all_near, near};

fn five() -> MultivariateNormal {
    let a = Array2::from_shape_fn((5, 5), |(i, j)| {
        ((i * 3 + j * j) as f64).sin() + if i == j { 2.0 } else { 0.0 }
    });
    MultivariateNormal::new(array![0.3, -1.0, 2.0, 0.0, 0.5].view(), (a.dot(&a.t())).view()).unwrap()
}

fn flat(a: &Array2<f64>) -> Vec<f64> {
    a.iter().copied().collect()
}

/// P-10: scipy; diagonal = product; rotation; counts.
#[test]
fn densities_full_diagonal_spherical() {
    let all: Value = serde_json::from_str(include_str!("../oracle/probability.json")).unwrap();
    let n = MultivariateNormal::new(array![0.5, -0.5].view(), array![[2.0, 0.4], [0.4, 1.0]].view()).unwrap();
    let x = array![[2.0, 1.0]];
    near(n.log_density(x.view()).unwrap()[0], all["matrix"]["multivariate_normal"].as_f64().unwrap(), 1e-12);
    let d = MultivariateNormal::diagonal(array![0.5, -0.5].view(), array![2.0, 3.0].view()).unwrap();
    let product =
        Normal::new(0.5, 2.0).unwrap().log_density(2.0) + Normal::new(-0.5, 3.0).unwrap().log_density(1.0);
    near(d.log_density(x.view()).unwrap()[0], product, 1e-13);
    let (s, c) = (0.7f64.sin(), 0.7f64.cos());
    let turn = array![[c, -s], [s, c]];
    let ball = MultivariateNormal::spherical(array![0.0, 0.0].view(), 1.7).unwrap();
    near(ball.log_density(x.dot(&turn).view()).unwrap()[0], ball.log_density(x.view()).unwrap()[0], 1e-13);
    let turned =
        MultivariateNormal::new(n.mean().dot(&turn).view(), turn.t().dot(&n.covariance().dot(&turn)).view())
            .unwrap();
    near(turned.log_density(x.dot(&turn).view()).unwrap()[0], n.log_density(x.view()).unwrap()[0], 1e-12);
    assert_eq!((n.parameters(), d.parameters(), ball.parameters()), (2 + 3, 2 + 2, 2 + 1));
    let by_precision = MultivariateNormal::from_precision(n.mean().view(), n.precision().view()).unwrap();
    all_near(&flat(by_precision.covariance()), &flat(n.covariance()), 1e-13);
    let by_factor = MultivariateNormal::from_factor(n.mean().view(), n.factor().view()).unwrap();
    all_near(&flat(by_factor.covariance()), &flat(n.covariance()), 1e-14);
    assert!(MultivariateNormal::new(array![0.0, 0.0].view(), array![[1.0, 2.0], [2.0, 1.0]].view()).is_err());
    let on = n.log_density_on(&Device::cpu(), x.view()).unwrap();
    near(on[0], n.log_density(x.view()).unwrap()[0], 1e-13);
    near(
        n.entropy(),
        -n.sample(40_000, 1).map(|r| n.log_density(r.view()).unwrap().mean().unwrap()).unwrap(),
        0.02,
    );
}

/// P-11, P-12, GP-03: marginals commute; `p(x₁|x₂) p(x₂) = p(x₁, x₂)`; a conditional is no wider and its width does not see x₂.
#[test]
fn marginals_and_conditionals() {
    let n = five();
    let twice = n.marginal(&[4, 2, 0]).unwrap().marginal(&[1, 2]).unwrap();
    assert_eq!(twice.covariance(), n.marginal(&[2, 0]).unwrap().covariance());
    let x = array![[0.1, 0.2, -0.3, 0.4, 0.9]];
    let given = n.condition(&[0, 3], array![0.1, 0.4].view()).unwrap();
    let own = given.log_density(array![[0.2, -0.3, 0.9]].view()).unwrap()[0];
    let rest = n.marginal(&[0, 3]).unwrap().log_density(array![[0.1, 0.4]].view()).unwrap()[0];
    near(own + rest, n.log_density(x.view()).unwrap()[0], 1e-11);
    let other = n.condition(&[0, 3], array![5.0, -7.0].view()).unwrap();
    assert_eq!(given.covariance(), other.covariance());
    for (at, entry) in [1usize, 2, 4].into_iter().enumerate() {
        assert!(given.covariance()[[at, at]] <= n.covariance()[[entry, entry]]);
    }
    let apart = MultivariateNormal::diagonal(array![1.0, 2.0].view(), array![1.0, 4.0].view()).unwrap();
    let one = apart.condition(&[0], array![9.0].view()).unwrap();
    assert_eq!((one.mean()[0], one.covariance()[[0, 0]]), (2.0, 4.0));
    assert!(n.condition(&[0, 0], array![0.0, 0.0].view()).is_err() && n.marginal(&[7]).is_err());
}

/// P-13: sums and affine maps, against draws.
#[test]
fn sums_maps_and_products() {
    let n = five().marginal(&[0, 1]).unwrap();
    let m = MultivariateNormal::new(array![1.0, -1.0].view(), array![[1.0, 0.3], [0.3, 0.5]].view()).unwrap();
    let sum = n.plus(&m).unwrap();
    let draws = n.sample(60_000, 1).unwrap() + m.sample(60_000, 2).unwrap();
    all_near(&flat(&covariance(draws.view(), 0).unwrap()), &flat(sum.covariance()), 0.25);
    all_near(&draws.mean_axis(Axis(0)).unwrap().to_vec(), &sum.mean().to_vec(), 0.05);
    let a = array![[1.0, 2.0], [0.0, -1.0]];
    let mapped = n.affine(a.view(), array![3.0, 4.0].view()).unwrap();
    all_near(&flat(mapped.covariance()), &flat(&a.dot(&n.covariance().dot(&a.t()))), 1e-12);
    let (product, log) = n.product(&m).unwrap();
    let x = array![[0.4, -0.2]];
    let both = n.log_density(x.view()).unwrap()[0] + m.log_density(x.view()).unwrap()[0];
    near(product.log_density(x.view()).unwrap()[0] + log, both, 1e-11);
}

/// GP-06: `∫ N(a|Bc, D) N(c|e, F) dc = N(a|Be, D + BFBᵀ)`, and Bayes' rule for c.
#[test]
fn the_linear_gaussian_integral() {
    let prior =
        MultivariateNormal::new(array![0.5, -1.0].view(), array![[2.0, 0.4], [0.4, 1.0]].view()).unwrap();
    let map = array![[1.0, 0.5], [0.0, 2.0], [1.0, -1.0]];
    let noise = Array2::from_diag(&array![0.1, 0.2, 0.3]);
    let b = array![0.0, 1.0, 0.0];
    let model = LinearGaussian::new(prior.clone(), map.view(), b.view(), noise.view()).unwrap();
    let y = array![0.3, -1.0, 1.2];
    // ln p(y) = ln p(y|x) + ln p(x) - ln p(x|y), at any x.
    let x = array![[0.1, -0.7]];
    let at = MultivariateNormal::new((map.dot(&x.row(0)) + &b).view(), noise.view()).unwrap();
    let right = at.log_density(y.view().insert_axis(Axis(0))).unwrap()[0]
        + prior.log_density(x.view()).unwrap()[0]
        - model.posterior(y.view()).unwrap().log_density(x.view()).unwrap()[0];
    near(model.log_evidence(y.view()).unwrap(), right, 1e-11);
    let draws = prior.sample(50_000, 1).unwrap().dot(&map.t()) + &b;
    let predictive = model.predictive().unwrap();
    all_near(&flat(&(covariance(draws.view(), 0).unwrap() + noise)), &flat(predictive.covariance()), 0.15);
}

/// P-14: `A Aᵀ = Σ` for both routes; Mahalanobis distances are chi-square; a singular Σ stays in its range.
#[test]
fn draws_by_cholesky_and_by_eigenvectors() {
    let n = five();
    let chi = Gamma::new(2.5, 0.5).unwrap();
    let (mean, sigma) = (n.mean().view(), n.covariance().view());
    for x in [sample_cholesky(mean, sigma, 4000, 5).unwrap(), sample_eigen(mean, sigma, 4000, 5).unwrap()] {
        let far = n.mahalanobis(x.view()).unwrap().to_vec();
        assert!(kolmogorov_distance(&far, &chi).unwrap() * 4000f64.sqrt() < 1.95);
        let scale = n.covariance().iter().fold(0f64, |m, v| m.max(v.abs()));
        all_near(&flat(&covariance(x.view(), 0).unwrap()), &flat(n.covariance()), 0.1 * scale);
    }
    let line = array![[1.0, 2.0], [2.0, 4.0]];
    let zero = Array1::zeros(2);
    let x = sample_eigen(zero.view(), line.view(), 500, 1).unwrap();
    assert!(x.rows().into_iter().all(|r| (r[1] - 2.0 * r[0]).abs() < 1e-12));
    assert!(sample_cholesky(zero.view(), line.view(), 5, 1).is_err());
    assert!(sample_eigen(zero.view(), array![[1.0, 2.0], [2.0, 1.0]].view(), 5, 1).is_err());
}

/// GP-20.
#[test]
fn woodbury_and_the_determinant_lemma() {
    let k = five().covariance().clone();
    let inverse = five().precision();
    let u = Array2::from_shape_fn((5, 2), |(i, j)| (i as f64 - j as f64).cos());
    let v = Array2::from_shape_fn((2, 5), |(i, j)| (i as f64 * 0.3 + j as f64).sin());
    let c = array![[1.5, 0.2], [-0.4, 0.8]];
    let whole = &k + &u.dot(&c).dot(&v);
    let found = woodbury_inverse(inverse.view(), u.view(), c.view(), v.view()).unwrap();
    all_near(&flat(&whole.dot(&found)), &flat(&Array2::eye(5)), 1e-9);
    // Of a symmetric update the determinant is that of a Cholesky factor.
    let c = array![[1.5, 0.2], [0.2, 0.8]];
    let whole = &k + &u.dot(&c).dot(&u.t());
    let log = woodbury_log_det(inverse.view(), five().log_det(), u.view(), c.view(), u.t()).unwrap();
    near(log, MultivariateNormal::new(Array1::zeros(5).view(), whole.view()).unwrap().log_det(), 1e-10);
    let d = [0.5, 2.0, 0.0, 1.0, 3.0];
    let (left, _) = posterior_covariance(k.view(), &d).unwrap();
    let sum = inverse + Array2::from_diag(&Array1::from(d.to_vec()));
    all_near(&flat(&left.dot(&sum)), &flat(&Array2::eye(5)), 1e-9);
}

/// G.4: golden numbers and zero for equals only.
#[test]
fn divergences_of_normals() {
    let one = |m: f64, v: f64| MultivariateNormal::new(array![m].view(), array![[v]].view()).unwrap();
    near(one(0.0, 1.0).divergence(&one(1.0, 1.0)).unwrap(), 0.5, 1e-14);
    near(one(0.0, 1.0).divergence(&one(1.0, 2.0)).unwrap(), 0.3465735903, 1e-10);
    near(one(1.0, 2.0).divergence(&one(0.0, 1.0)).unwrap(), 0.6534264097, 1e-10);
    near(five().divergence(&five()).unwrap(), 0.0, 1e-12);
}

#[test]
fn fits_by_likelihood_and_by_posterior() {
    use mercer::probability::distributions::NormalInverseWishart;
    let x = five().sample(50, 3).unwrap();
    let n = MultivariateNormal::fit(x.view()).unwrap();
    all_near(&flat(n.covariance()), &flat(&covariance(x.view(), 0).unwrap()), 1e-10);
    let weak =
        NormalInverseWishart::new(Array1::zeros(5).view(), 1e-9, 4.0 + 1e-6, (Array2::eye(5) * 1e-9).view())
            .unwrap();
    let map = MultivariateNormal::fit_map(x.view(), Array1::ones(50).view(), &weak).unwrap();
    all_near(&map.mean().to_vec(), &n.mean().to_vec(), 1e-7);
    all_near(&flat(map.covariance()), &flat(&(n.covariance() * (50.0 / (50.0 + 4.0 + 5.0 + 2.0)))), 1e-4);
}

/// On every adapter, far from the origin.
#[test]
fn batches_on_every_adapter() {
    use mercer::device::DeviceOptions;
    let n = MultivariateNormal::new(array![5e4, -3.0].view(), array![[2.0, 0.4], [0.4, 1.0]].view()).unwrap();
    let x = n.sample(300, 1).unwrap();
    let want = n.log_density(x.view()).unwrap();
    for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
        let device = DeviceOptions::new().index(adapter.index).threshold(0.0).open().unwrap();
        all_near(&n.log_density_on(&device, x.view()).unwrap().to_vec(), &want.to_vec(), 2e-3);
    }
}
