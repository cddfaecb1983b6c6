//! Spectral measures, both kinds of Fourier features, norms as penalties on derivatives, MMD as a loss.

use mercer::models::kernel_methods::DerivativePenalty;
use mercer::prelude::*;
use ndarray::{Array1, Array2, array};

use crate::support::random;
use crate::{all_near, cpu, near};

/// ∫ f over the line, by ω = sinh(sinh u): doubly exponential, with the origin left out.
fn line(f: impl Fn(f64) -> f64) -> f64 {
    let h = 4e-3;
    let at = |i: i32| {
        let u = (f64::from(i) + 0.5) * h;
        let (s, w) = (u.sinh(), u.sinh().sinh());
        f(w) * s.cosh() * u.cosh() * h
    };
    (-700..700).map(at).sum()
}

#[test]
fn densities_integrate_to_one_and_give_the_kernel_back() {
    let kernels = [
        Kernel::rbf(0.7),
        Kernel::matern32(1.3),
        Kernel::matern52(0.9),
        Kernel::matern(2.2, 0.8),
        Kernel::rational_quadratic(1.1, 1.5),
        Kernel::rational_quadratic_beta(2.0, 3.0),
        2.0 * Kernel::rbf(0.5) + 0.5 * Kernel::matern52(2.0),
    ];
    for kernel in kernels {
        let density = |w: f64| kernel.spectral_density(&[w]).unwrap();
        near(line(density), 1.0, 1e-6, &format!("{kernel}: mass"));
        let size = kernel.value(&[0.0], &[0.0]).unwrap();
        for delta in [0.3, 1.0] {
            // A trapezoidal rule as far as the density reaches: cosines alternate beyond what the other one resolves.
            let (h, reach) = (5e-3, 40_000);
            let sum: f64 = (0..reach)
                .map(|i| (f64::from(i) + 0.5) * h)
                .map(|w| 2.0 * h * density(w) * (w * delta).cos())
                .sum();
            near(size * sum, kernel.value(&[delta], &[0.0]).unwrap(), 1e-5, &format!("{kernel} at {delta}"));
        }
    }
    // In two dimensions, and Cauchy's law of the Laplacian kernel.
    let cauchy = Kernel::laplacian(2.0).spectral_density(&[0.3, -0.1]).unwrap();
    let one = |w: f64| 2.0 / (std::f64::consts::PI * (1.0 + 4.0 * w * w));
    near(cauchy, one(0.3) * one(0.1), 1e-15, "Cauchy");
    near(Kernel::matern12(2.0).spectral_density(&[0.3]).unwrap(), one(0.3), 1e-14, "Matérn-½ on the line");
    assert!(matches!(Kernel::linear().spectral_density(&[0.0]), Err(Error::Unsupported { .. })));
    assert!(matches!(
        (Kernel::rbf(1.0) * Kernel::matern32(1.0)).spectral_density(&[0.0]),
        Err(Error::Unsupported { .. })
    ));
    assert!(Kernel::rbf(1.0).spectral_density(&[f64::NAN]).is_err());
}

#[test]
fn draws_follow_the_density() {
    let kernel = Kernel::matern52(0.8);
    let draws = kernel.spectral_draws(1, 20_000, 5).unwrap();
    let below = draws.iter().filter(|w| w.abs() < 1.0).count() as f64 / 20_000.0;
    let h = 1e-3;
    let mass: f64 =
        (0..1000).map(|i| 2.0 * h * kernel.spectral_density(&[(f64::from(i) + 0.5) * h]).unwrap()).sum();
    near(below, mass, 0.015, "the share within one");
    assert_eq!(draws, kernel.spectral_draws(1, 20_000, 5).unwrap());
}

#[test]
fn features_with_phases() {
    let x = random(6, 2, 1);
    let kernel = 1.5 * Kernel::rbf(1.0);
    let map = RandomFourier::new(kernel.clone(), 40_000).phases(true).seed(2).fit(&cpu(), &x).unwrap();
    assert_eq!(map.outputs(), 40_000);
    let phi = map.transform(&x).unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let want = kernel.value(x.row(i).as_slice().unwrap(), x.row(j).as_slice().unwrap()).unwrap();
            near(phi.row(i).dot(&phi.row(j)), want, 0.05, "k");
        }
    }
    let (b, w) = (map.phases().unwrap(), map.frequencies());
    let by_hand = (2.0f64 * 1.5 / 40_000.0).sqrt() * (w.row(7).dot(&x.row(3)) + b[7]).cos();
    near(phi[[3, 7]], by_hand, 1e-14, "one feature");
    assert!(RandomFourier::new(kernel, 5).fit(&cpu(), &x).unwrap().phases().is_none());
}

