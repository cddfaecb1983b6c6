//! The Matérn function of any smoothness, by the modified Bessel function of the second kind.

use statrs::function::gamma::ln_gamma;

/// ln `K_ν(z)` for z > 0, from `K_ν(z)` = ∫₀^∞ exp(-z cosh t) cosh(νt) dt.
///
/// The integrand is analytic in a strip and falls doubly exponentially, so the trapezoidal rule converges
/// exponentially; the step shrinks with the width of the peak. Sums are taken relative to the largest term.
pub(super) fn ln_bessel_k(nu: f64, z: f64) -> f64 {
    let nu = nu.abs();
    let h = (0.2_f64).min(0.6 / z.hypot(nu).sqrt());
    let exponent = |t: f64| nu * t - z * t.cosh();
    // The peak of exp(νt - z cosh t) lies at sinh t = ν/z.
    let peak = exponent((nu / z).asinh());
    let term = |k: f64| (exponent(k * h) - peak).exp() * 0.5 * (1.0 + (-2.0 * nu * k * h).exp());
    // From the peak to both sides, until nothing is added: what lies between would be zeros, as many as ν is large.
    let at = ((nu / z).asinh() / h).floor();
    let mut sum = 0.0;
    let mut k = at + 1.0;
    while exponent(k * h) - peak >= -40.0 {
        sum += term(k);
        k += 1.0;
    }
    k = at;
    while k > 0.0 && exponent(k * h) - peak >= -40.0 {
        sum += term(k);
        k -= 1.0;
    }
    if k == 0.0 {
        sum += 0.5 * term(0.0);
    }
    (sum * h).ln() + peak
}

/// Beyond this ν the function is its limit `exp(-u/2)` to more digits than the logarithms of Γ and K leave.
const GAUSSIAN: f64 = 1e7;

/// Whether `z^ν K_ν(z)`, about `z^(ν-½) e^-z` for z beyond ν, is less than the smallest number: there the integral has
/// nothing to find, and its step, which shrinks with z, would never get there.
fn vanishes(nu: f64, z: f64) -> bool {
    z.is_infinite() || (z > 2.0 * nu && z - nu * z.ln() > 800.0 + nu * (nu + 1.0).ln())
}

/// Whether z is so small that ν/z has no number: the integral would reach to infinity.
fn near(nu: f64, z: f64) -> bool {
    z == 0.0 || (nu / z).is_infinite()
}

/// 2^(1-ν)/Γ(ν) z^ν `K_ν(z)` with z = √(2νu); u is the scaled squared distance.
pub(crate) fn matern(nu: f64, u: f64) -> f64 {
    if nu > GAUSSIAN {
        return (-0.5 * u).exp();
    }
    let z = (2.0 * nu * u).sqrt();
    if near(nu, z) {
        return 1.0;
    }
    if vanishes(nu, z) {
        return 0.0;
    }
    ((1.0 - nu) * 2.0_f64.ln() - ln_gamma(nu) + nu * z.ln() + ln_bessel_k(nu, z)).exp().min(1.0)
}

/// The derivative of [`matern`] by u: -ν 2^(1-ν)/Γ(ν) z^(ν-1) `K_(ν-1)(z)`.
///
/// For ν ≤ 1 it is infinite at u = 0; there it is defined as 0, because it only ever meets a factor that vanishes.
pub(crate) fn matern_slope(nu: f64, u: f64) -> f64 {
    if nu > GAUSSIAN {
        return -0.5 * (-0.5 * u).exp();
    }
    let z = (2.0 * nu * u).sqrt();
    if near(nu, z) {
        return if nu > 1.0 { -nu / (2.0 * (nu - 1.0)) } else { 0.0 };
    }
    if vanishes(nu, z) {
        return 0.0;
    }
    let ln = (1.0 - nu) * 2.0_f64.ln() - ln_gamma(nu) + (nu - 1.0) * z.ln() + ln_bessel_k(nu - 1.0, z);
    -nu * ln.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_integers_have_closed_forms() {
        for u in [1e-12, 1e-6, 0.01, 0.3, 1.0, 7.0, 90.0, 2000.0_f64] {
            let r = u.sqrt();
            let (s3, s5) = (3.0_f64.sqrt() * r, 5.0_f64.sqrt() * r);
            let cases = [
                (0.5, (-r).exp(), -(-r).exp() / (2.0 * r)),
                (1.5, (1.0 + s3) * (-s3).exp(), -1.5 * (-s3).exp()),
                (2.5, (1.0 + s5 + s5 * s5 / 3.0) * (-s5).exp(), -5.0 / 6.0 * (1.0 + s5) * (-s5).exp()),
            ];
            for (nu, f, df) in cases {
                assert!((matern(nu, u) - f).abs() <= 2e-13 * f, "nu {nu} u {u}: {} {f}", matern(nu, u));
                assert!((matern_slope(nu, u) - df).abs() <= 2e-13 * df.abs(), "slope nu {nu} u {u}");
            }
        }
    }

    #[test]
    fn general_order_meets_the_reference_and_the_gaussian_limit() {
        assert!((matern(1.0, 1.0) - 0.444_342_523_6).abs() < 1e-10);
        assert!((matern(10.0, 1.0) - 0.583_901_133_2).abs() < 1e-10);
        for u in [0.1, 1.0, 4.0_f64] {
            assert!((matern(5000.0, u) - (-0.5 * u).exp()).abs() < 1e-3);
        }
    }

    #[test]
    fn large_orders_end_and_join_their_limit() {
        for nu in [1e5, 9.9e6, 1.1e7, 1e12, 1e300] {
            for u in [f64::MIN_POSITIVE, 1e-6, 0.1, 1.0, 9.0] {
                let limit = (-0.5 * u).exp();
                assert!((matern(nu, u) - limit).abs() < 1e-3 * limit, "nu {nu} u {u}");
                assert!((matern_slope(nu, u) + 0.5 * limit).abs() < 1e-3 * limit, "slope nu {nu} u {u}");
            }
        }
    }

    #[test]
    fn nothing_is_left_far_away() {
        for nu in [0.1, 0.7, 3.3, 40.0] {
            for u in [1e8, 1e100, 1e300, f64::INFINITY] {
                assert_eq!((matern(nu, u), matern_slope(nu, u)), (0.0, 0.0), "nu {nu} u {u}");
            }
        }
    }

    #[test]
    fn the_slope_is_the_derivative() {
        for nu in [0.3, 0.8, 1.0, 1.2, 3.7] {
            for u in [0.05, 0.9, 6.0] {
                let h = 1e-5 * u;
                let fd = (matern(nu, u + h) - matern(nu, u - h)) / (2.0 * h);
                assert!((fd - matern_slope(nu, u)).abs() < 1e-7 * (1.0 + fd.abs()), "nu {nu} u {u}");
            }
        }
        assert!((matern_slope(3.0, 1e-14) - matern_slope(3.0, 0.0)).abs() < 1e-6);
    }
}
