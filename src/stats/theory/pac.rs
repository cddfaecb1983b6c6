//! Whether a learner is probably approximately correct, by simulation.

use crate::Result;
use crate::check::{level, not_negative, parameter};

/// What [`pac_check`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct PacCheck {
    /// The share of data sets after which the risk was within ε of the best in the class.
    pub probability: f64,
    /// The standard error of that share.
    pub error: f64,
    /// The mean of `risk - best`: the estimation error.
    pub estimation_error: f64,
    /// The risk after each data set.
    pub risks: Vec<f64>,
}

impl PacCheck {
    /// Whether the share is at least `1 - δ`, but for `z` standard errors.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless δ is between 0 and 1.
    pub fn holds(&self, delta: f64, z: f64) -> Result<bool> {
        level(delta)?;
        Ok(self.probability + z * self.error >= 1.0 - delta)
    }
}

/// `Pr_D[L(learned from D) ≤ best + ε]` over simulated data sets: `risk_after(seed)` draws a data set by its seed, fits any learner
/// to it and gives its true risk; `best` is the least risk in the class, whose excess over the Bayes risk is the bias.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for no data sets or a negative ε, and those of the learner.
pub fn pac_check(
    data_sets: usize,
    seed: u64,
    best: f64,
    epsilon: f64,
    risk_after: impl Fn(u64) -> Result<f64>,
) -> Result<PacCheck> {
    parameter("data_sets", data_sets as f64, data_sets > 0, "must be at least 1")?;
    not_negative("epsilon", epsilon)?;
    let risks: Vec<f64> =
        (0..data_sets as u64).map(|i| risk_after(seed.wrapping_add(i))).collect::<Result<_>>()?;
    let n = data_sets as f64;
    let probability = risks.iter().filter(|r| **r <= best + epsilon).count() as f64 / n;
    let estimation_error = risks.iter().map(|r| r - best).sum::<f64>() / n;
    let error = (probability * (1.0 - probability) / n).sqrt();
    Ok(PacCheck { probability, error, estimation_error, risks })
}
