//! Variational free energy of mixtures, for any q.

use mercer::inference::FreeEnergy;
use mercer::probability::distributions::{Dirichlet, Normal, Univariate};
use ndarray::Array2;

use crate::near;

fn log_joint(x: &[f64]) -> Array2<f64> {
    let parts = [(0.3f64, Normal::new(0.0, 1.0).unwrap()), (0.7, Normal::new(2.0, 0.5).unwrap())];
    Array2::from_shape_fn((x.len(), 2), |(i, k)| parts[k].0.ln() + parts[k].1.log_density(x[i]))
}

/// EM-05, VI-01: `F ≤ ln p` for any q, equal at the posterior, `ln p = F + KL`.
#[test]
fn the_bound_and_its_gap() {
    let joint = log_joint(&[0.1, 1.7, -0.4, 2.2]);
    let best = FreeEnergy::posterior(joint.view()).unwrap();
    let top = FreeEnergy::new(joint.view(), best.view()).unwrap();
    near(top.value(), top.log_likelihood, 1e-13);
    near(top.divergence, 0.0, 1e-13);
    for seed in 0..20 {
        let q = Dirichlet::new(&[1.0, 1.0]).unwrap().sample(4, seed).unwrap();
        let f = FreeEnergy::new(joint.view(), q.view()).unwrap();
        assert!(f.value() <= f.log_likelihood && f.divergence >= 0.0);
        near(f.energy + f.entropy + f.divergence, f.log_likelihood, 1e-12);
    }
    assert!(FreeEnergy::new(joint.view(), Array2::ones((4, 2)).view()).is_err());
}

/// EM-01: the factorised sum is the sum over all `K^n` assignments.
#[test]
fn marginal_likelihood_by_brute_force() {
    let joint = log_joint(&[0.1, 1.7, -0.4, 2.2, 0.9]);
    let mut sum = 0.0;
    for code in 0..32usize {
        sum += (0..5).map(|i| joint[[i, code >> i & 1]]).sum::<f64>().exp();
    }
    let best = FreeEnergy::posterior(joint.view()).unwrap();
    near(FreeEnergy::new(joint.view(), best.view()).unwrap().log_likelihood, sum.ln(), 1e-12);
}
