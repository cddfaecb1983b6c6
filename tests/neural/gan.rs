//! Adversarial networks and their divergences.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::support::random;
use crate::{all_near, near, parameters, slopes};

const P: [f64; 3] = [0.5, 0.3, 0.2];
const Q: [f64; 3] = [0.2, 0.2, 0.6];

#[test]
fn the_best_discriminator_attains_the_divergence() {
    let cases = [
        (VariationalDivergence::KullbackLeibler, 0.3600624406),
        (VariationalDivergence::JensenShannon, 0.1811316999),
        (VariationalDivergence::Adversarial, -1.2051626612),
    ];
    for (d, want) in cases {
        let best: Vec<f64> = P.iter().zip(Q).map(|(p, q)| d.best(*p, q)).collect();
        near(d.bound(&P, &Q, &best).unwrap(), want, 1e-9);
        // Any other table gives less.
        for seed in 0..20 {
            let other: Vec<f64> = random(1, 3, seed).iter().map(|v| d.output(2.0 * v)).collect();
            assert!(d.bound(&P, &Q, &other).unwrap() <= want + 1e-12);
        }
    }
    let d = VariationalDivergence::Adversarial;
    let same: Vec<f64> = P.iter().map(|p| d.best(*p, *p)).collect();
    near(d.bound(&P, &P, &same).unwrap(), -2.0 * 2f64.ln(), 1e-12);
    assert!(d.bound(&P, &Q[..2], &same).is_err());
}

/// Ascent on a tabular discriminator ends at D = p/(p + q).
#[test]
fn a_tabular_discriminator_learns_the_ratio() {
    let d = VariationalDivergence::Adversarial;
    let mut v = [0.0; 3];
    for _ in 0..4000 {
        for i in 0..3 {
            let value =
                |v: &[f64]| d.bound(&P, &Q, &v.iter().map(|v| d.output(*v)).collect::<Vec<_>>()).unwrap();
            let (mut up, mut down) = (v, v);
            up[i] += 1e-5;
            down[i] -= 1e-5;
            v[i] += 2.0 * (value(&up) - value(&down)) / 2e-5;
        }
    }
    for i in 0..3 {
        near(d.output(v[i]).exp(), P[i] / (P[i] + Q[i]), 1e-5);
    }
}

#[test]
fn a_linear_generator_has_its_covariance() {
    // W = [[1, 0.5], [-1, 2]], μ = (3, -1).
    let net = Network::mlp(2, &[], 2, Activation::Tanh).unwrap();
    let generator = Generator::new(net.clone(), vec![1.0, 0.5, -1.0, 2.0, 3.0, -1.0]).unwrap();
    let x = generator.sample(20_000, 4).unwrap();
    let mean = x.mean_axis(Axis(0)).unwrap();
    near(mean[0], 3.0, 0.03);
    near(mean[1], -1.0, 0.06);
    let c = &x - &mean;
    let covariance = c.t().dot(&c) / 20_000.0;
    let want = array![[1.25, 0.0], [0.0, 5.0]];
    covariance.iter().zip(&want).for_each(|(a, b)| near(*a, *b, 0.15));
    assert!(Generator::new(net, vec![0.0; 5]).is_err());
    assert_eq!(generator.sample(3, 1).unwrap(), generator.sample(3, 1).unwrap());
}

/// Numbers around 4 with a deviation of a half, nearly normal.
fn normals() -> Array2<f64> {
    let u = random(300, 12, 5);
    u.sum_axis(Axis(1)).mapv(|s| 4.0 + 0.5 * s / 2.0).insert_axis(Axis(1))
}

