//! Quantiles from distribution functions: bracketed, then Newton's method on the logarithm of the smaller tail.

use super::Univariate;

/// Steps after which a bracket is halved to nothing whatever the distribution.
const MOST: usize = 2200;

/// The x with `F(x) = p` of a continuous distribution on `(low, high)`, from a start inside.
pub(super) fn continuous(of: &impl Univariate, p: f64, support: (f64, f64), start: f64) -> f64 {
    let lower = p <= 0.5;
    // Rises with x, zero at the answer; in logarithms, so that tails are as round as the middle.
    let gap = |x: f64| if lower { of.cdf(x).ln() - p.ln() } else { (1.0 - p).ln() - of.survival(x).ln() };
    let (mut low, mut high) = bracket(&gap, support, start);
    let mut x = start.clamp(low, high);
    for _ in 0..MOST {
        let g = gap(x);
        if g == 0.0 {
            return x;
        }
        if g < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let tail = if lower { of.cdf(x) } else { of.survival(x) };
        let next = x - g * (tail.ln() - of.log_density(x)).exp();
        let inside = next > low && next < high;
        let next = if inside { next } else { middle(low, high) };
        if (next - x).abs() <= 2.0 * f64::EPSILON * x.abs() || next == low || next == high {
            return next;
        }
        x = next;
    }
    x
}

/// Two points about the root, by steps that double, within the support.
fn bracket(gap: &impl Fn(f64) -> f64, support: (f64, f64), start: f64) -> (f64, f64) {
    let step = start.abs().max(1.0);
    let mut low = start;
    let mut width = step;
    while gap(low) > 0.0 && low > support.0 {
        low = if support.0.is_finite() { middle(support.0, low) } else { low - width };
        width *= 2.0;
        if low <= support.0 + f64::MIN_POSITIVE || !low.is_finite() {
            low = support.0.max(f64::MIN);
            break;
        }
    }
    let mut high = start;
    let mut width = step;
    while gap(high) < 0.0 && high < support.1 {
        high = if support.1.is_finite() { 0.5 * (support.1 + high) } else { high + width };
        width *= 2.0;
        if high >= support.1 || !high.is_finite() {
            high = support.1.min(f64::MAX);
            break;
        }
    }
    (low, high)
}

/// Halfway, by the geometric mean where both ends are positive and far apart.
fn middle(low: f64, high: f64) -> f64 {
    if low >= 0.0 && high > 4.0 * low {
        if low == 0.0 { high * 1e-3 } else { (low * high).sqrt() }
    } else {
        0.5 * low + 0.5 * high
    }
}

/// The smallest whole number k in `0 ..= most` with `F(k) ≥ p`, from a start near it.
pub(super) fn whole(of: &impl Univariate, p: f64, most: f64, start: f64) -> f64 {
    let reached = |k: f64| if p <= 0.5 { of.cdf(k) >= p } else { of.survival(k) <= 1.0 - p };
    let mut high = start.max(0.0).min(most).floor();
    let mut step = 1.0;
    while high < most && !reached(high) {
        high = (high + step).min(most);
        step *= 2.0;
    }
    let mut low = -1.0;
    while high - low > 1.0 {
        let k = (0.5 * (low + high)).floor();
        if reached(k) {
            high = k;
        } else {
            low = k;
        }
    }
    high
}
