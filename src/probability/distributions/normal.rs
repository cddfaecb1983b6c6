//! The normal distribution of one number.

use ndarray::Array1;
use rand::RngExt;
use rand_distr::StandardNormal;

use super::component::{moments, weighted};
use super::{Learned, NormalInverseGamma, Univariate, draws, probability};
use crate::Result;
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::normal;

/// `ln √(2π)`.
const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_8;

/// `N(x | μ, σ²) = exp(-(x - μ)²/(2σ²)) / √(2πσ²)`, with `E[X²] = μ² + σ²`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Normal {
    centre: f64,
    deviation: f64,
}

getters!(Normal {
    /// μ.
    location => centre: f64,
    /// σ.
    scale => deviation: f64,
});

impl Normal {
    /// The normal distribution with this mean and this variance σ².
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a mean that is not finite or a variance that is not positive.
    pub fn new(mean: f64, variance: f64) -> Result<Self> {
        parameter("mean", mean, mean.is_finite(), "must be finite")?;
        positive("variance", variance)?;
        Ok(Normal { centre: mean, deviation: variance.sqrt() })
    }

    /// The normal distribution with this mean and the precision `β = 1/σ²`.
    ///
    /// # Errors
    /// As [`Normal::new`].
    pub fn from_precision(mean: f64, precision: f64) -> Result<Self> {
        positive("precision", precision)?;
        Self::new(mean, 1.0 / precision)
    }

    /// `1/σ²`.
    pub fn precision(&self) -> f64 {
        1.0 / (self.deviation * self.deviation)
    }

    /// `ln F(x)`, where F itself would be zero too.
    pub fn log_cdf(&self, x: f64) -> f64 {
        normal::log_cdf(self.standard(x))
    }

    /// The most probable mean and variance under a normal-inverse-gamma prior.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`].
    pub fn fit_map(x: &[f64], weights: &[f64], prior: &NormalInverseGamma) -> Result<Self> {
        let (mean, variance) = prior.posterior_weighted(x, weights)?.mode();
        Normal::new(mean, variance)
    }

    fn standard(&self, x: f64) -> f64 {
        (x - self.centre) / self.deviation
    }
}

impl Univariate for Normal {
    fn log_density(&self, x: f64) -> f64 {
        let z = self.standard(x);
        -0.5 * z * z - self.deviation.ln() - LOG_ROOT_TAU
    }

    fn cdf(&self, x: f64) -> f64 {
        normal::cdf(self.standard(x))
    }

    fn survival(&self, x: f64) -> f64 {
        normal::cdf(-self.standard(x))
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let z = if p <= 0.5 { normal::quantile(p) } else { -normal::quantile(1.0 - p) };
        Ok(self.centre + self.deviation * z)
    }

    fn mean(&self) -> Option<f64> {
        Some(self.centre)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.deviation * self.deviation)
    }

    fn mode(&self) -> Option<f64> {
        Some(self.centre)
    }

    /// `½ ln(2πeσ²)`.
    fn entropy(&self) -> f64 {
        LOG_ROOT_TAU + 0.5 + self.deviation.ln()
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        draws(count, seed, |rng| self.centre + self.deviation * rng.sample::<f64, _>(StandardNormal))
    }
}

impl Learned for Normal {
    /// The mean and the mean square about it.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Normal::fit", x, w)?;
        let (_, mean, variance) = moments(x, w);
        Normal::new(mean, variance)
    }
}
