//! Variational autoencoders.

use mercer::optim::{Adam, Schedule};
use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::{all_near, near, slopes};

fn rows() -> Array2<f64> {
    random(60, 2, 1).dot(&array![[1.0, 0.5, -0.7], [0.2, -0.4, 0.9]]) + random(60, 3, 2) * 0.3
}

fn bits() -> Array2<f64> {
    let u = random(60, 5, 8);
    Array2::from_shape_fn((60, 5), |(i, j)| {
        f64::from(u8::from(u[[i, j]] < if (i < 30) == (j < 2) { 0.8 } else { -0.8 }))
    })
}

#[test]
fn gradients_of_every_bound_agree_with_finite_differences() {
    for (x, decoder) in [(rows(), Decoder::Gaussian), (bits(), Decoder::Bernoulli)] {
        let x = x.slice(ndarray::s![..5, ..]).to_owned();
        for draws in [1, 3] {
            let model = Vae::new(2)
                .hidden([3])
                .decoder(decoder)
                .importance_samples(draws)
                .training(Training::default().epochs(2));
            let fitted = model.fit(&Device::cpu(), &x).unwrap();
            let (value, got) = fitted.objective(fitted.parameters(), &x, draws, 5).unwrap();
            let want = slopes(fitted.parameters(), 1e-5, |w| fitted.objective(w, &x, draws, 5).unwrap().0);
            all_near(&got, &want, 1e-6, &format!("{decoder:?} of {draws} draws"));
            let bound =
                if draws == 1 { fitted.elbo(&x, 1, 5) } else { fitted.importance_bound(&x, draws, 5) };
            near(value, -bound.unwrap().mean().unwrap(), 1e-12);
        }
    }
}

/// Trained without hidden layers its decoder is that of probabilistic principal components, nearly; θ and φ are learned
/// together, and the bound is below the likelihood of the model learned by what the posterior is off.
#[test]
fn a_linear_one_reaches_probabilistic_principal_components() {
    let x = rows();
    let rate = Schedule::Inverse { rate: 0.03, decay: 0.003 };
    let training = Training::new(Adam::new(rate)).epochs(2500).seed(1);
    let fitted = Vae::new(1).training(training).fit(&Device::cpu(), &x).unwrap();
    let w = fitted.decoder_parameters();
    let loadings = Array2::from_shape_fn((3, 1), |(j, _)| w[j]);
    let model = LinearDecoder::new(loadings, Array1::from(w[3..].to_vec()), fitted.noise()).unwrap();
    let evidence =
        |m: &LinearDecoder| x.rows().into_iter().map(|r| m.log_evidence(r).unwrap()).sum::<f64>() / 60.0;
    let best = Ppca::new(1).fit(&Device::cpu(), &x).unwrap().score(&x).unwrap();
    let own = evidence(&model);
    assert!(own <= best + 1e-9 && own > best - 0.02, "{own} {best}");
    let bound = fitted.elbo(&x, 2000, 3).unwrap().mean().unwrap();
    assert!(bound <= own + 0.01 && bound > own - 0.05, "{bound} {own}");
    // The gap is the divergence from the posterior.
    let (m, s) = fitted.encode(&x).unwrap();
    let gap: f64 = (0..60)
        .map(|n| {
            let q = model.elbo(x.row(n), m.row(n), array![[s[[n, 0]].exp()]].view()).unwrap();
            model.log_evidence(x.row(n)).unwrap() - q.evidence_less_gap
        })
        .sum::<f64>()
        / 60.0;
    near(own - bound, gap, 0.02);
}

#[test]
fn bounds_rise_with_the_number_of_draws() {
    let fitted =
        Vae::new(2).hidden([4]).training(Training::default().epochs(30)).fit(&Device::cpu(), rows()).unwrap();
    let mean = |k: usize| {
        (0..60).map(|s| fitted.importance_bound(rows(), k, s).unwrap().mean().unwrap()).sum::<f64>() / 60.0
    };
    let (one, five, twenty) = (mean(1), mean(5), mean(20));
    assert!(one < five && five < twenty, "{one} {five} {twenty}");
    near(fitted.elbo(rows(), 60, 1).unwrap().mean().unwrap(), one, 0.1);
}