/// f = 0.7 k(·, 0.2) - 0.3 k(·, -1) of the notes.
fn expansion() -> (Array2<f64>, Array1<f64>) {
    (array![[0.2], [-1.0]], array![0.7, -0.3])
}

/// ∫ g over the line in pieces that end at the points, where derivatives jump.
fn pieces(g: impl Fn(f64) -> f64) -> f64 {
    let ends = [-40.0, -1.0, 0.2, 40.0];
    ends.windows(2)
        .map(|e| {
            let n = 100_000;
            let h = (e[1] - e[0]) / f64::from(n);
            (0..n).map(|i| g(e[0] + (f64::from(i) + 0.5) * h) * h).sum::<f64>()
        })
        .sum()
}

#[test]
fn norms_are_penalties_on_derivatives() {
    let (x, a) = expansion();
    // Sobolev: k = ½ exp(-|x - x'|), f' = ∓f of each term.
    let term = |t: f64, c: f64| 0.5 * (-(t - c).abs()).exp();
    let f = |t: f64| 0.7 * term(t, 0.2) - 0.3 * term(t, -1.0);
    let slope = |t: f64| -0.7 * (t - 0.2).signum() * term(t, 0.2) + 0.3 * (t + 1.0).signum() * term(t, -1.0);
    let by_kernel = DerivativePenalty::sobolev().of_expansion(&x, a.view()).unwrap();
    near(by_kernel, 0.2267492155, 1e-9, "αᵀKα");
    near(pieces(|t| f(t).powi(2) + slope(t).powi(2)), by_kernel, 1e-7, "∫f² + ∫f'²");
    // Matérn-3/2 of length γ = 0.8: k = (1 + s) e^-s, s = √3|t|/γ.
    let penalty = DerivativePenalty::matern32(0.8).unwrap();
    let by_kernel = penalty.of_expansion(&x, a.view()).unwrap();
    near(by_kernel, 0.4675422251, 1e-9, "αᵀKα");
    let r = 3f64.sqrt() / 0.8;
    let parts = |t: f64, c: f64| {
        let s = r * (t - c).abs();
        [(1.0 + s) * (-s).exp(), -r * s * (-s).exp() * (t - c).signum(), r * r * (s - 1.0) * (-s).exp()]
    };
    let w = penalty.weights();
    near(w[2], 0.02463361149, 1e-11, "c");
    let square = |t: f64| {
        (0..3).map(|j| w[j] * (0.7 * parts(t, 0.2)[j] - 0.3 * parts(t, -1.0)[j]).powi(2)).sum::<f64>()
    };
    near(pieces(square), by_kernel, 1e-7, "c[∫f''² + (6/γ²)∫f'² + (9/γ⁴)∫f²]");
    // Matérn-½ of length γ.
    let penalty = DerivativePenalty::matern12(0.8).unwrap();
    let parts = |t: f64, c: f64| {
        [(-(t - c).abs() / 0.8).exp(), -(t - c).signum() / 0.8 * (-(t - c).abs() / 0.8).exp()]
    };
    let square = |t: f64| {
        (0..2)
            .map(|j| penalty.weights()[j] * (0.7 * parts(t, 0.2)[j] - 0.3 * parts(t, -1.0)[j]).powi(2))
            .sum::<f64>()
    };
    near(pieces(square), penalty.of_expansion(&x, a.view()).unwrap(), 1e-7, "Matérn-½");
    assert!(DerivativePenalty::matern12(0.0).is_err());
}

#[test]
fn the_discrepancy_as_a_loss() {
    let (x, y) = (random(6, 2, 3), random(9, 2, 4) + 0.5);
    let mmd = Mmd::new(Kernel::rbf(0.8));
    let (value, gradient) = mmd.loss(&x, &y).unwrap();
    near(value, mmd.unbiased(&cpu(), &x, &y).unwrap(), 0.0, "the value");
    for i in 0..6 {
        for f in 0..2 {
            let at = |h: f64| {
                let mut moved = x.clone();
                moved[[i, f]] += h;
                mmd.unbiased(&cpu(), &moved, &y).unwrap()
            };
            near(gradient[[i, f]], (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8, "gradient");
        }
    }
    // A location model finds the mean of its data.
    let (noise, data) = (random(60, 1, 5), random(80, 1, 6) + 2.0);
    let mmd = Mmd::new(Kernel::rbf(1.5));
    let mut at = 0.0;
    for _ in 0..200 {
        let (_, gradient) = mmd.loss(&noise + at, &data).unwrap();
        at -= 2.0 * gradient.sum();
    }
    let want = data.mean().unwrap() - noise.mean().unwrap();
    near(at, want, 0.05, "the location");
    all_near(&[mmd.loss(&noise + at, &data).unwrap().1.sum()], &[0.0], 1e-6, "stationary");
}
