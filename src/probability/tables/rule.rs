//! Bayes' rule over finitely many causes.

use crate::Result;
use crate::check::{parameter, require};
use crate::probability::special::log_sum_exp;

/// `p(y | x) = p(x | y) p(y)/p(x)` and `p(x) = Σ_y p(x | y) p(y)`; the likelihood need not sum to one over y.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for other than one likelihood for each cause,
/// [`Error::Parameter`](crate::Error::Parameter) for numbers that are negative, a prior that does not sum to one, or an evidence of
/// zero.
///
/// ```
/// use mercer::probability::tables::bayes_rule;
/// // A disease of one in a hundred; a test that finds 9 of 10 and errs in 1 of 10 others.
/// let (posterior, evidence) = bayes_rule(&[0.01, 0.99], &[0.9, 0.1])?;
/// assert!((evidence - 0.108).abs() < 1e-15 && (posterior[0] - 1.0 / 12.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bayes_rule(prior: &[f64], likelihood: &[f64]) -> Result<(Vec<f64>, f64)> {
    for (what, all) in [("prior", prior), ("likelihood", likelihood)] {
        for (y, &p) in all.iter().enumerate() {
            parameter(
                &format!("{what}[{y}]"),
                p,
                p >= 0.0 && p.is_finite(),
                "must be finite and not negative",
            )?;
        }
    }
    crate::check::probabilities("prior", prior)?;
    let logs = |all: &[f64]| all.iter().map(|p| p.ln()).collect::<Vec<_>>();
    let (posterior, log) = bayes_rule_log(&logs(prior), &logs(likelihood))?;
    Ok((posterior, log.exp()))
}

/// The same from logarithms, with the logarithm of the evidence: for likelihoods of much data, which underflow.
///
/// # Errors
/// As [`bayes_rule`].
pub fn bayes_rule_log(log_prior: &[f64], log_likelihood: &[f64]) -> Result<(Vec<f64>, f64)> {
    let (k, l) = (log_prior.len(), log_likelihood.len());
    require("bayes_rule", k == l && k > 0, || format!("{k} causes, {l} likelihoods"))?;
    let joint: Vec<f64> = log_prior.iter().zip(log_likelihood).map(|(p, l)| p + l).collect();
    let log = log_sum_exp(&joint);
    parameter("log evidence", log, log.is_finite(), "what was observed must be possible under some cause")?;
    Ok((joint.iter().map(|j| (j - log).exp()).collect(), log))
}