/// One latent number and a Bernoulli decoder: the evidence by the trapezium, the ELBO in both its forms, and bounds of many
/// draws that reach it.
#[test]
fn bounds_are_those_of_quadrature() {
    let training = Training::new(Adam::new(0.02)).epochs(20).seed(2);
    let model = Vae::new(1).hidden([4]).decoder(Decoder::Bernoulli).training(training);
    let fitted = model.fit(&Device::cpu(), bits()).unwrap();
    let x = bits().slice(ndarray::s![25..35, ..]).to_owned();
    let (count, step) = (4001, 0.004);
    let z = Array2::from_shape_fn((count, 1), |(i, _)| (i as f64 - 2000.0) * step);
    let p = fitted.inverse_transform(&z).unwrap();
    let normal = |z: f64, m: f64, log_v: f64| {
        -0.5 * ((z - m).powi(2) / log_v.exp() + log_v + std::f64::consts::TAU.ln())
    };
    let (m, s) = fitted.encode(&x).unwrap();
    let (elbo, many) = (fitted.elbo(&x, 5000, 1).unwrap(), fitted.importance_bound(&x, 5000, 2).unwrap());
    let mut close = 0;
    for n in 0..10 {
        let one = |i: usize, j: usize| if x[[n, j]] == 1.0 { p[[i, j]].ln() } else { (1.0 - p[[i, j]]).ln() };
        let given: Vec<f64> = (0..count).map(|i| (0..5).map(|j| one(i, j)).sum()).collect();
        let joint: Vec<f64> = (0..count).map(|i| given[i] + normal(z[[i, 0]], 0.0, 0.0)).collect();
        let evidence = (joint.iter().map(|v| v.exp()).sum::<f64>() * step).ln();
        let q: Vec<f64> = (0..count).map(|i| normal(z[[i, 0]], m[[n, 0]], s[[n, 0]])).collect();
        let mean = |f: &dyn Fn(usize) -> f64| (0..count).map(|i| q[i].exp() * f(i)).sum::<f64>() * step;
        near(mean(&|_| 1.0), 1.0, 1e-6);
        // E ln p(x | z) - KL(q ‖ p), and ln p(x) - KL(q ‖ posterior).
        let kl = 0.5 * (m[[n, 0]].powi(2) + s[[n, 0]].exp() - 1.0 - s[[n, 0]]);
        let fit = mean(&|i| given[i]);
        let (a, b) = (fit - kl, evidence - mean(&|i| q[i] - (joint[i] - evidence)));
        near(a, b, 1e-5);
        assert!(a <= evidence, "{a} {evidence}");
        let spread = mean(&|i| (given[i] - fit).powi(2));
        near(elbo[n], a, 4.0 * (spread / 5000.0).sqrt() + 1e-6);
        // Weights p(x, z) / q(z) have the mean p(x); their relative variance says how near the logarithm of a mean comes.
        let v = mean(&|i| (2.0 * (joint[i] - q[i] - evidence)).exp()) - 1.0;
        let reach = 4.0 * (v / 5000.0).sqrt() + v / 5000.0;
        near(many[n], evidence, reach);
        close += usize::from(reach < 0.012);
    }
    assert!(close >= 5, "{close} of ten rows are known to a hundredth");
}

#[test]
fn training_raises_the_bound_and_the_seed_decides() {
    let model = Vae::new(1)
        .hidden([6])
        .decoder(Decoder::Bernoulli)
        .training(Training::new(Adam::new(0.02)).epochs(60).batch(20));
    let [a, b] = [(); 2].map(|()| model.fit(&Device::cpu(), bits()).unwrap());
    assert_eq!(a.parameters(), b.parameters());
    let trace = &a.report().trace;
    let mean = |t: &[f64]| t.iter().sum::<f64>() / t.len() as f64;
    assert!(mean(&trace[50..]) < mean(&trace[..5]) - 0.3, "{trace:?}");
    let (_, s) = a.encode(bits()).unwrap();
    assert!(s.iter().all(|s| s.exp() > 0.0));
    let draws = a.sample(200, 3).unwrap();
    assert!(draws.dim() == (200, 5) && draws.iter().all(|v| *v == 0.0 || *v == 1.0));
    let z = array![[0.3]];
    assert_eq!(a.inverse_transform(&z).unwrap(), a.inverse_transform(&z).unwrap());
    assert!(a.inverse_transform(&z).unwrap().iter().all(|p| (0.0..=1.0).contains(p)));
}

#[test]
fn samples_look_like_the_data() {
    let training = Training::new(Adam::new(0.02)).epochs(400);
    let fitted = Vae::new(2).training(training).fit(&Device::cpu(), rows()).unwrap();
    let (x, y) = (rows(), fitted.sample(3000, 7).unwrap());
    for j in 0..3 {
        near(x.column(j).mean().unwrap(), y.column(j).mean().unwrap(), 0.1);
        near(x.column(j).std(0.0), y.column(j).std(0.0), 0.12);
    }
    assert!(fitted.sample(usize::MAX / 64, 1).is_err());
}

#[test]
fn bad_settings_are_errors() {
    assert!(Vae::new(0).fit(&Device::cpu(), rows()).is_err());
    assert!(Vae::new(1).importance_samples(0).fit(&Device::cpu(), rows()).is_err());
    assert!(
        Vae::new(1).decoder(Decoder::Bernoulli).fit(&Device::cpu(), rows()).is_err(),
        "not between 0 and 1"
    );
    let fitted = Vae::new(1).training(Training::default().epochs(1)).fit(&Device::cpu(), rows()).unwrap();
    assert!(fitted.elbo(rows(), 0, 1).is_err() && fitted.objective(&[0.0], rows(), 1, 1).is_err());
}

/// A number beyond 0 and 1 has no probability under a Bernoulli decoder: there is no bound of it.
#[test]
fn bounds_refuse_what_the_fit_refuses() {
    let training = Training::default().epochs(2);
    let fitted =
        Vae::new(1).decoder(Decoder::Bernoulli).training(training).fit(&Device::cpu(), bits()).unwrap();
    assert!(fitted.elbo(bits(), 2, 1).is_ok());
    assert!(fitted.elbo(bits() * 2.0, 2, 1).is_err() && fitted.importance_bound(bits() - 0.5, 2, 1).is_err());
}
