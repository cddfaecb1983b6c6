//! Expectation propagation: exact with normal sites, close with probit ones.

use mercer::inference::variational::{ExpectationPropagation, NormalSite, ProbitSite, QuadratureSite, Site};
use ndarray::{Array2, array};

use crate::{near, normal_cdf};

#[test]
fn normal_sites_are_exact() {
    let directions = array![[1.0, 0.5], [-0.3, 2.0], [1.0, 1.0]];
    let (y, v) = ([0.7, -1.0, 2.0], [0.5, 1.0, 0.2]);
    let sites: Vec<Box<dyn Site>> =
        (0..3).map(|i| Box::new(NormalSite { value: y[i], variance: v[i] }) as Box<dyn Site>).collect();
    let prior = array![[1.0, 0.2], [0.2, 2.0]];
    let found = ExpectationPropagation::new(array![0.1, -0.1], prior.clone())
        .unwrap()
        .run(&directions, &sites)
        .unwrap();
    // y ~ N(A m, A V Aᵀ + diag v); the posterior by the joint normal distribution.
    let s = directions.dot(&prior).dot(&directions.t()) + Array2::from_diag(&array![0.5, 1.0, 0.2]);
    let off = array![0.7, -1.0, 2.0] - directions.dot(&array![0.1, -0.1]);
    let params = mercer::linalg::SpdParams::default();
    let solve = |b: Array2<f64>| {
        mercer::linalg::solve_spd(&mercer::Device::cpu(), s.view(), b.view(), &params).unwrap().x
    };
    let gain = solve(directions.dot(&prior)).t().to_owned();
    let mean = array![0.1, -0.1] + gain.dot(&off);
    let covariance = &prior - &gain.dot(&directions.dot(&prior));
    for i in 0..2 {
        near(found.mean()[i], mean[i], 1e-9);
        (0..2).for_each(|j| near(found.covariance()[[i, j]], covariance[[i, j]], 1e-9));
    }
    let det = s[[0, 0]] * (s[[1, 1]] * s[[2, 2]] - s[[1, 2]].powi(2))
        - s[[0, 1]] * (s[[0, 1]] * s[[2, 2]] - s[[1, 2]] * s[[0, 2]])
        + s[[0, 2]] * (s[[0, 1]] * s[[1, 2]] - s[[1, 1]] * s[[0, 2]]);
    let square = off.dot(&solve(off.clone().insert_axis(ndarray::Axis(1))).column(0));
    near(found.log_evidence(), -0.5 * (square + det.ln() + 3.0 * (2.0 * std::f64::consts::PI).ln()), 1e-8);
}

#[test]
fn one_probit_site_is_exact_and_several_are_close() {
    let one: Vec<Box<dyn Site>> = vec![Box::new(ProbitSite { label: 1.0 })];
    let ep = ExpectationPropagation::new(array![0.3], array![[2.0]]).unwrap();
    let found = ep.run(&array![[1.5]], &one).unwrap();
    near(found.log_evidence(), normal_cdf(0.45 / (1.0 + 4.5f64).sqrt()).ln(), 1e-9);
    // By quadrature, the same moments.
    let same: Vec<Box<dyn Site>> = vec![Box::new(QuadratureSite(|s: f64| normal_cdf(s).ln()))];
    let other = ep.run(&array![[1.5]], &same).unwrap();
    near(found.mean()[0], other.mean()[0], 1e-6);
    near(found.covariance()[[0, 0]], other.covariance()[[0, 0]], 1e-6);
    // Three labels of one weight, against quadrature of the posterior.
    let inputs = [1.0, -0.5, 2.0];
    let labels = [1.0, 1.0, -1.0];
    let sites: Vec<Box<dyn Site>> =
        labels.iter().map(|l| Box::new(ProbitSite { label: *l }) as Box<dyn Site>).collect();
    let found = ep.run(&array![[1.0], [-0.5], [2.0]], &sites).unwrap();
    let (mut z, mut m, step) = (0.0, 0.0, 0.005);
    for i in -2400..2400 {
        let w = f64::from(i) * step;
        let p: f64 = (0..3).map(|k| normal_cdf(labels[k] * inputs[k] * w)).product::<f64>()
            * (-0.25 * (w - 0.3).powi(2)).exp()
            / (4.0 * std::f64::consts::PI).sqrt();
        z += p * step;
        m += p * w * step;
    }
    near(found.log_evidence(), z.ln(), 0.01);
    near(found.mean()[0], m / z, 0.01);
}

#[test]
fn even_sites_converge_in_their_variance() {
    // Student's densities about zero never move the mean: what must settle is the variance.
    let student = || QuadratureSite(|s: f64| -2.0 * (1.0 + 400.0 * s * s).ln());
    let sites: Vec<Box<dyn Site>> = (0..3).map(|_| Box::new(student()) as Box<dyn Site>).collect();
    let ep = ExpectationPropagation::new(array![0.0], array![[4.0]]).unwrap();
    let found = ep.run(&array![[1.0], [1.0], [1.0]], &sites).unwrap();
    // By symmetry the sites end with one precision τ, that of 1/v - (1/4 + 2τ) with v the tilted variance.
    let mut tau = 0.0;
    for _ in 0..400 {
        let cavity = 0.25 + 2.0 * tau;
        let (_, _, v) = student().tilted(0.0, 1.0 / cavity).unwrap();
        tau = 0.5 * tau + 0.5 * (1.0 / v - cavity);
    }
    near(found.mean()[0], 0.0, 1e-9);
    let want = 1.0 / (0.25 + 3.0 * tau);
    near(found.covariance()[[0, 0]] / want, 1.0, 1e-6);
}
