//! f-divergences and their relatives.

use super::{divergence, masses, pair};
use crate::Result;
use crate::check::parameter;

/// Generators f of `D_f(p ‖ q) = E_q[f(p/q)]`: convex, with `f(1) = 0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FDivergence {
    /// `u ln u`: `KL(p ‖ q)`.
    KullbackLeibler,
    /// `-ln u`: `KL(q ‖ p)`.
    Reverse,
    /// `u ln u - (u + 1) ln((u + 1)/2)`: twice the Jensen-Shannon divergence.
    TwiceJensenShannon,
    /// `(u - 1)²`: Pearson's chi-square.
    ChiSquare,
    /// `(√u - 1)²`: twice the squared Hellinger distance.
    Hellinger,
    /// `½|u - 1|`: total variation.
    TotalVariation,
}

impl FDivergence {
    /// `f(u)` for u > 0, and its limit at zero.
    pub fn generator(self, u: f64) -> f64 {
        let x_log = |u: f64| crate::probability::special::x_log_x(u);
        match self {
            FDivergence::KullbackLeibler => x_log(u),
            FDivergence::Reverse => -u.ln(),
            FDivergence::TwiceJensenShannon => x_log(u) - (u + 1.0) * (0.5 * (u + 1.0)).ln(),
            FDivergence::ChiSquare => (u - 1.0) * (u - 1.0),
            FDivergence::Hellinger => (u.sqrt() - 1.0).powi(2),
            FDivergence::TotalVariation => 0.5 * (u - 1.0).abs(),
        }
    }

    /// `lim f(u)/u` for u to infinity: what mass of p counts where q has none.
    pub fn slope_at_infinity(self) -> f64 {
        match self {
            FDivergence::KullbackLeibler | FDivergence::ChiSquare => f64::INFINITY,
            FDivergence::Reverse => 0.0,
            FDivergence::TwiceJensenShannon => std::f64::consts::LN_2,
            FDivergence::Hellinger => 1.0,
            FDivergence::TotalVariation => 0.5,
        }
    }

    /// `D_f(p ‖ q)`.
    ///
    /// # Errors
    /// As [`entropy`](super::entropy).
    pub fn between(self, p: &[f64], q: &[f64]) -> Result<f64> {
        f_divergence(p, q, |u| self.generator(u), self.slope_at_infinity())
    }
}

/// `D_f(p ‖ q) = Σ q f(p/q)` for a convex f with `f(1) = 0`; where q is zero p counts `slope_at_infinity = lim f(u)/u`.
///
/// # Errors
/// As [`entropy`](super::entropy).
pub fn f_divergence(p: &[f64], q: &[f64], f: impl Fn(f64) -> f64, slope_at_infinity: f64) -> Result<f64> {
    pair("f_divergence", p, q)?;
    let term = |(&p, &q): (&f64, &f64)| match (p, q) {
        (0.0, 0.0) => 0.0,
        (_, 0.0) => p * slope_at_infinity,
        _ => q * f(p / q),
    };
    Ok(p.iter().zip(q).map(term).sum())
}

/// `½ KL(p ‖ m) + ½ KL(q ‖ m)`, `m = (p + q)/2`: symmetric, and at most `ln 2`.
///
/// # Errors
/// As [`entropy`](super::entropy).
pub fn jensen_shannon(p: &[f64], q: &[f64]) -> Result<f64> {
    pair("jensen_shannon", p, q)?;
    let m: Vec<f64> = p.iter().zip(q).map(|(p, q)| 0.5 * (p + q)).collect();
    Ok(0.5 * (divergence(p, &m)? + divergence(q, &m)?))
}

/// `D_α(p ‖ q) = Σ (αp + (1-α)q - p^α q^(1-α))/(α(1-α))`, of masses that need not be normalised; `D_1 = KL(p ‖ q)` and
/// `D_0 = KL(q ‖ p)` are its limits (with `Σq - Σp` and its opposite added where the sums differ).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape), [`Error::Parameter`](crate::Error::Parameter) for negative masses.
pub fn alpha_divergence(p: &[f64], q: &[f64], alpha: f64) -> Result<f64> {
    masses("alpha_divergence", p, q)?;
    parameter("alpha", alpha, alpha.is_finite(), "must be finite")?;
    // Σ q φ(p/q), by the side on which α is small: D_α(p ‖ q) = D_{1-α}(q ‖ p).
    if alpha > 0.5 {
        return alpha_divergence(q, p, 1.0 - alpha);
    }
    let term = |(&p, &q): (&f64, &f64)| {
        if p == 0.0 && q == 0.0 {
            return 0.0;
        }
        if p == 0.0 {
            return if alpha > 0.0 { q / alpha } else { f64::INFINITY };
        }
        if q == 0.0 {
            return p / (1.0 - alpha);
        }
        let l = (p / q).ln();
        // (p^α q^-α - 1)/α without the difference of two ones.
        let power = if alpha == 0.0 { l } else { (alpha * l).exp_m1() / alpha };
        // (αp + (1-α)q - q - q α power)/(α(1-α)) = (p - q - q power)/(1-α).
        (p - q - q * power) / (1.0 - alpha)
    };
    Ok(p.iter().zip(q).map(term).sum::<f64>().max(0.0))
}

/// Rényi's `D_α = ln(Σ p^α q^(1-α))/(α - 1)` for α ≥ 0; `KL(p ‖ q)` at one.
///
/// # Errors
/// As [`entropy`](super::entropy), and for a negative α.
pub fn renyi_divergence(p: &[f64], q: &[f64], alpha: f64) -> Result<f64> {
    pair("renyi_divergence", p, q)?;
    crate::check::not_negative("alpha", alpha)?;
    let t = alpha - 1.0;
    if t == 0.0 {
        return divergence(p, q);
    }
    if t.abs() > 0.5 {
        return Ok((powers(p, q, alpha).ln() / t).max(0.0));
    }
    // Σ p (p/q)^t = Σ_{q>0} p + Σ p ((p/q)^t - 1): without the difference of two ones at α near one.
    let term = |(&p, &q): (&f64, &f64)| match (p, q) {
        (0.0, _) => 0.0,
        (_, 0.0) if t > 0.0 => f64::INFINITY,
        (_, 0.0) => -p,
        _ => p * (t * (p.ln() - q.ln())).exp_m1(),
    };
    Ok((p.iter().zip(q).map(term).sum::<f64>().ln_1p() / t).max(0.0))
}

/// Chernoff's `-ln Σ p^a q^(1-a)`, for `0 < a < 1`.
///
/// # Errors
/// As [`entropy`](super::entropy), and for an a outside.
pub fn chernoff(p: &[f64], q: &[f64], a: f64) -> Result<f64> {
    pair("chernoff", p, q)?;
    parameter("a", a, a > 0.0 && a < 1.0, "must lie between 0 and 1")?;
    Ok(-powers(p, q, a).ln())
}

/// `-ln Σ √(pq)`: Chernoff's at one half.
///
/// # Errors
/// As [`entropy`](super::entropy).
pub fn bhattacharyya(p: &[f64], q: &[f64]) -> Result<f64> {
    chernoff(p, q, 0.5)
}

/// `Σ p^a q^(1-a)`.
fn powers(p: &[f64], q: &[f64], a: f64) -> f64 {
    let term = |(&p, &q): (&f64, &f64)| {
        if p == 0.0 {
            0.0
        } else if q == 0.0 {
            if a > 1.0 { f64::INFINITY } else { 0.0 }
        } else {
            (a * p.ln() + (1.0 - a) * q.ln()).exp()
        }
    };
    p.iter().zip(q).map(term).sum()
}