#[test]
fn every_game_brings_the_generator_to_the_data() {
    let x = normals();
    for loss in [
        GanLoss::Minimax,
        GanLoss::NonSaturating,
        GanLoss::KullbackLeibler,
        GanLoss::Wasserstein { clip: 0.3 },
        GanLoss::Mmd { lengthscales: vec![0.3, 1.0, 3.0] },
    ] {
        let far = x.mapv(|v| v - 4.0);
        // Begins at the mean; the scale has to be learned.
        let model = Gan::new(1)
            .loss(loss.clone())
            .critic([8])
            .seed(2)
            .critic_steps(2)
            .rounds(500)
            .batch(64)
            .generator_rate(0.01)
            .critic_rate(0.02);
        let off = |model: &Gan| {
            let drawn = model.fit(&Device::cpu(), &far).unwrap().sample(3000, 2).unwrap();
            near(drawn.mean().unwrap(), 0.0, 0.3);
            (drawn.std(0.0) - 0.5).abs()
        };
        let (before, after) = (off(&model.clone().rounds(1).generator_rate(1e-12)), off(&model));
        assert!(before > 0.8 && after < 0.15, "{loss:?}: {before} {after}");
    }
}

/// Every game at one round: the discriminator's gradient is that of minus its gain, the generator's that of its loss.
#[test]
fn gradients_of_a_round_agree_with_finite_differences() {
    let (x, z) = (random(6, 2, 40), random(5, 3, 41));
    let (generator, critic) = (
        Network::mlp(3, &[4], 2, Activation::Tanh).unwrap(),
        Network::mlp(2, &[5], 1, Activation::Tanh).unwrap(),
    );
    let (g, c) = (parameters(&generator, 42), parameters(&critic, 43));
    for loss in [
        GanLoss::Minimax,
        GanLoss::NonSaturating,
        GanLoss::KullbackLeibler,
        GanLoss::Wasserstein { clip: 0.3 },
        GanLoss::Mmd { lengthscales: vec![0.5, 1.0, 2.0] },
    ] {
        let model = Gan::new(3).generator([4]).critic([5]).loss(loss.clone());
        let round = |g: &[f64], c: &[f64]| model.round(g, c, &x, &z).unwrap();
        let at = round(&g, &c);
        let by_generator = slopes(&g, 1e-5, |g| round(g, &c).loss);
        all_near(&at.by_generator, &by_generator, 1e-8, &format!("generator of {loss:?}"));
        if at.by_critic.is_empty() {
            assert!(matches!(loss, GanLoss::Mmd { .. }));
        } else {
            let by_critic = slopes(&c, 1e-5, |c| -round(&g, c).gain);
            all_near(&at.by_critic, &by_critic, 1e-8, &format!("discriminator of {loss:?}"));
        }
        assert!(model.round(&g[1..], &c, &x, &z).is_err() && model.round(&g, &c, &x, &x).is_err());
    }
}

/// The loss of a kernel is the library's own estimate, with the mean of the kernels.
#[test]
fn the_loss_of_a_kernel_is_the_unbiased_discrepancy() {
    let (x, z) = (random(9, 2, 40), random(7, 3, 41));
    let net = Network::mlp(3, &[4], 2, Activation::Tanh).unwrap();
    let (g, c) = (parameters(&net, 42), parameters(&Network::mlp(2, &[16], 1, Activation::Tanh).unwrap(), 1));
    let model = Gan::new(3).generator([4]).loss(GanLoss::Mmd { lengthscales: vec![0.5, 2.0] });
    let made = Generator::new(net, g.clone()).unwrap().generate(&z).unwrap();
    let kernel = 0.5 * Kernel::rbf(0.5) + 0.5 * Kernel::rbf(2.0);
    let want = Mmd::new(kernel).unbiased(&Device::cpu(), &made, &x).unwrap();
    near(model.round(&g, &c, &x, &z).unwrap().loss, want, 1e-12);
    // By hand: pairs of different rows.
    let k = |a: ndarray::ArrayView1<f64>, b: ndarray::ArrayView1<f64>| {
        let s: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        0.5 * ((-0.5 * s / 0.25).exp() + (-0.5 * s / 4.0).exp())
    };
    let pairs = |a: &Array2<f64>, b: &Array2<f64>, same: bool| -> f64 {
        let all = (0..a.nrows()).flat_map(|i| (0..b.nrows()).map(move |j| (i, j)));
        all.filter(|(i, j)| !same || i != j).map(|(i, j)| k(a.row(i), b.row(j))).sum()
    };
    let hand =
        pairs(&made, &made, true) / 42.0 + pairs(&x, &x, true) / 72.0 - 2.0 * pairs(&made, &x, false) / 63.0;
    near(want, hand, 1e-12);
    assert!(model.batch(1).fit(&Device::cpu(), &x).is_err(), "one row makes no pair");
}

