//! Comparison of models by their evidence, and predictions averaged over draws.

use crate::check::{parameter, require};
use crate::probability::special::log_sum_exp;
use crate::probability::tables::bayes_rule_log;
use crate::{Error, Result};

/// `ln p(D | M) - ln p(D | M')`.
pub fn log_bayes_factor(log_evidence: f64, other: f64) -> f64 {
    log_evidence - other
}

/// `p(M | D) ∝ p(D | M) p(M)`, from logarithms of the evidences and prior probabilities.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there is a prior for each model,
/// [`Error::Parameter`](crate::Error::Parameter) for negative priors, or no model that is possible.
///
/// ```
/// use mercer::probability::bayes::model_posterior;
/// let p = model_posterior(&[-7.0, -7.0, -60.0], &[0.25, 0.5, 0.25])?;
/// assert!((p[1] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn model_posterior(log_evidences: &[f64], prior: &[f64]) -> Result<Vec<f64>> {
    for (i, &p) in prior.iter().enumerate() {
        parameter(&format!("prior[{i}]"), p, p >= 0.0 && p.is_finite(), "must be finite and not negative")?;
    }
    let logs: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
    Ok(bayes_rule_log(&logs, log_evidences)?.0)
}

/// `K ln n - 2 ln L`: less is better; `-½` of it approximates the log evidence. NaN unless n is positive.
pub fn bic(log_likelihood: f64, parameters: usize, observations: f64) -> f64 {
    if observations.is_nan() || observations <= 0.0 {
        return f64::NAN;
    }
    parameters as f64 * observations.ln() - 2.0 * log_likelihood
}

/// `2K - 2 ln L`: less is better.
pub fn aic(log_likelihood: f64, parameters: usize) -> f64 {
    2.0 * parameters as f64 - 2.0 * log_likelihood
}

/// `ln p(x | D) ≈ ln (1/M) Σ_m p(x | θ_m)` over draws `θ_m` of the posterior, from their log densities.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for no draws, [`Error::NotFinite`](crate::Error::NotFinite) for a log density that is NaN.
pub fn log_predictive<T>(draws: &[T], log_density: impl Fn(&T) -> f64) -> Result<f64> {
    require("log_predictive", !draws.is_empty(), || "there are no draws".to_owned())?;
    let logs: Vec<f64> = draws.iter().map(log_density).collect();
    if let Some(at) = logs.iter().position(|l| l.is_nan()) {
        let (op, what) = ("log_predictive", "the log density");
        return Err(Error::NotFinite { op, what, value: logs[at], row: at, col: 0 });
    }
    Ok(log_sum_exp(&logs) - (draws.len() as f64).ln())
}
