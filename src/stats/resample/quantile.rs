//! Quantiles of laws on the positive half-line, to the last digit that their tails carry.

/// The x with `P(X ≥ x) = alpha`, by bisection of the tail `sf`: infinite if the tail never falls so low.
///
/// The quantiles of statrs stop after a few steps, five digits short.
pub(in crate::stats) fn upper_quantile(sf: impl Fn(f64) -> f64, alpha: f64) -> f64 {
    let mut high = 1.0;
    while sf(high) > alpha {
        high *= 2.0;
        if high > f64::MAX / 4.0 {
            return f64::INFINITY;
        }
    }
    while high > f64::MIN_POSITIVE && sf(0.5 * high) <= alpha {
        high *= 0.5;
    }
    let mut low = 0.5 * high;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if sf(middle) > alpha { low = middle } else { high = middle }
    }
}
