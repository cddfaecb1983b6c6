//! Averages over samples of a posterior: Bayesian linear regression by a chain against its closed form.

use mercer::inference::monte_carlo::{
    Averaged, HmcParams, McmcParams, SliceParams, average_distributions, average_log_density,
    average_probabilities, hamiltonian, predictive_average,
};
use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::near;

#[test]
fn a_chain_predicts_what_the_closed_form_does() {
    // Ten points of a noisy sine, cubic features, prior precision 1, noise precision 11.1.
    let x = Array1::from_shape_fn(10, |i| 0.05 + 0.1 * i as f64);
    let t = array![0.509_f64, 0.409, 1.1, 1.109, 0.109, 0.191, -1.109, -0.95, -0.559, -0.659];
    let features = |x: &Array1<f64>| Array2::from_shape_fn((x.len(), 4), |(i, j)| x[i].powf(j as f64));
    let (phi, alpha, beta) = (features(&x), 1.0, 11.1);
    let log = |w: &[f64]| {
        let w = Array1::from(w.to_vec());
        let off = &t - &phi.dot(&w);
        let g = phi.t().dot(&off) * beta - &w * alpha;
        Ok((-0.5 * (beta * off.dot(&off) + alpha * w.dot(&w)), g.to_vec()))
    };
    let params = HmcParams::new().mcmc(McmcParams::new().samples(3000).seed(1));
    let chains = hamiltonian(&Array2::<f64>::zeros((2, 4)), &params, log).unwrap();
    let new = features(&array![0.2, 0.6]);
    let p = predictive_average(&chains.pooled(), |w| {
        Ok((new.dot(&Array1::from(w.to_vec())).to_vec(), vec![1.0 / beta; 2]))
    })
    .unwrap();
    // S⁻¹ = αI + βΦᵀΦ, m = βSΦᵀt, variance 1/β + φᵀSφ.
    let precision = phi.t().dot(&phi) * beta + Array2::<f64>::eye(4) * alpha;
    let params = mercer::linalg::SpdParams::default();
    let solve = |b: Array2<f64>| {
        mercer::linalg::solve_spd(&Device::cpu(), precision.view(), b.view(), &params).unwrap().x
    };
    let m = solve((phi.t().dot(&t) * beta).insert_axis(ndarray::Axis(1)));
    let spread = solve(new.t().to_owned());
    for i in 0..2 {
        near(p.mean[i], new.row(i).dot(&m.column(0)), 0.02);
        near(p.variance[i] * beta, 1.0 + beta * new.row(i).dot(&spread.column(i)), 0.05);
    }
    near(Averaged::log_density(&[0.1f64.ln(), 0.3f64.ln()]), 0.2f64.ln(), 1e-12);
    assert!(predictive_average(&Array2::<f64>::zeros((0, 1)), |_| Ok((vec![], vec![]))).is_err());
}

/// Processes at sampled hyper-parameters, one by one: what the posterior of hyper-parameters predicts by itself.
#[test]
fn processes_of_a_posterior_are_averaged() {
    let x = Array2::from_shape_fn((12, 1), |(i, _)| 0.5 * i as f64);
    let y = x.column(0).mapv(f64::sin);
    let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1);
    let slices = SliceParams::new().samples(6).burn_in(10).seed(2);
    let posterior = gp.sample_hyperparameters(&Device::cpu(), &x, &y, &slices).unwrap();
    let models: Vec<_> = (0..6).map(|s| posterior.at(s).unwrap()).collect();
    let new = array![[0.3], [2.2], [9.0]];
    let (got, want) =
        (average_distributions(&models, &new).unwrap(), posterior.predict_distribution(&new).unwrap());
    for i in 0..3 {
        near(got.mean[i], want.mean[i], 1e-12);
        near(got.variance[i], want.variance[i], 1e-12);
        let each = models.iter().map(|m| m.predict_distribution(&new).unwrap());
        let second: f64 = each.map(|p| p.variance[i] + p.mean[i].powi(2)).sum::<f64>() / 6.0;
        near(got.variance[i] + got.mean[i].powi(2), second, 1e-12);
    }
    assert!(average_distributions(&models[..0], &new).is_err());
    assert!(average_distributions(&models, &array![[0.0, 1.0]]).is_err());
}

/// Refits to rows drawn with replacement: classifiers and densities.
#[test]
fn refits_of_classifiers_and_densities_are_averaged() {
    let cpu = Device::cpu();
    let x = Array2::from_shape_fn((40, 2), |(i, j)| {
        (if i % 2 == 0 { 0.8 } else { -0.8 }) + ((i * (3 + 4 * j)) % 11) as f64 / 5.5 - 1.0
    });
    let labels: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "even" } else { "odd" }).collect();
    let mut rng = mercer::random::Philox::new(3, 0);
    let draws: Vec<Vec<usize>> =
        (0..5).map(|_| (0..40).map(|_| (rng.uniform() * 40.0) as usize).collect()).collect();
    let rows = |d: &Vec<usize>| x.select(ndarray::Axis(0), d);
    let names = |d: &Vec<usize>| d.iter().map(|i| labels[*i]).collect::<Vec<_>>();
    let new = array![[0.2, 0.1], [-1.0, 0.3], [2.0, 2.0]];
    let fits: Vec<_> =
        draws.iter().map(|d| LogisticRegression::new(0.1).fit(&cpu, &rows(d), &names(d)).unwrap()).collect();
    let p = average_probabilities(&fits, &new).unwrap();
    for i in 0..3 {
        near(p.row(i).sum(), 1.0, 1e-12);
        let want = fits.iter().map(|f| f.predict_proba(&new).unwrap()[[i, 1]]).sum::<f64>() / 5.0;
        near(p[[i, 1]], want, 1e-14);
    }
    // Of three classes here and two there no average is made.
    let mut three = labels.clone();
    three[0] = "none";
    let other = LogisticRegression::new(0.1).fit(&cpu, &x, &three).unwrap();
    assert!(average_probabilities(&[fits[0].clone(), other], &new).is_err());
    let densities: Vec<_> =
        draws.iter().map(|d| GaussianMixture::new(1).fit(&cpu, &rows(d)).unwrap()).collect();
    let log = average_log_density(&densities, &new).unwrap();
    for i in 0..3 {
        let each = densities.iter().map(|m| LogDensity::log_density(m, new.view()).unwrap()[i].exp());
        near(log[i], (each.sum::<f64>() / 5.0).ln(), 1e-10);
    }
    assert!(average_log_density(&densities[..0], &new).is_err());
}
