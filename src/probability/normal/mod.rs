//! The standard normal distribution, to full accuracy far into its tails: what probit classification and expected
//! improvement are made of. Checked in `tests.rs` against 300 digits.
//!
//! Below the tail's edge everything follows from one continued fraction for Mills' ratio, t = -z:
//! `Φ(z) = φ(z) / (t + c)`, `c = 1/(t + 2/(t + 3/(t + ...)))`. What is small is then computed as such, never as a
//! difference: `z + φ/Φ = c`, `φ + zΦ = φ c / (t + c)`.

use std::f64::consts::SQRT_2;

use statrs::function::erf::erfc_inv;

/// `ln √(2π)`.
const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_8;
/// `1/√(2π)`.
const INVERSE_ROOT_TAU: f64 = 0.398_942_280_401_432_7;
/// From here down the continued fraction converges in at most 110 terms; above, ½ minus a series loses no digits.
const EDGE: f64 = -2.0;

/// `1/(t + 2/(t + 3/(t + ...)))` for t at least 2.
fn rest(t: f64) -> f64 {
    let terms = 10 + (400.0 / (t * t)) as usize;
    (1..=terms).rev().fold(0.0, |below, k| k as f64 / (t + below))
}

/// `(Φ(t) - ½)/φ(t) = t + t³/3 + t⁵/15 + ...` for t from 0 to 2: all terms have one sign.
fn series(t: f64) -> f64 {
    let (mut term, mut sum, mut k) = (t, t, 1.0);
    while term > 1e-17 * sum {
        k += 2.0;
        term *= t * t / k;
        sum += term;
    }
    sum
}

/// `φ(z) = exp(-z²/2) / √(2π)`.
pub(crate) fn density(z: f64) -> f64 {
    if z.is_infinite() {
        return 0.0;
    }
    // The square of a few leading bits is exact: a rounding of z² would be magnified z² times.
    let h = if z.abs() < 1e6 { (z * 16.0).round() / 16.0 } else { z };
    (-0.5 * h * h).exp() * (-0.5 * (z - h) * (z + h)).exp() * INVERSE_ROOT_TAU
}

/// `Φ(z)`.
pub(crate) fn cdf(z: f64) -> f64 {
    if z > 0.0 {
        1.0 - cdf(-z)
    } else if z > EDGE {
        0.5 - density(z) * series(-z)
    } else {
        density(z) / (rest(-z) - z)
    }
}

/// `Φ(z) - ½`, with its own digits where it is small.
pub(crate) fn centred_cdf(z: f64) -> f64 {
    if z.abs() < 2.0 {
        z.signum() * density(z) * series(z.abs())
    } else {
        0.5 * z.signum() - z.signum() * cdf(-z.abs())
    }
}

/// `ln Φ(z)`.
pub(crate) fn log_cdf(z: f64) -> f64 {
    if z > 0.0 {
        (-cdf(-z)).ln_1p()
    } else if z > EDGE {
        cdf(z).ln()
    } else {
        -0.5 * z * z - LOG_ROOT_TAU - (rest(-z) - z).ln()
    }
}

/// `(r, z + r)` with `r = φ(z)/Φ(z) = d ln Φ/dz`; both are positive.
pub(crate) fn hazard(z: f64) -> (f64, f64) {
    if z > EDGE {
        let r = density(z) / cdf(z);
        (r, z + r)
    } else {
        let c = rest(-z);
        (c - z, c)
    }
}

/// `h(z) = φ(z) + z Φ(z)`, the expected positive part of a unit normal variable with mean z.
pub(crate) fn positive_part(z: f64) -> f64 {
    if z > EDGE { density(z) + z * cdf(z) } else { log_positive_part(z).0.exp() }
}

/// `(ln h, d ln h/dz)`.
pub(crate) fn log_positive_part(z: f64) -> (f64, f64) {
    if z > EDGE {
        let h = positive_part(z);
        (h.ln(), cdf(z) / h)
    } else {
        let c = rest(-z);
        (-0.5 * z * z - LOG_ROOT_TAU + c.ln() - (c - z).ln(), 1.0 / c)
    }
}

/// `Φ⁻¹(p)` for p in (0, 1).
pub(crate) fn quantile(p: f64) -> f64 {
    let z = -SQRT_2 * erfc_inv(2.0 * p);
    // One step of Newton: the rational approximation is good for ten digits.
    let step = (cdf(z) - p) / density(z);
    if step.is_finite() { z - step } else { z }
}

#[cfg(test)]
pub(crate) mod tests;
