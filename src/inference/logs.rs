//! Sums of probabilities that are kept as logarithms, and the functions that go with them.

pub(crate) use statrs::function::gamma::{digamma, ln_gamma};

/// `log Σ exp v_i`, minus infinity of nothing.
pub(crate) fn log_sum_exp(v: &[f64]) -> f64 {
    let top = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY || !top.is_finite() {
        return top;
    }
    top + v.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
}

/// `log (1/n) Σ exp v_i`.
pub(crate) fn log_mean_exp(v: &[f64]) -> f64 {
    log_sum_exp(v) - (v.len() as f64).ln()
}

/// Logarithms become probabilities that sum to one; the logarithm of what they were divided by is returned.
pub(crate) fn normalise(v: &mut [f64]) -> f64 {
    let all = log_sum_exp(v);
    for x in v.iter_mut() {
        *x = (*x - all).exp();
    }
    all
}

/// `1 / (1 + e^-x)`.
pub(crate) fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// `log (1 + e^x)`.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// `p log p`, zero at zero.
pub(crate) fn xlogx(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}
