//! The kernel Stein discrepancy.

use approx::assert_relative_eq;
use mercer::stats::{KernelStein, Null, SteinBase};
use mercer::{Device, Error};
use ndarray::{Array2, array};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::level::{keeps_level, rejections};
use crate::loops::adapters;
use crate::loops::normal;
use crate::support::random;

const RBF: SteinBase = SteinBase::Rbf { lengthscale: 0.9 };
const IMQ: SteinBase = SteinBase::InverseMultiquadric { scale: 1.3, exponent: -0.4 };

/// h by its definition, with the derivatives of the base kernel taken by differences.
fn h(base: SteinBase, score: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], y: &[f64]) -> f64 {
    let d = x.len();
    let k = |x: &[f64], y: &[f64]| {
        let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        match base {
            SteinBase::Rbf { lengthscale } => (-0.5 * r2 / (lengthscale * lengthscale)).exp(),
            SteinBase::InverseMultiquadric { scale, exponent } => (1.0 + r2 / (scale * scale)).powf(exponent),
        }
    };
    let moved = |v: &[f64], f: usize, by: f64| {
        let mut v = v.to_vec();
        v[f] += by;
        v
    };
    let (sx, sy) = (score(x), score(y));
    let e = 1e-4;
    let mut sum = sx.iter().zip(&sy).map(|(a, b)| a * b).sum::<f64>() * k(x, y);
    for f in 0..d {
        sum += sx[f] * (k(x, &moved(y, f, e)) - k(x, &moved(y, f, -e))) / (2.0 * e);
        sum += sy[f] * (k(&moved(x, f, e), y) - k(&moved(x, f, -e), y)) / (2.0 * e);
        let corner = |a: f64, b: f64| k(&moved(x, f, a), &moved(y, f, b));
        sum += (corner(e, e) - corner(e, -e) - corner(-e, e) + corner(-e, -e)) / (4.0 * e * e);
    }
    sum
}

/// h with derivatives in closed form, written from `k = φ(r²)`.
fn closed(base: SteinBase, score: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], y: &[f64]) -> f64 {
    let r2: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
    let (phi, first, second) = match base {
        SteinBase::Rbf { lengthscale } => {
            let rate = 0.5 / (lengthscale * lengthscale);
            let phi = (-rate * r2).exp();
            (phi, -rate * phi, rate * rate * phi)
        }
        SteinBase::InverseMultiquadric { scale, exponent: b } => {
            let (c, u) = (scale * scale, 1.0 + r2 / (scale * scale));
            (u.powf(b), b / c * u.powf(b - 1.0), b * (b - 1.0) / (c * c) * u.powf(b - 2.0))
        }
    };
    let (sx, sy) = (score(x), score(y));
    let dot: f64 = sx.iter().zip(&sy).map(|(a, b)| a * b).sum();
    let cross: f64 = (0..x.len()).map(|f| (sx[f] - sy[f]) * (x[f] - y[f])).sum();
    phi * dot - 2.0 * first * cross - 2.0 * x.len() as f64 * first - 4.0 * r2 * second
}

/// The score of a banana, neither linear nor symmetric.
fn banana(x: &[f64]) -> Vec<f64> {
    let bend = x[1] - x[0] * x[0];
    let mut s = vec![-x[0] + 2.0 * x[0] * bend, -bend];
    s.extend(x[2..].iter().map(|v| -v.powi(3)));
    s
}

