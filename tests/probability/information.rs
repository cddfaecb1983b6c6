//! Entropies, divergences and what they are made of: golden numbers of the notes, inequalities as properties.

use mercer::optim::Minimiser;
use mercer::probability::distributions::{Categorical, Dirichlet, Normal, Univariate};
use mercer::probability::information::*;
use ndarray::{Axis, array};

use crate::{all_near, near};

pub const P: [f64; 3] = [0.5, 0.3, 0.2];
pub const Q: [f64; 3] = [0.2, 0.2, 0.6];

pub fn random(k: usize, seed: u64) -> Vec<f64> {
    Dirichlet::new(&vec![1.0; k]).unwrap().sample(1, seed).unwrap().row(0).to_vec()
}

/// G.1, G.2, G.3, EM-03.
#[test]
fn entropies_and_divergences() {
    near(entropy(&[0.8, 0.2]).unwrap(), 0.5004024, 1e-7);
    near(entropy(&[0.25; 4]).unwrap(), 4f64.ln(), 1e-15);
    assert_eq!(entropy(&[1.0, 0.0]).unwrap(), 0.0);
    near(divergence(&P, &Q).unwrap(), 0.3600624406, 1e-10);
    near(divergence(&Q, &P).unwrap(), 0.3948162052, 1e-10);
    near(divergence(&P, &[0.2, 0.5, 0.3]).unwrap(), 0.2238046572, 1e-10);
    near(divergence(&[0.2, 0.5, 0.3], &P).unwrap(), 0.1937941979, 1e-10);
    near(cross_entropy(&P, &Q).unwrap(), entropy(&P).unwrap() + divergence(&P, &Q).unwrap(), 1e-14);
    assert_eq!(divergence(&[0.5, 0.5], &[1.0, 0.0]).unwrap(), f64::INFINITY);
    let c = Q.map(|q| 3.0 * q);
    near(divergence(&P, &c).unwrap(), divergence(&P, &Q).unwrap() - 3f64.ln(), 1e-14);
    near(bits(divergence(&P, &Q).unwrap()) * 2f64.ln(), divergence(&P, &Q).unwrap(), 1e-15);
    // A density may have a negative entropy.
    assert!(Normal::new(0.0, 0.01).unwrap().entropy() < 0.0);
    for seed in 0..20 {
        let (p, q) = (random(5, seed), random(5, seed + 100));
        assert!(divergence(&p, &q).unwrap() > 0.0 && divergence(&p, &p).unwrap() == 0.0);
        let middle: Vec<f64> = p.iter().zip(&q).map(|(p, q)| 0.5 * (p + q)).collect();
        assert!(entropy(&middle).unwrap() >= 0.5 * (entropy(&p).unwrap() + entropy(&q).unwrap()));
    }
    assert!(entropy(&[0.5, 0.6]).is_err() && divergence(&[0.5, 0.5], &[1.0]).is_err());
}

/// G.4.
#[test]
fn divergence_of_univariate_normals() {
    near(normal_divergence((0.0, 1.0), (1.0, 1.0)).unwrap(), 0.5, 1e-15);
    near(normal_divergence((0.0, 1.0), (1.0, 2.0)).unwrap(), 0.3465735903, 1e-10);
    near(normal_divergence((1.0, 2.0), (0.0, 1.0)).unwrap(), 0.6534264097, 1e-10);
    let (p, q) = (Normal::new(0.3, 0.7).unwrap(), Normal::new(-0.5, 1.9).unwrap());
    let direct =
        crate::integral(-12.0, 12.0, 20_000, |x| p.density(x) * (p.log_density(x) - q.log_density(x)));
    near(normal_divergence((0.3, 0.7), (-0.5, 1.9)).unwrap(), direct, 1e-9);
}

/// G.5: `E_p[LLR] = KL(p ‖ q) ≥ 0 ≥ E_q[LLR]`.
#[test]
fn log_likelihood_ratios() {
    let l = log_ratio(&P, &Q).unwrap();
    let mean = |w: &[f64]| w.iter().zip(&l).map(|(w, l)| w * l).sum::<f64>();
    near(mean(&P), divergence(&P, &Q).unwrap(), 1e-14);
    near(mean(&Q), -divergence(&Q, &P).unwrap(), 1e-14);
}

