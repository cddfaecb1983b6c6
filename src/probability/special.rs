//! Special functions: gamma and its derivatives, incomplete gamma and beta, Bessel, sigmoids. Checked in
//! `tests/probability/special.rs` against 40 digits.
//!
//! What statrs has to ten digits or more comes from there; the rest, and what it refuses by a panic, is written here.

use statrs::function::gamma;

pub use super::incomplete::{beta_lower, gamma_lower, gamma_upper};
use super::{normal, stirling};
use crate::Result;
use crate::check::parameter;

/// `ln Γ(x)` for x > 0; infinite at zero, NaN below.
pub fn log_gamma(x: f64) -> f64 {
    match x {
        _ if x > 0.0 => gamma::ln_gamma(x),
        0.0 => f64::INFINITY,
        _ => f64::NAN,
    }
}

/// `ψ(x) = d ln Γ/dx` for x > 0: by `ψ(x) = ψ(x + 1) - 1/x` up to 12, then by its asymptotic series; NaN elsewhere.
///
/// ```
/// use mercer::probability::special::digamma;
/// assert!((digamma(1.0) + 0.5772156649015329).abs() < 1e-14);
/// ```
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 12.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = s
        * (1.0 / 12.0
            - s * (1.0 / 120.0
                - s * (1.0 / 252.0
                    - s * (1.0 / 240.0 - s * (1.0 / 132.0 - s * (691.0 / 32760.0 - s / 12.0))))));
    sum + x.ln() - 0.5 / x - series
}

/// `ψ'(x) = d² ln Γ/dx²` for x > 0, in the same manner; NaN elsewhere.
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 12.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = 1.0 / 6.0
        - s * (1.0 / 30.0
            - s * (1.0 / 42.0 - s * (1.0 / 30.0 - s * (5.0 / 66.0 - s * (691.0 / 2730.0 - s * 7.0 / 6.0)))));
    sum + 1.0 / x + 0.5 * s + s / x * series
}

/// `ln B(a, b) = ln Γ(a) + ln Γ(b) - ln Γ(a + b)` for a, b > 0, not by this difference, which has few digits for large ones;
/// infinite at zero, NaN below.
pub fn log_beta(a: f64, b: f64) -> f64 {
    match a.min(b) {
        0.0 => f64::INFINITY,
        least if least > 0.0 => stirling::log_beta(a, b),
        _ => f64::NAN,
    }
}

/// `ln B(α) = Σ ln Γ(α_k) - ln Γ(Σ α_k)`: the constant of a Dirichlet distribution.
pub fn log_multivariate_beta(alpha: &[f64]) -> f64 {
    let Some((first, others)) = alpha.split_first() else { return f64::NAN };
    // One category after the other: B(α) = Π B(α_0 + ... + α_{k-1}, α_k).
    others.iter().fold((0.0, *first), |(sum, total), &a| (sum + log_beta(total, a), total + a)).0
}

/// `ln Γ_d(a) = d(d-1)/4 ln π + Σ_{j<d} ln Γ(a - j/2)`: the constant of a Wishart distribution.
pub fn log_multivariate_gamma(d: usize, a: f64) -> f64 {
    let d_real = d as f64;
    0.25 * d_real * (d_real - 1.0) * std::f64::consts::PI.ln()
        + (0..d).map(|j| log_gamma(a - 0.5 * j as f64)).sum::<f64>()
}

/// `ln n!`.
pub fn log_factorial(n: f64) -> f64 {
    if n < 2.0 { if n < 0.0 { f64::NAN } else { 0.0 } } else { log_gamma(n + 1.0) }
}

/// `ln (n choose k)` for whole numbers `0 ≤ k ≤ n`.
pub fn log_choose(n: f64, k: f64) -> f64 {
    if !(k >= 0.0 && k <= n) {
        return f64::NAN;
    }
    -(n + 1.0).ln() - log_beta(k + 1.0, n - k + 1.0)
}

/// `erf(u) = 2/√π ∫₀ᵘ exp(-t²) dt`: `2(Φ(√2 u) - ½)` without the difference where it is small; statrs has ten digits.
pub fn error_function(u: f64) -> f64 {
    2.0 * normal::centred_cdf(std::f64::consts::SQRT_2 * u)
}

