//! Bounds on the evidence, with the numbers of the notes: x = 0 under N(2, 1) or N(θ, 1), half and half.

use mercer::inference::variational::{
    elbo, elbo_forms, evidence_gradient, free_energy, multi_sample_bound, renyi_bound, sampled_bound,
};
use ndarray::array;

use crate::near;

fn log_normal(x: f64, m: f64) -> f64 {
    -0.5 * (x - m).powi(2) - 0.5 * (2.0 * std::f64::consts::PI).ln()
}

/// log p(x = 0, z) for z = 0 (mean 2) and z = 1 (mean θ).
fn joint(theta: f64) -> [f64; 2] {
    [0.5f64.ln() + log_normal(0.0, 2.0), 0.5f64.ln() + log_normal(0.0, theta)]
}

fn evidence(theta: f64) -> f64 {
    let j = joint(theta);
    (j[0].exp() + j[1].exp()).ln()
}

#[test]
fn the_four_forms_agree_and_are_those_of_the_notes() {
    let want = [
        (0.8807971, [-1.485158, -1.925556, -3.246752, -5.448745]),
        (0.5, [-1.918939, -2.168939, -2.918939, -4.168939]),
        (0.0758582, [-3.191834, -3.229763, -3.343551, -3.533196]),
    ];
    for (phi, values) in want {
        for (theta, value) in (0..4).map(f64::from).zip(values) {
            let (q, j) = ([1.0 - phi, phi], joint(theta));
            let likelihood = [log_normal(0.0, 2.0), log_normal(0.0, theta)];
            let forms = elbo_forms(&q, &[0.5f64.ln(); 2], &likelihood).unwrap();
            for form in forms {
                near(form, value, 1e-6);
                near(form, elbo(&q, &j).unwrap(), 1e-12);
            }
            near(free_energy(&q, &j).unwrap(), -forms[0], 1e-12);
            assert!(forms[0] <= evidence(theta) + 1e-9);
        }
    }
}

#[test]
fn free_energy_is_least_at_the_posterior_and_shifts_with_the_joint() {
    let j = joint(1.0);
    let posterior = j.map(|v| (v - evidence(1.0)).exp());
    near(free_energy(&posterior, &j).unwrap(), -evidence(1.0), 1e-12);
    for phi in [0.0, 0.2, 0.9, 1.0] {
        assert!(free_energy(&[1.0 - phi, phi], &j).unwrap() >= -evidence(1.0));
    }
    let shifted = j.map(|v| v + 3.0);
    near(free_energy(&posterior, &shifted).unwrap(), -evidence(1.0) - 3.0, 1e-12);
    assert_eq!(elbo(&[0.5, 0.5], &[0.0, f64::NEG_INFINITY]).unwrap(), f64::NEG_INFINITY);
}

#[test]
fn several_samples_tighten_the_bound() {
    let want = [(1, -1.9189385), (2, -1.7020481), (3, -1.6185846), (5, -1.5562010), (10, -1.5170564)];
    let mut before = f64::NEG_INFINITY;
    for (k, value) in want {
        let bound = multi_sample_bound(&[0.5, 0.5], &joint(0.0), k).unwrap();
        near(bound, value, 1e-7);
        assert!(bound > before && bound < evidence(0.0));
        before = bound;
        let j = joint(0.0);
        let (mean, error) =
            sampled_bound(k, 4000, 1, |rng| Ok(j[usize::from(rng.bernoulli(0.5))] - 0.5f64.ln())).unwrap();
        near(mean, value, 4.0 * error);
    }
    near(evidence(0.0), -1.4851577, 1e-7);
}

#[test]
fn renyi_bounds_fall_with_alpha_from_the_evidence_through_the_elbo() {
    let (q, j) = ([0.4, 0.6], joint(0.5));
    near(renyi_bound(&q, &j, 0.0).unwrap(), evidence(0.5), 1e-12);
    near(renyi_bound(&q, &j, 1.0 - 1e-6).unwrap(), elbo(&q, &j).unwrap(), 1e-5);
    let values: Vec<f64> = [0.0, 0.3, 0.7, 1.0, 1.5, 4.0].map(|a| renyi_bound(&q, &j, a).unwrap()).to_vec();
    assert!(values.windows(2).all(|w| w[1] < w[0]), "{values:?}");
}

#[test]
fn the_evidence_has_the_posteriors_average_gradient() {
    for theta in [-1.5, 0.0, 0.7, 3.0] {
        // d log p(x, z)/dθ is -θ for z = 1 (x = 0), zero for z = 0.
        let g = evidence_gradient(&joint(theta), array![[0.0], [-theta]].view()).unwrap();
        let h = 1e-6;
        near(g[0], (evidence(theta + h) - evidence(theta - h)) / (2.0 * h), 1e-8);
        near(g[0], -theta / (1.0 + (0.5 * theta * theta - 2.0).exp()), 1e-12);
    }
}

#[test]
fn what_is_no_distribution_is_refused() {
    assert!(elbo(&[0.5, 0.6], &[0.0, 0.0]).is_err());
    assert!(elbo(&[0.5], &[0.0, 0.0]).is_err());
    assert!(elbo(&[1.0], &[f64::NAN]).is_err());
    assert!(multi_sample_bound(&[0.5, 0.5], &[0.0, 0.0], 0).is_err());
    assert!(multi_sample_bound(&vec![1.0 / 40.0; 40], &vec![0.0; 40], 40).is_err());
}

#[test]
fn a_joint_that_vanishes_has_no_bound_and_no_nan() {
    let none = f64::NEG_INFINITY;
    for k in 1..4 {
        assert_eq!(multi_sample_bound(&[0.5, 0.5, 0.0], &[none, none, 0.0], k).unwrap(), none);
        assert_eq!(multi_sample_bound(&[0.5, 0.5], &[none, 0.0], k).unwrap(), none);
    }
    // A set of probability below the least number is still one that may be drawn.
    assert_eq!(multi_sample_bound(&[1.0 - 1e-16, 1e-200], &[0.0, none], 2).unwrap(), none);
    let forms = elbo_forms(&[0.5, 0.5], &[0.5f64.ln(); 2], &[none; 2]).unwrap();
    assert_eq!(forms, [none; 4]);
    assert_eq!(renyi_bound(&[0.5, 0.5], &[0.0, none], 2.0).unwrap(), none);
    // Weights far apart: at one sample it is the bound of always.
    let far = [0.0, -2000.0];
    near(multi_sample_bound(&[0.5, 0.5], &far, 1).unwrap(), elbo(&[0.5, 0.5], &far).unwrap(), 1e-9);
}
