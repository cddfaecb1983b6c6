//! Bounds on the likelihood: the numbers of the notes, and identities.

use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::{random, spd};
use crate::{near, slopes};

/// z ~ N(0, 1), x | z ~ N(z, 1).
fn small() -> LinearDecoder {
    LinearDecoder::new(array![[1.0]], array![0.0], 1.0).unwrap()
}

#[test]
fn the_bounds_of_the_notes() {
    let x = array![1.0];
    near(small().log_evidence(x.view()).unwrap(), -1.515512123, 1e-9);
    for (m, v, want) in [(0.0, 1.0, -1.918938533), (0.2, 0.3, -1.660924935), (0.5, 0.5, -1.515512123)] {
        let bound = small().elbo(x.view(), array![m].view(), array![[v]].view()).unwrap();
        near(bound.energy_and_entropy, want, 1e-9);
        near(bound.reconstruction_less_kl, want, 1e-9);
        near(bound.evidence_less_gap, want, 1e-9);
    }
}

#[test]
fn all_forms_are_equal_and_below_the_evidence() {
    let model = LinearDecoder::new(random(4, 2, 1), Array1::from_elem(4, 0.3), 0.6).unwrap();
    for seed in 2..8 {
        let (x, m, v) = (
            random(1, 4, seed).row(0).to_owned(),
            random(1, 2, seed + 9).row(0).to_owned(),
            spd(2, seed) * 0.3,
        );
        let bound = model.elbo(x.view(), m.view(), v.view()).unwrap();
        near(bound.energy_and_entropy, bound.reconstruction_less_kl, 1e-12);
        near(bound.energy_and_entropy, bound.evidence_less_gap, 1e-11);
        let evidence = model.log_evidence(x.view()).unwrap();
        assert!(bound.evidence_less_gap < evidence);
        let (b, r) = model.posterior(x.view()).unwrap();
        near(model.elbo(x.view(), b.view(), r.view()).unwrap().reconstruction_less_kl, evidence, 1e-11);
    }
}

#[test]
fn divergences_of_the_notes() {
    let mean = array![0.5, -1.0];
    near(kl_to_standard(mean.view(), array![0.25f64.ln(), 2f64.ln()].view()).unwrap(), 1.09657359, 1e-8);
    near(
        kl_to_standard_full(mean.view(), array![[0.5, 0.2], [0.2, 0.8]].view()).unwrap(),
        0.7858256238,
        1e-9,
    );
    near(kl_to_standard_full(mean.view(), array![[0.25, 0.0], [0.0, 2.0]].view()).unwrap(), 1.09657359, 1e-8);
    assert_eq!(kl_to_standard(array![0.0].view(), array![0.0].view()).unwrap(), 0.0);
    // Gradients μ and ½(σ² - 1), by s.
    let g = slopes(&[0.5, -1.0, 0.3, -0.7], 1e-6, |v| {
        kl_to_standard(array![v[0], v[1]].view(), array![v[2], v[3]].view()).unwrap()
    });
    [0.5, -1.0, 0.5 * 0.3f64.exp_m1(), 0.5 * (-0.7f64).exp_m1()]
        .iter()
        .zip(&g)
        .for_each(|(w, g)| near(*g, *w, 1e-8));
    assert!(kl_to_standard_full(mean.view(), array![[1.0, 2.0], [2.0, 1.0]].view()).is_err());
}

#[test]
fn the_reparametrised_gradient_of_the_notes() {
    let (m, s, e) = (array![[0.2]], array![[0.3f64.ln()]], array![[0.7]]);
    let z = reparametrise(&m, &s, &e).unwrap();
    // ∂ ln N(x; z, 1)/∂z at x = 1.
    let (by_mean, by_log) = reparametrised_gradient(&z.mapv(|z| 1.0 - z), &s, &e).unwrap();
    near(by_mean[[0, 0]], 0.4165942097, 1e-9);
    near(by_log[[0, 0]] / 0.3, 0.2662077203, 1e-9);
    // On average the gradient of E ln p = -½((1 - m)² + v) + constant: 0.8 and -0.5.
    let n = 40_000;
    let mut noise = Array2::zeros((n, 1));
    // Quantiles of a normal law instead of draws: their mean is all but exact.
    for i in 0..n {
        noise[[i, 0]] = normal_quantile((i as f64 + 0.5) / n as f64);
    }
    let (m, s) = (Array2::from_elem((n, 1), 0.2), Array2::from_elem((n, 1), 0.3f64.ln()));
    let z = reparametrise(&m, &s, &noise).unwrap();
    let (by_mean, by_log) = reparametrised_gradient(&z.mapv(|z| 1.0 - z), &s, &noise).unwrap();
    near(by_mean.mean().unwrap(), 0.8, 1e-6);
    near(by_log.mean().unwrap() / 0.3, -0.5, 1e-3);
}

fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let below = 0.5 * erfc(-middle / 2f64.sqrt());
        if below < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// erfc by the activation that the crate has.
fn erfc(a: f64) -> f64 {
    1.0 - Activation::Erf.value(a)
}

/// The bound for s draws from the prior at x = 1, by quadrature over all of them.
#[test]
fn importance_weighted_bounds_of_the_notes() {
    let nodes: Vec<(f64, f64)> = (0..80)
        .map(|i| -8.0 + 16.0 * (f64::from(i) + 0.5) / 80.0)
        .map(|z: f64| (z, 0.2 * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()))
        .collect();
    let weight = |z: f64| -0.5 * (std::f64::consts::TAU.ln() + (1.0 - z) * (1.0 - z));
    let one: f64 = nodes.iter().map(|(z, p)| p * importance_bound(&[weight(*z)]).unwrap()).sum();
    near(one, -1.918938533, 1e-8);
    let mut two = 0.0;
    let mut three = 0.0;
    for (a, p) in &nodes {
        for (b, q) in &nodes {
            two += p * q * importance_bound(&[weight(*a), weight(*b)]).unwrap();
            for (c, r) in &nodes {
                three += p * q * r * importance_bound(&[weight(*a), weight(*b), weight(*c)]).unwrap();
            }
        }
    }
    near(two, -1.653473787, 1e-7);
    near(three, -1.5940666, 1e-6);
    assert!(one < two && two < three && three < -1.515512123);
    // At the posterior every weight is the evidence, whatever is drawn.
    let exact = |z: f64| weight(z) - 0.5 * z * z + (z - 0.5).powi(2) - 0.5 * 2f64.ln();
    for z in [-1.0, 0.3, 2.0] {
        near(importance_bound(&[exact(z), exact(z + 1.0)]).unwrap(), -1.515512123, 1e-9);
    }
    assert!(importance_bound(&[]).is_err());
}

#[test]
fn the_linear_autoencoder_of_the_notes() {
    let model = LinearDecoder::new(array![[1.0], [0.5], [-0.5]], Array1::zeros(3), 0.4).unwrap();
    let x = array![1.0, 0.0, -1.0];
    let (b, r) = model.posterior(x.view()).unwrap();
    near(b[0], 0.7894736842, 1e-10);
    near(r[[0, 0]], 0.2105263158, 1e-10);
    near(model.log_evidence(x.view()).unwrap(), -3.181188653, 1e-9);
    near(model.elbo(x.view(), b.view(), r.view()).unwrap().energy_and_entropy, -3.181188653, 1e-9);
}

/// One linear encoder finds the posterior of every row; its mean bound is no better than rows on their own.
#[test]
fn amortised_inference_finds_the_posterior() {
    let model = LinearDecoder::new(random(3, 1, 4), array![0.1, 0.2, 0.3], 0.5).unwrap();
    let x = random(30, 3, 5);
    let encoder = Network::mlp(3, &[], 2, Activation::Tanh).unwrap();
    let training = Training::new(Minimiser::new().tolerance(1e-10)).epochs(500);
    let (w, report) = model.amortise(&encoder, &x, &training).unwrap();
    let coded = encoder.forward(&w, &x).unwrap();
    let mut evidence = 0.0;
    for n in 0..30 {
        let (b, r) = model.posterior(x.row(n)).unwrap();
        near(coded[[n, 0]], b[0], 1e-6);
        near(coded[[n, 1]].exp(), r[[0, 0]], 1e-6);
        evidence += model.log_evidence(x.row(n)).unwrap() / 30.0;
    }
    near(-report.objective(), evidence, 1e-9);
    // An encoder that cannot tell rows apart has a smaller bound: the price of amortising.
    let mask = Array2::from_elem((2, 3), false);
    let blind = Network::new(vec![Layer::sparse(&mask)]).unwrap();
    let (_, report) = model.amortise(&blind, &x, &training).unwrap();
    assert!(-report.objective() < evidence - 0.01);
}
