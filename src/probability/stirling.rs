//! Gamma functions of large numbers as Stirling's formula and small terms (Loader, 2000): logarithms of factorials are
//! large, and their difference has few digits left. Checked against 40 digits in `tests/probability/large.rs`.

use super::special::{digamma, log_gamma};

/// `ln 2π`.
pub(super) const LN_TAU: f64 = 1.837_877_066_409_345_5;
/// From where on the series is used.
pub(super) const LARGE: f64 = 16.0;

/// `ln Γ(n + 1) - ((n + ½) ln n - n + ½ ln 2π)` for n > 0.
pub(super) fn stirling_error(n: f64) -> f64 {
    // From n to n + 1 it falls by (n + ½) ln((n + 1)/n) - 1.
    let (mut n, mut sum) = (n, 0.0);
    while n < LARGE {
        let logs = if n < 1e-3 { n.ln_1p() - n.ln() } else { n.recip().ln_1p() };
        sum += (n + 0.5) * logs - 1.0;
        n += 1.0;
    }
    let s = (n * n).recip();
    sum + (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / n
}

/// `ln x - ψ(x)` for x > 0, about `1/(2x)`.
pub(super) fn digamma_gap(x: f64) -> f64 {
    if x < LARGE {
        return x.ln() - digamma(x);
    }
    let s = (x * x).recip();
    0.5 / x
        + s * (1.0 / 12.0
            - s * (1.0 / 120.0
                - s * (1.0 / 252.0 - s * (1.0 / 240.0 - s * (1.0 / 132.0 - s * 691.0 / 32760.0)))))
}

/// `ψ(a) - ψ(a + b)`, for b that is small beside a too.
pub(super) fn digamma_difference(a: f64, b: f64) -> f64 {
    let ratio = b / a;
    let logs = if ratio.is_finite() { ratio.ln_1p() } else { (a + b).ln() - a.ln() };
    digamma_gap(a + b) - digamma_gap(a) - logs
}

/// `x ln(x/m) + m - x`, for x near m too.
pub(super) fn deviance(x: f64, m: f64) -> f64 {
    if x == 0.0 || m == f64::INFINITY {
        return m;
    }
    let v = (x - m) / (x + m);
    if v.abs() >= 0.1 {
        return x * (x.ln() - m.ln()) + (m - x);
    }
    let (mut sum, mut power) = ((x - m) * v, 2.0 * x * v);
    for j in 1..200 {
        power *= v * v;
        let next = sum + power / f64::from(2 * j + 1);
        if next.to_bits() == sum.to_bits() {
            break;
        }
        sum = next;
    }
    sum
}

/// `ln B(a, b)`: `½ ln 2π + ½ ln((a + b)/ab) - a ln(1 + b/a) - b ln(1 + a/b)`, and the errors of that.
pub(super) fn log_beta(a: f64, b: f64) -> f64 {
    let (few, many) = (a.min(b), a.max(b));
    let n = a + b;
    let errors = stirling_error(a) + stirling_error(b) - stirling_error(n);
    let powers = many * (few / many).ln_1p() + few * (n.ln() - few.ln());
    0.5 * (LN_TAU + (few / many).ln_1p() - few.ln()) - powers + errors
}

/// `ln(m^x e^-m/Γ(x + 1))`: the probability of a count x under a Poisson rate m, for real x ≥ 0 too.
pub(super) fn poisson(x: f64, rate: f64) -> f64 {
    match x {
        0.0 => -rate,
        f64::INFINITY => f64::NEG_INFINITY,
        _ if x < LARGE => x * rate.ln() - rate - log_gamma(x + 1.0),
        _ => -stirling_error(x) - deviance(x, rate) - 0.5 * (LN_TAU + x.ln()),
    }
}

/// `ln(Γ(n + 1)/(Γ(x + 1) Γ(m + 1)) p^x q^m)`, `n = x + m`, `q = 1 - p`: of x yeses and m noes, for real numbers too.
pub(super) fn binomial(x: f64, m: f64, p: f64, q: f64) -> f64 {
    let power = |x: f64, own: f64, other: f64| if own > 0.5 { x * (-other).ln_1p() } else { x * own.ln() };
    match (x, m) {
        (0.0, 0.0) => 0.0,
        (0.0, _) => power(m, q, p),
        (_, 0.0) => power(x, p, q),
        _ if p == 0.0 || q == 0.0 => f64::NEG_INFINITY,
        _ => {
            let n = x + m;
            let exact = stirling_error(n) - stirling_error(x) - stirling_error(m);
            let off = deviance(x, n * p) + deviance(m, n * q);
            exact - off - 0.5 * (LN_TAU + x.ln() + m.ln() - n.ln())
        }
    }
}

/// `-ln(m^x e^-m/x!)` of a count x for a mean m: what a category adds to minus the logarithm of a multinomial probability.
pub(super) fn count_term(x: f64, mean: f64) -> f64 {
    match x {
        0.0 => mean,
        _ if mean == 0.0 => f64::INFINITY,
        _ => stirling_error(x) + deviance(x, mean) + 0.5 * (LN_TAU + x.ln()),
    }
}

/// `ln(n!/Πx_k! Π p_k^x_k)` for counts that sum to n.
pub(super) fn multinomial(x: &[f64], p: &[f64]) -> f64 {
    let n: f64 = x.iter().sum();
    let each = |(&x, &p): (&f64, &f64)| -count_term(x, n * p);
    let whole = if n == 0.0 { 0.0 } else { stirling_error(n) + 0.5 * (LN_TAU + n.ln()) };
    whole + x.iter().zip(p).map(each).sum::<f64>()
}

/// `ln B(α) - Σ (α_k - 1)(ψ(α_k) - ψ(Σα))`: the entropy of a Dirichlet distribution.
pub(super) fn dirichlet_entropy(alpha: &[f64]) -> f64 {
    let (n, k) = (alpha.iter().sum::<f64>(), alpha.len() as f64);
    let each = |&a: &f64| 0.5 * (LN_TAU + a.ln()) + stirling_error(a) + (a - 1.0) * digamma_gap(a);
    alpha.iter().map(each).sum::<f64>()
        - 0.5 * LN_TAU
        - (k - 0.5) * n.ln()
        - stirling_error(n)
        - (n - k) * digamma_gap(n)
}
