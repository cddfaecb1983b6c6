//! Restricted Boltzmann machines: the machine of the notes, its gradient, contrastive divergence, learning.

use mercer::models::energy::{FittedRbm, NegativePhase, Rbm, Visible};
use mercer::{Device, Error, Progress};
use ndarray::{Array1, Array2, array};

use crate::{all_states, near, patterns};

fn notes() -> FittedRbm {
    FittedRbm::new(
        Visible::Bernoulli,
        array![[0.5, -0.1], [-0.4, 0.3], [0.2, 0.6]],
        array![0.1, -0.2],
        array![0.2, -0.3, 0.4],
    )
    .unwrap()
}

#[test]
fn the_machine_of_the_notes() {
    let (rbm, x) = (notes(), array![[1.0, 0.0, 1.0]]);
    near(rbm.log_partition().unwrap(), 4.0063741597, 1e-9);
    near(rbm.score_samples(&x).unwrap()[0], -1.3809182493, 1e-9);
    let z = rbm.transform(&x).unwrap();
    near(z[[0, 0]], 0.6899745, 1e-7);
    near(z[[0, 1]], 0.5744425, 1e-7);
    let (w, a, b) = rbm.gradient(&x).unwrap();
    let want = array![[0.30238839, 0.23546272], [-0.21952836, -0.25121286], [0.26695320, 0.14618744]];
    assert!((&w - &want).iter().all(|v| v.abs() < 1e-8));
    assert!((&a - &array![0.09861084, 0.00582751]).iter().all(|v| v.abs() < 1e-8));
    assert!((&b - &array![0.39352957, -0.41079166, 0.30145532]).iter().all(|v| v.abs() < 1e-8));
}

#[test]
fn conditionals_and_free_energy_are_those_of_the_joint() {
    let rbm = notes();
    let (xs, zs) = (all_states(3), all_states(2));
    let mut all = 0.0;
    for x in xs.rows() {
        let joint: Vec<f64> = zs.rows().into_iter().map(|z| (-rbm.energy(x, z).unwrap()).exp()).collect();
        let sum: f64 = joint.iter().sum();
        all += sum;
        near(-rbm.free_energy(x.insert_axis(ndarray::Axis(0))).unwrap()[0], sum.ln(), 1e-12);
        let p = rbm.transform(x.insert_axis(ndarray::Axis(0))).unwrap();
        for j in 0..2 {
            let on: f64 = joint.iter().zip(zs.rows()).filter(|(_, z)| z[j] == 1.0).map(|(p, _)| p).sum();
            near(p[[0, j]], on / sum, 1e-12);
        }
    }
    near(all.ln(), rbm.log_partition().unwrap(), 1e-12);
    for z in zs.rows() {
        let joint: Vec<f64> = xs.rows().into_iter().map(|x| (-rbm.energy(x, z).unwrap()).exp()).collect();
        let p = rbm.inverse_transform(z.insert_axis(ndarray::Axis(0))).unwrap();
        let on: f64 = joint.iter().zip(xs.rows()).filter(|(_, x)| x[1] == 1.0).map(|(p, _)| p).sum();
        near(p[[0, 1]], on / joint.iter().sum::<f64>(), 1e-12);
    }
    near(rbm.score_samples(&xs).unwrap().mapv(f64::exp).sum(), 1.0, 1e-12);
    // Without weights the units are independent.
    let free = FittedRbm::new(Visible::Bernoulli, Array2::zeros((2, 3)), Array1::zeros(3), array![0.4, -1.0])
        .unwrap();
    let s = |v: f64| 1.0 / (1.0 + f64::exp(-v));
    near(free.score_samples(&array![[1.0, 1.0]]).unwrap()[0], (s(0.4) * s(-1.0)).ln(), 1e-12);
}