#[test]
fn both_statistics_are_the_double_loops() {
    for d in [2, 5] {
        let x = random(29, d, 3) * 1.5;
        for base in [RBF, IMQ] {
            let (mut total, mut trace) = (0.0, 0.0);
            for i in 0..29 {
                for j in 0..29 {
                    let (a, b) = (x.row(i).to_vec(), x.row(j).to_vec());
                    let value = closed(base, &banana, &a, &b);
                    assert_relative_eq!(value, h(base, &banana, &a, &b), epsilon = 1e-5);
                    total += value;
                    trace += if i == j { value } else { 0.0 };
                }
            }
            let got = KernelStein::new(base).discrepancy(&Device::cpu(), x.view(), banana).unwrap();
            assert_relative_eq!(got.v_statistic, total / (29.0 * 29.0), max_relative = 1e-10);
            assert_relative_eq!(got.u_statistic, (total - trace) / (29.0 * 28.0), max_relative = 1e-10);
            let outcome = KernelStein::new(base).run(&Device::cpu(), x.view(), banana).unwrap();
            assert_relative_eq!(outcome.statistic, got.v_statistic, max_relative = 1e-10);
        }
    }
}

/// `∫ p(x) h(x, y) dx = 0` for every y: Stein's identity, by a sum over a fine grid.
#[test]
fn the_stein_kernel_has_mean_zero_under_the_target() {
    // p ∝ exp(-x⁴/4): no normal distribution, and its constant is not needed.
    let score = |x: &[f64]| vec![-x[0].powi(3)];
    let grid: Vec<f64> = (-4000..=4000).map(|i| f64::from(i) * 1e-3).collect();
    let density: Vec<f64> = grid.iter().map(|x| (-x.powi(4) / 4.0).exp()).collect();
    let total: f64 = density.iter().sum();
    for base in [RBF, IMQ] {
        for y in [-1.7, 0.0, 0.4, 2.5] {
            let mean: f64 =
                grid.iter().zip(&density).map(|(&x, p)| p * closed(base, &score, &[x], &[y])).sum();
            assert!((mean / total).abs() < 1e-9, "{base:?} at {y}: {}", mean / total);
        }
    }
}

/// For x from N(m, 1) and p = N(0, 1), `KSD² = m² E k(X, X') = m² ℓ/√(ℓ² + 2)`: sample means around it.
#[test]
fn shifted_normals_have_their_closed_form() {
    let (m, width) = (0.7, 1.1);
    let stein = KernelStein::new(SteinBase::Rbf { lengthscale: width });
    let estimates: Vec<f64> = (0..200)
        .map(|seed| {
            let x = normal(100, 1, 0.0, seed) + m;
            stein.discrepancy(&Device::cpu(), x.view(), |x| vec![-x[0]]).unwrap().u_statistic
        })
        .collect();
    let mean = estimates.iter().sum::<f64>() / 200.0;
    let variance = estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 199.0;
    let want = m * m * width / (width * width + 2.0).sqrt();
    assert!((mean - want).abs() < 3.0 * (variance / 200.0).sqrt(), "{mean} and should be {want}");
}

#[test]
fn the_level_is_kept() {
    for (name, base) in [("rbf", RBF), ("inverse multiquadric", IMQ)] {
        keeps_level(&format!("kernel Stein, {name}"), |seed| {
            let stein = KernelStein::new(base).null(Null::WildBootstrap(199)).seed(seed);
            let x = normal(80, 2, 0.0, 1_000_000 + seed);
            Ok(stein.run(&Device::cpu(), x.view(), |x| x.iter().map(|v| -v).collect())?.p_value)
        });
    }
}

/// An autoregressive chain with normal marginals: independent signs take its dependence for a misfit, slow ones do not.
#[test]
fn slow_signs_keep_the_level_for_a_chain() {
    let chain = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut state: f64 = rng.sample(StandardNormal);
        Array2::from_shape_fn((200, 1), |_| {
            let fresh: f64 = rng.sample(StandardNormal);
            state = 0.5 * state + 0.75f64.sqrt() * fresh;
            state
        })
    };
    let rate = |flip: f64| {
        rejections(200, |seed| {
            let stein = KernelStein::new(IMQ).null(Null::WildBootstrap(199)).flip(flip).seed(seed);
            Ok(stein.run(&Device::cpu(), chain(seed).view(), |x| vec![-x[0]])?.p_value)
        })
    };
    let (independent, slow) = (rate(0.5), rate(0.1));
    println!("rejections of 200: {independent} with independent signs, {slow} with slow ones");
    assert!(independent > 30 && slow < 22, "{independent} with independent signs, {slow} with slow ones");
}

