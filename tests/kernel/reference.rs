//! The numbers printed in the course notes.

#![allow(clippy::unreadable_literal, clippy::approx_constant, reason = "as the notes print them")]

use crate::{close, eigenvalues, gram};
use mercer::Kernel;
use ndarray::array;

const TEN: f64 = 6e-11;

#[test]
fn gaussian() {
    let k = Kernel::rbf(1.0);
    for (r, want) in [(0.5, 0.8824969026), (1.0, 0.6065306597), (2.0, 0.1353352832)] {
        close(k.value(&[0.0], &[r]).unwrap(), want, TEN);
    }
}

#[test]
fn matern() {
    let table = [
        (0.5, [0.6065306597, 0.784887654, 0.8286491424]),
        (1.0, [0.3678794412, 0.4833577246, 0.5239941088]),
        (2.0, [0.1353352832, 0.1397313502, 0.1386602191]),
    ];
    for (r, want) in table {
        let kernels = [Kernel::matern12(1.0), Kernel::matern32(1.0), Kernel::matern52(1.0)];
        for (k, want) in kernels.iter().zip(want) {
            close(k.value(&[0.3], &[0.3 + r]).unwrap(), want, TEN);
        }
        for (nu, want) in [0.5, 1.5, 2.5].into_iter().zip(want) {
            close(Kernel::matern(nu, 1.0).value(&[0.0], &[r]).unwrap(), want, TEN);
        }
    }
    close(Kernel::matern(1.0, 1.0).value(&[0.0], &[1.0]).unwrap(), 0.4443425236, TEN);
    close(Kernel::matern(10.0, 1.0).value(&[0.0], &[1.0]).unwrap(), 0.5839011332, TEN);
}

#[test]
fn rational_quadratic() {
    let k = Kernel::rational_quadratic_beta(2.0, 3.0);
    for (r, want) in [(0.5, 0.8520710059), (1.0, 0.5625), (2.0, 0.1836734694)] {
        close(k.value(&[0.0], &[r]).unwrap(), want, TEN);
    }
    for (alpha, want) in [(0.5, 0.7071067812), (1.0, 0.6666666667), (10.0, 0.6139132535), (1e4, 0.6065382411)]
    {
        close(Kernel::rational_quadratic(1.0, alpha).value(&[0.0], &[1.0]).unwrap(), want, TEN);
        close(Kernel::rational_quadratic_beta(alpha, 2.0 * alpha).value(&[0.0], &[1.0]).unwrap(), want, TEN);
    }
}

#[test]
fn rational_quadratic_is_a_gamma_mixture_of_gaussians() {
    // (1 + r²/β)^-α = ∫ exp(-θr²) Gamma(θ; α, β) dθ, here α = 2: the density is β²θ exp(-βθ).
    let (beta, r) = (3.0, 0.8_f64);
    let h = 1e-4;
    let integral: f64 = (1..200_000)
        .map(|i| f64::from(i) * h)
        .map(|t: f64| (-t * r * r).exp() * beta * beta * t * (-beta * t).exp() * h)
        .sum();
    close(Kernel::rational_quadratic_beta(2.0, beta).value(&[0.0], &[r]).unwrap(), integral, 1e-7);
}

#[test]
fn dot_product_kernels() {
    let (x, y) = ([1.0, 2.0], [0.5, -1.0]);
    close(Kernel::linear().value(&x, &y).unwrap(), -1.5, 0.0);
    close(Kernel::polynomial(3, 1.0).value(&x, &y).unwrap(), -0.125, 1e-15);
    close(Kernel::polynomial(2, 1.0).value(&[1.0, 2.0], &[3.0, -1.0]).unwrap(), 4.0, 0.0);
    close(Kernel::exponential_dot(1.0).value(&x, &y).unwrap(), 0.2231301601, TEN);
}

#[test]
fn automatic_relevance() {
    // τ² exp(-Σ(x - x')²/η²) is 2.25 times a Gaussian with ℓ = η/√2.
    let k = 2.25 * Kernel::rbf([1.0 / 2.0_f64.sqrt(), 2.0 / 2.0_f64.sqrt()]);
    close(k.value(&[1.0, 0.0], &[0.0, 2.0]).unwrap(), 0.3045043873, TEN);
    let far = Kernel::rbf([0.7, 1e12]);
    close(
        far.value(&[1.0, 5.0], &[0.0, -7.0]).unwrap(),
        Kernel::rbf(0.7).value(&[1.0], &[0.0]).unwrap(),
        1e-15,
    );
}