#[test]
fn gradients_are_differences_for_both_kinds_of_units() {
    let x = array![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    for kind in [Visible::Bernoulli, Visible::Gaussian] {
        let of = notes();
        let rbm = |w: Array2<f64>, a: Array1<f64>, b: Array1<f64>| FittedRbm::new(kind, w, a, b).unwrap();
        let log = |m: &FittedRbm| m.score_samples(&x).unwrap().mean().unwrap();
        let base = || (of.weights().clone(), of.hidden_bias().clone(), of.visible_bias().clone());
        let (w0, a0, b0) = base();
        let (gw, ga, gb) = rbm(w0, a0, b0).gradient(&x).unwrap();
        let h = 1e-5;
        let at = |i: usize, by: f64| {
            let (mut w, mut a, mut b) = base();
            match i {
                0..6 => w[[i / 2, i % 2]] += by,
                6..8 => a[i - 6] += by,
                _ => b[i - 8] += by,
            }
            log(&rbm(w, a, b))
        };
        let all: Vec<f64> = gw.iter().chain(&ga).chain(&gb).copied().collect();
        for (i, g) in all.iter().enumerate() {
            near(*g, (at(i, h) - at(i, -h)) / (2.0 * h), 1e-8);
        }
    }
    // A machine of numbers is a mixture of normals: one hidden unit, one visible.
    let one = FittedRbm::new(Visible::Gaussian, array![[1.5]], array![0.3], array![-0.2]).unwrap();
    let normal = |x: f64, m: f64| (-0.5 * (x - m).powi(2)).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let weight = (0.3 + 1.5 * -0.2 + 0.5 * 1.5 * 1.5f64).exp();
    let p = (normal(0.7, -0.2) + weight * normal(0.7, 1.3)) / (1.0 + weight);
    near(one.score_samples(&array![[0.7]]).unwrap()[0], p.ln(), 1e-12);
}

#[test]
fn contrastive_divergence_tends_to_the_gradient() {
    let rbm = FittedRbm::new(
        Visible::Bernoulli,
        array![[1.5, -0.1], [-1.4, 0.9], [0.2, 1.6]],
        array![0.1, -0.2],
        array![0.2, -0.3, 0.4],
    )
    .unwrap();
    // One row, many times: each starts a chain of its own.
    let x = Array2::from_shape_fn((40_000, 3), |(_, j)| [1.0, 0.0, 1.0][j]);
    let (exact, _, _) = rbm.gradient(&array![[1.0, 0.0, 1.0]]).unwrap();
    let off =
        |k: usize| (&rbm.contrastive_gradient(&x, k, 1).unwrap().0 - &exact).mapv(|v| v * v).sum().sqrt();
    let (one, five, many) = (off(1), off(5), off(25));
    assert!(one > 2.0 * five && five > many && many < 0.015, "{one} {five} {many}");
    // Where the model is the data's distribution, no update is expected.
    let drawn = rbm.sample(5000, 2).unwrap();
    let (w, a, b) = rbm.contrastive_gradient(&drawn, 1, 3).unwrap();
    assert!(w.iter().chain(&a).chain(&b).all(|v| v.abs() < 0.03), "{w}");
}

#[test]
fn learning_raises_the_exact_likelihood() {
    let (x, cpu) = (patterns(), Device::cpu());
    let log = |m: &FittedRbm| m.score_samples(&x).unwrap().mean().unwrap();
    let flat = Rbm::new(3).passes(0).fit(&cpu, &x).unwrap();
    for phase in [
        NegativePhase::Contrastive(1),
        NegativePhase::Contrastive(3),
        NegativePhase::Persistent(2),
        NegativePhase::Exact,
    ] {
        let rbm = Rbm::new(3).phase(phase).passes(150).seed(2).fit(&cpu, &x).unwrap();
        assert!(log(&rbm) > log(&flat) + 0.8, "{phase:?}: {} from {}", log(&rbm), log(&flat));
        assert!(rbm.score(&x).unwrap() > flat.score(&x).unwrap());
    }
    let numbers = x.mapv(|v| 3.0 * v);
    let rbm =
        Rbm::new(3).visible(Visible::Gaussian).rate(0.02).passes(150).seed(2).fit(&cpu, &numbers).unwrap();
    assert!(rbm.report().objective() < 0.5 * rbm.report().trace[0]);
}

/// `Σ_i log p(x_i | x_{-i})` of each row from the exact probabilities of all states, and their mean.
#[test]
fn the_score_is_the_pseudo_likelihood_by_enumeration() {
    let (rbm, xs) = (notes(), all_states(3));
    let p = rbm.score_samples(&xs).unwrap().mapv(f64::exp);
    let one = |s: usize| (0..3).map(|i| (p[s] / (p[s] + p[s ^ (1 << i)])).ln()).sum::<f64>();
    for s in 0..8 {
        near(rbm.score(xs.select(ndarray::Axis(0), &[s])).unwrap(), one(s), 1e-12);
    }
    near(rbm.score(&xs).unwrap(), (0..8).map(one).sum::<f64>() / 8.0, 1e-12);
    // Of numbers it is minus the squared error of the reconstruction.
    let numbers = FittedRbm::new(Visible::Gaussian, array![[1.5]], array![0.3], array![-0.2]).unwrap();
    let back = -0.2 + 1.5 / (1.0 + f64::exp(-(0.3 + 1.5 * 0.7)));
    near(numbers.score(&array![[0.7]]).unwrap(), -(back - 0.7f64).powi(2), 1e-12);
}

/// One batch and one pass: the first weights W shrink by `rate decay W`, and nothing else is otherwise.
#[test]
fn decay_shrinks_the_weights_by_its_rate() {
    let (x, cpu) = (patterns(), Device::cpu());
    for phase in [NegativePhase::Contrastive(1), NegativePhase::Persistent(1), NegativePhase::Exact] {
        let model = Rbm::new(3).phase(phase).batch(40).rate(0.2).passes(1).seed(5);
        let first = model.clone().passes(0).fit(&cpu, &x).unwrap();
        let plain = model.clone().fit(&cpu, &x).unwrap();
        let shrunk = model.clone().decay(0.5).fit(&cpu, &x).unwrap();
        let off = shrunk.weights() - plain.weights() + &(first.weights() * (0.2 * 0.5));
        assert!(off.iter().all(|v| v.abs() < 1e-12), "{phase:?}: {off}");
        assert_eq!(shrunk.hidden_bias(), plain.hidden_bias());
        // Over many passes it keeps them small.
        let size = |d: f64| {
            let w = model.clone().passes(100).decay(d).fit(&cpu, &x).unwrap().weights().clone();
            w.mapv(|v| v * v).sum()
        };
        assert!(size(0.5) < 0.5 * size(0.0), "{phase:?}: {} {}", size(0.5), size(0.0));
    }
    assert!(Rbm::new(2).decay(-0.1).fit(&cpu, &x).is_err());
}

#[test]
fn bad_input_is_refused() {
    let (x, cpu) = (patterns(), Device::cpu());
    assert!(Rbm::new(0).fit(&cpu, &x).is_err());
    assert!(Rbm::new(2).fit(&cpu, &(&x * 2.0)).is_err());
    assert!(Rbm::new(2).rate(0.0).fit(&cpu, &x).is_err());
    assert!(Rbm::new(2).phase(NegativePhase::Contrastive(0)).fit(&cpu, &x).is_err());
    assert!(Rbm::new(usize::MAX).fit(&cpu, &x).is_err());
    let stop = Progress::new(|_| std::ops::ControlFlow::Break(()));
    assert!(matches!(Rbm::new(2).progress(stop).fit(&cpu, &x), Err(Error::Cancelled { .. })));
    let wide =
        FittedRbm::new(Visible::Bernoulli, Array2::zeros((40, 30)), Array1::zeros(30), Array1::zeros(40))
            .unwrap();
    assert!(wide.log_partition().is_err());
    assert!(
        FittedRbm::new(Visible::Bernoulli, Array2::zeros((2, 2)), Array1::zeros(3), Array1::zeros(2))
            .is_err()
    );
}

#[test]
fn sums_over_many_states_need_no_room() {
    // Units that do not meet are coins, each with its own weight.
    let (m, bias) = (12, |j: usize| 300.0 * (j as f64 - 5.0));
    let rbm = FittedRbm::new(
        Visible::Bernoulli,
        Array2::zeros((m, m)),
        Array1::from_shape_fn(m, bias),
        Array1::zeros(m),
    );
    let want: f64 = (0..m).map(|j| bias(j).max(0.0) + (-bias(j).abs()).exp().ln_1p() + 2f64.ln()).sum();
    near(rbm.unwrap().log_partition().unwrap(), want, 1e-9);
}