#[test]
fn a_wrong_model_is_found() {
    // Student's t with 3 degrees of freedom against a normal model.
    let heavy = |seed: u64| {
        let (z, u) = (normal(150, 1, 0.0, seed), normal(150, 3, 0.0, 1000 + seed));
        Array2::from_shape_fn((150, 1), |(i, _)| z[[i, 0]] / (u.row(i).dot(&u.row(i)) / 3.0).sqrt())
    };
    let found = rejections(50, |seed| {
        let stein = KernelStein::new(IMQ).null(Null::WildBootstrap(199)).seed(seed);
        Ok(stein.run(&Device::cpu(), heavy(seed).view(), |x| vec![-x[0]])?.p_value)
    });
    // Half of them; a test without power would find two or three.
    assert!(found > 15, "{found} of 50");
}

#[test]
fn every_adapter_agrees() {
    let x = random(70, 3, 8) + 4.0;
    let score = |x: &[f64]| x.iter().map(|v| -(v - 3.5)).collect::<Vec<_>>();
    for base in [RBF, IMQ] {
        let stein = KernelStein::new(base).null(Null::WildBootstrap(99)).keep_null(true);
        let want = stein.run(&Device::cpu(), x.view(), score).unwrap();
        let both = stein.discrepancy(&Device::cpu(), x.view(), score).unwrap();
        for device in adapters() {
            let got = stein.run(device, x.view(), score).unwrap();
            assert_relative_eq!(got.statistic, want.statistic, max_relative = 1e-5);
            assert_eq!(got.p_value, want.p_value, "{device}");
            let own = stein.discrepancy(device, x.view(), score).unwrap();
            assert_relative_eq!(own.u_statistic, both.u_statistic, max_relative = 1e-5);
        }
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let stein = KernelStein::new(RBF);
    let score = |x: &[f64]| x.iter().map(|v| -v).collect::<Vec<_>>();
    let run = |x: Array2<f64>| stein.run(&cpu, x.view(), score);
    assert!(matches!(run(Array2::zeros((0, 1))), Err(Error::Shape { .. })));
    assert!(matches!(run(array![[1.0]]), Err(Error::Shape { .. })));
    assert!(matches!(run(array![[1.0], [f64::NAN]]), Err(Error::NotFinite { .. })));
    // All points equal is a sample like another: it does not look normal, and nothing divides by its spread.
    assert!(run(Array2::ones((20, 1))).unwrap().p_value <= 1.0);
    let x = random(10, 2, 1);
    assert!(matches!(stein.run(&cpu, x.view(), |_| vec![0.0]), Err(Error::Shape { .. })));
    assert!(matches!(stein.run(&cpu, x.view(), |_| vec![0.0, f64::INFINITY]), Err(Error::NotFinite { .. })));
    let with = |stein: KernelStein| stein.run(&cpu, x.view(), score);
    assert!(matches!(with(stein.clone().null(Null::WildBootstrap(0))), Err(Error::Parameter { .. })));
    assert!(matches!(with(stein.clone().alpha(1.0)), Err(Error::Parameter { .. })));
    assert!(matches!(with(stein.clone().flip(0.0)), Err(Error::Parameter { .. })));
    for base in [
        SteinBase::Rbf { lengthscale: 0.0 },
        SteinBase::InverseMultiquadric { scale: f64::NAN, exponent: -0.5 },
        SteinBase::InverseMultiquadric { scale: 1.0, exponent: 0.5 },
    ] {
        assert!(matches!(with(KernelStein::new(base)), Err(Error::Parameter { .. })), "{base:?}");
    }
}
