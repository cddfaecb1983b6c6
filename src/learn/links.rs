//! The logistic function and its relatives, without overflow. Checked in `tests/classify/links.rs`.

use super::classify;

/// `σ(a) = 1/(1 + e^{-a})`.
///
/// ```
/// use mercer::learn::links::{log_sigmoid, logit, sigmoid, sigmoid_slope};
/// assert_eq!(sigmoid(0.0), 0.5);
/// assert!((logit(sigmoid(3.0)) - 3.0).abs() < 1e-14);
/// assert_eq!(sigmoid_slope(0.0), 0.25);
/// assert_eq!(log_sigmoid(-1000.0), -1000.0);
/// ```
pub fn sigmoid(a: f64) -> f64 {
    classify::sigmoid(a)
}

/// `σ'(a) = σ(a) σ(-a)`, which keeps its digits where σ is next to one.
pub fn sigmoid_slope(a: f64) -> f64 {
    classify::sigmoid(a) * classify::sigmoid(-a)
}

/// `ln σ(a) = -ln(1 + e^{-a})`.
pub fn log_sigmoid(a: f64) -> f64 {
    -classify::softplus(-a)
}

/// `ln(p / (1 - p))`: the log-odds, the inverse of [`sigmoid`]; infinite at 0 and 1, NaN outside of them.
pub fn logit(p: f64) -> f64 {
    p.ln() - (-p).ln_1p()
}