/// EM-04: Jensen's and Gibbs' inequalities.
#[test]
fn jensens_gap() {
    for seed in 0..20 {
        let (p, x) = (random(6, seed), random(6, seed + 50));
        assert!(jensen_gap(&p, &x, |x| x * x).unwrap() >= 0.0);
        assert!(jensen_gap(&p, &x, |x| -x.ln()).unwrap() >= 0.0);
        near(jensen_gap(&p, &[2.0; 6], f64::exp).unwrap(), 0.0, 1e-12);
    }
}

/// G.6, G.8, G.9.
#[test]
fn generalised_entropies_of_points() {
    let (p, x) = ([0.8, 0.2], [1.0, -1.0]);
    near(PointLoss::Squared.entropy(&p, &x).unwrap(), 0.64, 1e-15);
    near(PointLoss::ZeroOne.entropy(&p, &x).unwrap(), 0.2, 1e-15);
    // Brute force over estimates.
    let least = (0..=200)
        .map(|i| f64::from(i) * 0.01 - 1.0)
        .map(|e| 0.8 * (1.0 - e) * (1.0 - e) + 0.2 * (1.0 + e) * (1.0 + e));
    near(least.fold(f64::INFINITY, f64::min), 0.64, 1e-12);
    let joint = array![[0.3, 0.1], [0.05, 0.25], [0.1, 0.2]];
    let values = [0.0, 1.0, 3.0];
    for loss in [PointLoss::Squared, PointLoss::ZeroOne, PointLoss::Log] {
        let all = loss.entropy(&joint.sum_axis(Axis(1)).to_vec(), &values).unwrap();
        let given = loss.conditional_entropy(joint.view(), &values).unwrap();
        assert!(given <= all);
        near(loss.mutual_information(joint.view(), &values).unwrap(), all - given, 1e-12);
        let free = array![[0.06, 0.14], [0.24, 0.56]];
        near(loss.mutual_information(free.view(), &values[..2]).unwrap(), 0.0, 1e-14);
        assert_eq!(loss.entropy(&[0.0, 1.0, 0.0], &values).unwrap(), 0.0);
    }
    near(mutual_information(joint.view()).unwrap(), mutual_information(joint.t()).unwrap(), 1e-14);
    let h = entropy(&joint.sum_axis(Axis(1)).to_vec()).unwrap() - conditional_entropy(joint.view()).unwrap();
    near(mutual_information(joint.view()).unwrap(), h, 1e-14);
    // A single y may leave more uncertainty than no y.
    let odd = array![[0.9, 0.05], [0.0, 0.05]];
    let y = PointLoss::Log.entropy(&[0.5, 0.5], &values[..2]).unwrap();
    assert!(y > PointLoss::Log.entropy(&odd.sum_axis(Axis(1)).to_vec(), &values[..2]).unwrap());
}

/// G.7: the logarithm returns p; another loss does not.
#[test]
fn generalised_entropies_of_distributions() {
    let minimiser = Minimiser::new().tolerance(1e-10).max_iterations(2000);
    let (h, best) = distributional_entropy(&P, |q| (-q.ln(), -1.0 / q), &minimiser).unwrap();
    near(h, entropy(&P).unwrap(), 1e-10);
    all_near(&best, &P, 1e-5);
    let (h, best) = distributional_entropy(&P, |q| (1.0 - q, -1.0), &minimiser).unwrap();
    near(h, 0.5, 1e-3);
    assert!(best[0] > 0.99); // all on the mode
}

/// T.7: `NLL - KL(p_D ‖ p_θ) = H(p_D)`, whatever θ.
#[test]
fn maximum_likelihood_is_an_m_projection() {
    let x = [0usize, 1, 1, 2, 1, 0];
    let empirical = Categorical::fit(3, &x).unwrap();
    for seed in 0..5 {
        let theta = Categorical::new(&random(3, seed)).unwrap();
        let nll = -x.iter().map(|&x| theta.log_density(x)).sum::<f64>() / 6.0;
        let kl = divergence(empirical.probabilities(), theta.probabilities()).unwrap();
        near(nll - kl, empirical.entropy(), 1e-13);
    }
}
