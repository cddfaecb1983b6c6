//! The mean of numbers whose variance is known.

use super::Conjugate;
use crate::Result;
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::distributions::{Normal, Univariate};

/// `μ ~ N(μ₀, σ₀²)`, `x ~ N(μ, σ²)` with a known σ²: `1/σ_N² = 1/σ₀² + N/σ²`, `μ_N = σ_N²(μ₀/σ₀² + Σx/σ²)`.
///
/// ```
/// use mercer::probability::conjugate::{Conjugate, NormalMean};
/// use mercer::probability::distributions::Univariate;
/// let after = NormalMean::new(1.0, 3.0, 1.0)?.posterior(&[0.0])?;
/// assert!((after.belief().location() - 0.25).abs() < 1e-15);
/// assert!((after.predictive()?.variance().unwrap() - 1.75).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalMean {
    belief: Normal,
    noise: f64,
}

getters!(NormalMean {
    /// The distribution of μ; its mean is the most probable μ too.
    belief: &Normal,
    /// σ².
    noise: f64,
});

impl NormalMean {
    /// The prior `N(mean, variance)` of the mean of numbers with variance `noise`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless both variances are positive.
    pub fn new(mean: f64, variance: f64, noise: f64) -> Result<Self> {
        positive("noise", noise)?;
        Ok(NormalMean { belief: Normal::new(mean, variance)?, noise })
    }

    fn spread(&self) -> f64 {
        self.belief.scale() * self.belief.scale()
    }

    /// The distribution of the next number: `N(μ_N, σ² + σ_N²)`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the sum overflows.
    pub fn predictive(&self) -> Result<Normal> {
        Normal::new(self.belief.location(), self.noise + self.spread())
    }
}

impl Conjugate for NormalMean {
    type Observation = f64;

    fn posterior(&self, x: &[f64]) -> Result<Self> {
        if x.is_empty() {
            return Ok(*self);
        }
        for (i, &x) in x.iter().enumerate() {
            parameter(&format!("x[{i}]"), x, x.is_finite(), "must be finite")?;
        }
        let n = x.len() as f64;
        let average = x.iter().sum::<f64>() / n;
        let (before, of_mean) = (self.spread(), self.noise / n);
        let share = before / (before + of_mean);
        let mean = self.belief.location() + share * (average - self.belief.location());
        Self::new(mean, share * of_mean, self.noise)
    }

    fn log_predictive(&self, x: &f64) -> Result<f64> {
        Ok(self.predictive()?.log_density(*x))
    }

    fn log_evidence(&self, x: &[f64]) -> Result<f64> {
        let mut now = *self;
        let mut sum = 0.0;
        for &x in x {
            sum += now.log_predictive(&x)?;
            now = now.posterior(&[x])?;
        }
        Ok(sum)
    }
}
