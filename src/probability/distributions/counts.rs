//! Densities of counts as sums of small terms (Loader, 2000): logarithms of factorials of large counts are large, and their
//! difference has few digits left. Checked in `tests/probability/theory.rs` and against mpmath in the tails.

use crate::probability::special::log_factorial;

const LN_TAU: f64 = 1.837_877_066_409_345_5;

/// `ln n! - ((n + ½) ln n - n + ½ ln 2π)` for n ≥ 1.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        return log_factorial(n) - ((n + 0.5) * n.ln() - n + 0.5 * LN_TAU);
    }
    let s = (n * n).recip();
    (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / n
}

/// `x ln(x/m) + m - x`, for x near m too.
fn deviance(x: f64, m: f64) -> f64 {
    let v = (x - m) / (x + m);
    if v.abs() >= 0.1 {
        return x * (x / m).ln() + m - x;
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

/// `ln p(x)` of a Poisson variable with this rate, for a count x.
pub(super) fn poisson(x: f64, rate: f64) -> f64 {
    if x == 0.0 {
        return -rate;
    }
    -stirling_error(x) - deviance(x, rate) - 0.5 * (LN_TAU + x.ln())
}

/// `ln p(x)` of x yeses in n trials, 0 ≤ x ≤ n.
pub(super) fn binomial(x: f64, n: f64, p: f64) -> f64 {
    if x == 0.0 {
        return if n == 0.0 { 0.0 } else { n * (-p).ln_1p() };
    }
    if x == n {
        return n * p.ln();
    }
    if p == 0.0 || p == 1.0 {
        return f64::NEG_INFINITY;
    }
    let exact = stirling_error(n) - stirling_error(x) - stirling_error(n - x);
    let off = deviance(x, n * p) + deviance(n - x, n * (1.0 - p));
    exact - off - 0.5 * (LN_TAU + x.ln() + (-x / n).ln_1p())
}
