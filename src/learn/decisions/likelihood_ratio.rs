//! Tests between two densities.

use ndarray::Array1;

use crate::Result;
use crate::check::{parameter, require};
use crate::learn::data::Inputs;
use crate::learn::densities::LogDensity;
use crate::learn::metrics::Roc;

/// Decides for p against q where `ln p(x) - ln q(x)` is above a threshold: of all tests with as many false alarms the one
/// that misses least (Neyman and Pearson).
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let gaussian = IndependentDensity::new(FeatureFamily::Gaussian);
/// let p = gaussian.fit(&Device::cpu(), array![[1.0], [3.0]])?;
/// let q = gaussian.fit(&Device::cpu(), array![[-3.0], [-1.0]])?;
/// let test = LikelihoodRatio::new(p, q).prior(0.5)?;
/// assert_eq!(test.decide(array![[0.5], [-0.5]])?, [true, false]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LikelihoodRatio<P, Q> {
    p: P,
    q: Q,
    threshold: f64,
}

impl<P: LogDensity, Q: LogDensity> LikelihoodRatio<P, Q> {
    /// Between these densities, with the threshold 0: whichever is larger.
    pub fn new(p: P, q: Q) -> Self {
        LikelihoodRatio { p, q, threshold: 0.0 }
    }

    /// The threshold of the log-likelihood ratio.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// The threshold `ln((1 - π)/π)` of the most probable hypothesis, where p has the prior π.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a prior that is not between 0 and 1.
    pub fn prior(self, prior: f64) -> Result<Self> {
        parameter("prior", prior, prior > 0.0 && prior < 1.0, "must lie between 0 and 1")?;
        Ok(self.threshold(((1.0 - prior) / prior).ln()))
    }

    /// The threshold that so many of these draws of q reach at most: the level of the test.
    ///
    /// # Errors
    /// Those of the densities; [`Error::Parameter`](crate::Error::Parameter) for a level that is not between 0 and 1.
    pub fn level(self, draws_of_q: impl Inputs, level: f64) -> Result<Self> {
        crate::check::level(level)?;
        let mut ratios = self.ratio(draws_of_q)?.to_vec();
        require("LikelihoodRatio::level", !ratios.is_empty(), || "there are no draws".to_owned())?;
        ratios.sort_by(|a, b| b.total_cmp(a));
        let above = (level * ratios.len() as f64).floor() as usize;
        let threshold = ratios[above.min(ratios.len() - 1)];
        Ok(self.threshold(threshold))
    }

    /// `ln p(x) - ln q(x)` of each row; infinite where one of them is impossible.
    ///
    /// # Errors
    /// Those of the densities; [`Error::Parameter`](crate::Error::Parameter) for a row impossible under both.
    pub fn ratio(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        let ratio = self.p.log_density(x.view())? - self.q.log_density(x.view())?;
        for (row, value) in ratio.iter().enumerate() {
            let requirement = "a row must be possible under one of the densities";
            parameter(&format!("log-likelihood ratio of row {row}"), *value, !value.is_nan(), requirement)?;
        }
        Ok(ratio)
    }

    /// Whether each row is decided to be of p.
    ///
    /// # Errors
    /// As [`LikelihoodRatio::ratio`]; [`Error::Parameter`](crate::Error::Parameter) for a threshold that is NaN.
    pub fn decide(&self, x: impl Inputs) -> Result<Vec<bool>> {
        parameter("threshold", self.threshold, !self.threshold.is_nan(), "must be a number")?;
        Ok(self.ratio(x)?.iter().map(|r| *r > self.threshold).collect())
    }

    /// The curve of all thresholds, by draws of p and of q.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn roc(&self, draws_of_p: impl Inputs, draws_of_q: impl Inputs) -> Result<Roc> {
        let (p, q) = (self.ratio(draws_of_p)?, self.ratio(draws_of_q)?);
        let truth: Vec<bool> = p.iter().map(|_| true).chain(q.iter().map(|_| false)).collect();
        let scores: Array1<f64> = p.iter().chain(&q).copied().collect();
        Roc::of(&truth, &scores)
    }
}
