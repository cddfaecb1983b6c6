//! Averages over samples of a posterior: Bayesian linear regression by a chain against its closed form.

use mercer::inference::monte_carlo::{Averaged, HmcParams, McmcParams, hamiltonian, predictive_average};
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