/// Two clusters, which one Gaussian is not: the kernel's discrepancy of the sample falls far below that of a wrong one.
#[test]
fn a_mixture_in_the_plane_is_learned_by_mmd() {
    let noise = random(120, 2, 6) * 0.3;
    let x = Array2::from_shape_fn((120, 2), |(n, j)| {
        noise[[n, j]] + if n % 2 == 0 { 2.0 } else { -2.0 } * if j == 0 { 1.0 } else { 0.5 }
    });
    let loss = GanLoss::Mmd { lengthscales: vec![0.5, 1.0, 2.0] };
    let fitted = Gan::new(2)
        .generator([12])
        .loss(loss)
        .rounds(600)
        .batch(40)
        .generator_rate(0.02)
        .fit(&Device::cpu(), &x)
        .unwrap();
    let y = fitted.sample(120, 3).unwrap();
    let near_one = y.column(0).iter().filter(|v| v.abs() > 1.0).count();
    assert!(near_one > 90, "{near_one} of 120 lie in a cluster");
    let right = y.column(0).iter().filter(|v| **v > 0.0).count();
    assert!((25..95).contains(&right), "{right} of 120 lie on the right");
    let trace = &fitted.report().trace;
    let mean = |t: &[f64]| t.iter().sum::<f64>() / t.len() as f64;
    assert!(mean(&trace[550..]) < 0.3 * mean(&trace[..20]));
}

/// Against a generator that stands still, the trained critic `T(x) = w x + b`, |w| ≤ c, has w = ±c, and the value of the
/// game is c times the shift between the data and what is made: Wasserstein's distance for c = 1.
#[test]
fn a_trained_critic_measures_a_shift() {
    for (shift, clip) in [(2.5, 1.0), (-2.5, 1.0), (1.0, 0.5)] {
        // Data of mean `shift`; the generator makes 0.5 z.
        let x = normals().mapv(|v| v - 4.0 + shift);
        let fitted = Gan::new(1)
            .critic([])
            .loss(GanLoss::Wasserstein { clip })
            .start(vec![0.5, 0.0])
            .rounds(200)
            .critic_rate(0.05)
            .batch(300)
            .generator_rate(1e-12)
            .fit(&Device::cpu(), &x)
            .unwrap();
        near(fitted.critic_parameters()[0], clip * f64::signum(shift), 1e-12);
        let trace = &fitted.report().trace;
        let value = trace[100..].iter().sum::<f64>() / 100.0;
        near(value, clip * f64::abs(x.mean().unwrap()), 0.02);
        near(value, clip * f64::abs(shift), 0.05);
    }
}

#[test]
fn bad_settings_are_errors() {
    let x = normals();
    assert!(Gan::new(0).fit(&Device::cpu(), &x).is_err());
    assert!(Gan::new(1).rounds(0).fit(&Device::cpu(), &x).is_err());
    assert!(Gan::new(1).loss(GanLoss::Wasserstein { clip: 0.0 }).fit(&Device::cpu(), &x).is_err());
    assert!(Gan::new(1).loss(GanLoss::Mmd { lengthscales: vec![] }).fit(&Device::cpu(), &x).is_err());
    assert!(Gan::new(1).generator_rate(f64::NAN).fit(&Device::cpu(), &x).is_err());
    assert!(Gan::new(1).critic_steps(0).fit(&Device::cpu(), &x).is_err(), "nobody would judge");
    let judged = GanLoss::Mmd { lengthscales: vec![1.0] };
    assert!(Gan::new(1).critic_steps(0).rounds(2).loss(judged).fit(&Device::cpu(), &x).is_ok());
    assert!(Gan::new(1).start(vec![1.0]).fit(&Device::cpu(), &x).is_err());
}
