//! Bounds and sample complexities as formulas. |H| comes as its logarithm, so that `2^(b(D+1))` does not overflow.

use crate::Result;
use crate::check::{level, not_negative, parameter, positive};

fn accuracy(epsilon: f64, delta: f64) -> Result<()> {
    positive("epsilon", epsilon)?;
    level(delta)
}

/// `⌈(2 ln|H| + 2 ln(2/δ))/ε²⌉`: examples after which empirical risk minimisation in a finite class is within ε of the best with
/// probability `1 - δ`.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) unless ε > 0 and 0 < δ < 1.
///
/// ```
/// use mercer::stats::theory::pac_samples;
/// assert_eq!(pac_samples(1000f64.ln(), 0.1, 0.05)?, 2120.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn pac_samples(log_size: f64, epsilon: f64, delta: f64) -> Result<f64> {
    accuracy(epsilon, delta)?;
    not_negative("log_size", log_size)?;
    Ok((2.0 * (log_size + (2.0 / delta).ln()) / (epsilon * epsilon)).ceil())
}

/// `√(2 ln(2|H|/δ)/N)`: the ε that N examples give.
///
/// # Errors
/// As [`pac_samples`].
pub fn pac_error(log_size: f64, examples: f64, delta: f64) -> Result<f64> {
    positive("examples", examples)?;
    level(delta)?;
    not_negative("log_size", log_size)?;
    Ok((2.0 * (log_size + (2.0 / delta).ln()) / examples).sqrt())
}

/// `⌈(ln|H| + ln(1/δ))/ε⌉`: enough if some hypothesis makes no errors.
///
/// # Errors
/// As [`pac_samples`].
pub fn realisable_pac_samples(log_size: f64, epsilon: f64, delta: f64) -> Result<f64> {
    accuracy(epsilon, delta)?;
    not_negative("log_size", log_size)?;
    Ok(((log_size + (1.0 / delta).ln()) / epsilon).ceil())
}

/// [`pac_samples`] for linear classifiers of d features whose `d + 1` weights have `bits` bits each: `|H| = 2^(bits (d+1))`.
///
/// # Errors
/// As [`pac_samples`].
pub fn quantised_pac_samples(bits: u32, features: usize, epsilon: f64, delta: f64) -> Result<f64> {
    pac_samples(f64::from(bits) * (features as f64 + 1.0) * std::f64::consts::LN_2, epsilon, delta)
}

/// Hoeffding's `Pr(|mean - E| ≥ ε) ≤ 2 exp(-2Mε²/(b - a)²)` for M independent numbers in [a, b]; at most one.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an interval that is empty, or ε or M not positive.
pub fn hoeffding(count: f64, epsilon: f64, (low, high): (f64, f64)) -> Result<f64> {
    positive("count", count)?;
    positive("epsilon", epsilon)?;
    let width = high - low;
    positive("width of the interval", width)?;
    Ok((2.0 * (-2.0 * count * (epsilon / width).powi(2)).exp()).min(1.0))
}

/// `Pr(max_h |L_D(h) - L(h)| > ε/2) ≤ 2|H| exp(-Nε²/2)`, at most one: Hoeffding's for all hypotheses at once.
///
/// # Errors
/// As [`hoeffding`].
pub fn uniform_convergence(log_size: f64, examples: f64, epsilon: f64) -> Result<f64> {
    positive("examples", examples)?;
    positive("epsilon", epsilon)?;
    not_negative("log_size", log_size)?;
    Ok((std::f64::consts::LN_2 + log_size - 0.5 * examples * epsilon * epsilon).exp().min(1.0))
}

/// `√(ln(2|H|/δ)/(2N))`: what structural risk minimisation adds to the training loss of a class.
///
/// # Errors
/// As [`pac_samples`].
pub fn srm_penalty(log_size: f64, examples: f64, delta: f64) -> Result<f64> {
    Ok(0.5 * pac_error(log_size, examples, delta)?)
}

/// Structural risk minimisation over nested classes, `(training loss of the best in it, ln|H_M|)` each: the class with the smallest
/// training loss plus penalty, and that sum.
///
/// # Errors
/// As [`pac_samples`], and for no classes or a loss that is negative.
pub fn structural_risk(classes: &[(f64, f64)], examples: f64, delta: f64) -> Result<(usize, f64)> {
    parameter("number of classes", classes.len() as f64, !classes.is_empty(), "must be at least 1")?;
    let mut best = (0, f64::INFINITY);
    for (m, &(loss, log_size)) in classes.iter().enumerate() {
        not_negative(&format!("loss of class {m}"), loss)?;
        let bound = loss + srm_penalty(log_size, examples, delta)?;
        if bound < best.1 {
            best = (m, bound);
        }
    }
    Ok(best)
}

/// Sauer's `ln Σ_{i≤d} (n choose i)`: the most labellings that a class of VC dimension d has of n points.
pub fn sauer(examples: usize, dimension: usize) -> f64 {
    let n = examples as f64;
    let logs: Vec<f64> =
        (0..=dimension.min(examples)).map(|i| crate::probability::special::log_choose(n, i as f64)).collect();
    crate::probability::special::log_sum_exp(&logs)
}

/// Vapnik and Chervonenkis: with probability `1 - δ` every hypothesis of a class of VC dimension d has
/// `|L - L_D| ≤ √(8/N (ln growth(2N) + ln(4/δ)))`.
///
/// # Errors
/// As [`pac_samples`].
pub fn vc_bound(dimension: usize, examples: usize, delta: f64) -> Result<f64> {
    level(delta)?;
    positive("examples", examples as f64)?;
    let growth = sauer(2 * examples, dimension);
    Ok((8.0 / examples as f64 * (growth + (4.0 / delta).ln())).sqrt())
}

/// `(d + ln(1/δ))/ε²`: the number of examples that are enough, and needed, but for two constants, in a class of VC dimension d.
///
/// # Errors
/// As [`pac_samples`].
pub fn fundamental_scaling(dimension: f64, epsilon: f64, delta: f64) -> Result<f64> {
    accuracy(epsilon, delta)?;
    positive("dimension", dimension)?;
    Ok((dimension - delta.ln()) / (epsilon * epsilon))
}
