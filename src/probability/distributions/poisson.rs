//! Poisson's distribution of counts.

use ndarray::Array1;
use rand_distr::Distribution;

use super::component::{moments, weighted};
use super::{Gamma, Learned, Univariate, draws, probability, solve};
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::special::{gamma_lower, gamma_upper};
use crate::probability::stirling;
use crate::{Error, Result};

/// `p(k) = l^k e^-l/k!` for k = 0, 1, 2, ...
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Poisson {
    rate: f64,
}

getters!(Poisson {
    /// l, mean and variance at once.
    rate: f64,
});

impl Poisson {
    /// Poisson's distribution with this rate.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless it is positive.
    pub fn new(rate: f64) -> Result<Self> {
        positive("rate", rate)?;
        Ok(Poisson { rate })
    }

    /// The most probable rate under a gamma prior: `(k + Σx - 1)/(l + n)`.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`], and [`Error::Parameter`] where the posterior has no mode above zero.
    pub fn fit_map(x: &[f64], w: &[f64], prior: &Gamma) -> Result<Self> {
        counts("Poisson::fit_map", x, w)?;
        let (total, mean, _) = moments(x, w);
        Poisson::new((prior.shape() + total * mean - 1.0) / (prior.rate() + total))
    }
}

/// Whole numbers that are not negative, and their weights.
pub(super) fn counts(op: &'static str, x: &[f64], w: &[f64]) -> Result<()> {
    weighted(op, x, w)?;
    x.iter().enumerate().try_for_each(|(i, &x)| {
        parameter(&format!("x[{i}]"), x, x >= 0.0 && x.fract() == 0.0, "must be a whole number, not negative")
    })
}

impl Univariate for Poisson {
    fn log_density(&self, x: f64) -> f64 {
        if x >= 0.0 && x.fract() == 0.0 {
            stirling::poisson(x, self.rate)
        } else if x.is_nan() {
            x
        } else {
            f64::NEG_INFINITY
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { gamma_upper(x.floor() + 1.0, self.rate) }
    }

    fn survival(&self, x: f64) -> f64 {
        if x < 0.0 { 1.0 } else { gamma_lower(x.floor() + 1.0, self.rate) }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        Ok(solve::whole(self, p, f64::MAX, self.rate))
    }

    fn mean(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.rate)
    }

    /// `⌊l⌋`; none for a whole l, which ties with `l - 1`.
    fn mode(&self) -> Option<f64> {
        (self.rate.fract() != 0.0).then(|| self.rate.floor())
    }

    /// The sum over the counts that have a probability, which are `O(√l)`; above 1e4 `½ ln(2πel) - 1/(12l) - 1/(24l²) -
    /// 19/(360l³)`, exact to rounding.
    fn entropy(&self) -> f64 {
        let l = self.rate;
        if l > 1e4 {
            let rest = (1.0 / 12.0 + (1.0 / 24.0 + 19.0 / 360.0 / l) / l) / l;
            return 0.5 * (std::f64::consts::TAU.ln() + 1.0 + l.ln()) - rest;
        }
        // Bernstein: what lies beyond has a probability below e^-50.
        let reach = 10.0 * l.sqrt() + 100.0;
        let first = (l - reach).max(0.0) as u64;
        let each = |k: u64| {
            let l = self.log_density(k as f64);
            -l * l.exp()
        };
        (first..=(l + reach) as u64).map(each).sum()
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let sampler = rand_distr::Poisson::new(self.rate).map_err(|_| Error::Parameter {
            name: "rate".to_owned(),
            value: self.rate,
            requirement: "is too large to draw from",
        })?;
        draws(count, seed, |rng| sampler.sample(rng))
    }
}

impl Learned for Poisson {
    /// The mean.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        counts("Poisson::fit", x, w)?;
        Poisson::new(moments(x, w).1)
    }
}