#[test]
fn network() {
    let k = Kernel::arcsine(4.0, 1.0);
    close(k.value(&[0.5], &[-0.3]).unwrap(), 0.118778, 5e-7);
    close(k.variance(&[0.5]).unwrap(), 0.590334, 5e-7);
}

#[test]
fn cosine_of_documents() {
    let k = Kernel::cosine();
    close(k.value(&[1.0, 2.0, 0.0], &[10.0, 20.0, 0.0]).unwrap(), 1.0, 1e-15);
    close(k.value(&[1.0, 0.0, 0.0], &[0.0, 3.0, 0.0]).unwrap(), 0.0, 0.0);
    close(k.value(&[0.0, 0.0, 0.0], &[0.0, 3.0, 0.0]).unwrap(), 0.0, 0.0);
}

#[test]
fn expansions_in_the_feature_space() {
    // f = Σ αᵢ k(·, xᵢ), g = Σ βⱼ k(·, yⱼ): inner products and norms are sums of kernel values.
    let k = Kernel::rbf(1.0);
    let (f, g) = (vec![(1.0, 0.0), (-0.5, 1.0)], vec![(2.0, 0.5), (1.0, 1.0), (-1.0, 3.0)]);
    let inner = |f: &[(f64, f64)], g: &[(f64, f64)]| -> f64 {
        f.iter()
            .flat_map(|a| g.iter().map(move |b| a.0 * b.0 * Kernel::rbf(1.0).value(&[a.1], &[b.1]).unwrap()))
            .sum()
    };
    close(inner(&f, &g), 1.045586207, 6e-10);
    close(inner(&f, &f).sqrt(), 0.8021654071, TEN);
    close(inner(&g, &g).sqrt(), 3.013896035, 6e-10);
    let at: f64 = f.iter().map(|(a, x)| a * k.value(&[*x], &[0.5]).unwrap()).sum();
    close(at, 0.4412484513, TEN);
}

#[test]
fn a_difference_of_kernels_need_not_be_one() {
    let x = array![[-1.0], [0.0], [2.0]];
    let difference = gram(&Kernel::rbf(2.0), x.view()) - gram(&Kernel::rbf(1.0), x.view());
    let eigen = eigenvalues(&difference);
    for (got, want) in eigen.iter().zip([-0.4736322547, -0.2409351925, 0.7145674472]) {
        close(*got, want, TEN);
    }
}

#[test]
fn the_eight_settings_of_the_composite_kernel() {
    let (x, y) = ([0.3], [1.1]);
    let settings = [
        (1.0, 1.0, 0.0, 0.0),
        (4.0, 1.0, 0.0, 0.0),
        (1.0, 0.5, 0.0, 0.0),
        (0.0, 0.0, 5.0, 0.0),
        (1.0, 1.0, 5.0, 0.0),
        (1.0, 2.0, 0.0, 0.0),
        (1.0, 1.0, 0.0, 1.0),
    ];
    for (t0, t1, t2, t3) in settings {
        let gauss: f64 = if t0 == 0.0 { 0.0 } else { t0 * (-0.64_f64 / (2.0 * t1 * t1)).exp() };
        let want = gauss + t2 + t3 * 0.33;
        close(Kernel::theta_form(t0, t1, t2, t3).value(&x, &y).unwrap(), want, 1e-15);
    }
    assert_eq!(Kernel::theta_form(0.0, 0.0, 5.0, 0.0), Kernel::constant(5.0));
    assert!(Kernel::theta_form(0.0, 1.0, 0.0, 0.0).check().is_err());
    assert!(Kernel::theta_form(-1.0, 1.0, 0.0, 0.0).check().is_err());
}

#[test]
fn precomputed_values_are_looked_up() {
    let table = array![[2.0, 0.5, 0.1], [0.5, 1.0, 0.0], [0.1, 0.0, 3.0]];
    let k = Kernel::precomputed(table.clone());
    for i in 0..3_u8 {
        for j in 0..3_u8 {
            let got = k.value(&[f64::from(i)], &[f64::from(j)]).unwrap();
            close(got, table[(usize::from(i), usize::from(j))], 0.0);
        }
    }
}