/// `1 - erf(u)`, with its own digits where it is small.
pub fn error_function_complement(u: f64) -> f64 {
    2.0 * normal::cdf(-std::f64::consts::SQRT_2 * u)
}

/// `Φ(z)`, the standard normal distribution function, to full accuracy far into its lower tail.
///
/// ```
/// use mercer::probability::special::normal_cdf;
/// assert!((normal_cdf(1.96) - 0.9750021048517795).abs() < 1e-15);
/// ```
pub fn normal_cdf(z: f64) -> f64 {
    normal::cdf(z)
}

/// `ln Φ(z)`, where Φ itself would be zero too.
pub fn normal_log_cdf(z: f64) -> f64 {
    normal::log_cdf(z)
}

/// `Φ⁻¹(p)` for p in (0, 1).
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for p outside.
pub fn normal_quantile(p: f64) -> Result<f64> {
    parameter("p", p, p > 0.0 && p < 1.0, "a probability must lie between 0 and 1")?;
    Ok(if p <= 0.5 { normal::quantile(p) } else { -normal::quantile(1.0 - p) })
}

/// The asymptotic series of `√(2πκ) e^-κ I_ν(κ)` for κ from 30 on, without its first term, which is one.
fn bessel_series(order: u8, k: f64) -> f64 {
    let mu = 4.0 * f64::from(order).powi(2);
    let (mut term, mut sum) = (1.0, 0.0);
    for j in 1..30 {
        let odd = f64::from(2 * j - 1);
        let next: f64 = -term * (mu - odd * odd) / (f64::from(j) * 8.0 * k);
        if next.abs() >= f64::abs(term) {
            break;
        }
        term = next;
        sum += term;
    }
    sum
}

/// `ln (e^-κ I_ν(κ))` for ν = 0 or 1 and κ > 0: the series, or from 30 on the asymptotic one.
pub(super) fn log_bessel_scaled(order: u8, k: f64) -> f64 {
    if k >= 30.0 {
        return bessel_series(order, k).ln_1p() - 0.5 * (std::f64::consts::TAU * k).ln();
    }
    let (nu, q) = (f64::from(order), 0.25 * k * k);
    let (mut term, mut sum, mut j) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        j += 1.0;
        term *= q / (j * (j + nu));
        sum += term;
    }
    sum.ln() - k + nu * (0.5 * k).ln()
}

/// `1 - I₁(κ)/I₀(κ)` for κ > 0, about `1/(2κ)` for large κ.
pub(super) fn bessel_gap(k: f64) -> f64 {
    if k >= 30.0 {
        let (zeroth, first) = (bessel_series(0, k), bessel_series(1, k));
        return (zeroth - first) / (1.0 + zeroth);
    }
    1.0 - (log_bessel_scaled(1, k) - log_bessel_scaled(0, k)).exp()
}

/// `σ(a) = 1/(1 + e^-a)`; neither end overflows.
pub fn sigmoid(a: f64) -> f64 {
    if a >= 0.0 {
        1.0 / (1.0 + (-a).exp())
    } else {
        let e = a.exp();
        e / (1.0 + e)
    }
}

/// `ln(p/(1 - p))`, the inverse of [`sigmoid`]; infinite at 0 and 1, NaN outside.
pub fn logit(p: f64) -> f64 {
    p.ln() - (-p).ln_1p()
}

/// `ln(1 + e^a)`: minus the logarithm of `σ(-a)`.
pub fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}

/// `ln Σ exp(a_i)`; minus infinity of nothing.
pub fn log_sum_exp(a: &[f64]) -> f64 {
    let top = a.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    if top.is_finite() { top + a.iter().map(|v| (v - top).exp()).sum::<f64>().ln() } else { top }
}

/// `exp(a_k)/Σ exp(a_j)`: the same for `a + c`, and close to the first of the largest for `c a` with a large c.
pub fn softmax(a: &[f64]) -> Vec<f64> {
    let total = log_sum_exp(a);
    a.iter().map(|v| (v - total).exp()).collect()
}

/// `x ln x`, zero at zero.
pub(crate) fn x_log_x(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x * x.ln() }
}
