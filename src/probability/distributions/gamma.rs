//! Distributions of positive numbers: gamma, its inverse, and the exponential.

use ndarray::Array1;
use rand_distr::Distribution;

use super::component::{moments, weighted};
use super::{Learned, Univariate, draws, probability, solve};
use crate::check::{parameter, positive};
use crate::configure::getters;
use crate::probability::special::{digamma, gamma_lower, gamma_upper, log_gamma, trigamma};
use crate::probability::stirling::{LARGE, LN_TAU, digamma_gap, poisson, stirling_error};
use crate::{Error, Result};

/// `p(x) = l^k x^(k-1) e^(-l x)/Γ(k)` for x > 0, with shape k and rate l: mean `k/l`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Gamma {
    shape: f64,
    rate: f64,
}

getters!(Gamma {
    /// k.
    shape: f64,
    /// l.
    rate: f64,
});

impl Gamma {
    /// The gamma distribution with this shape and this rate.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are positive.
    pub fn new(shape: f64, rate: f64) -> Result<Self> {
        positive("shape", shape)?;
        positive("rate", rate)?;
        Ok(Gamma { shape, rate })
    }

    /// `E[ln X] = ψ(k) - ln l`.
    pub fn mean_log(&self) -> f64 {
        digamma(self.shape) - self.rate.ln()
    }

    fn sampler(&self) -> Result<rand_distr::Gamma<f64>> {
        rand_distr::Gamma::new(self.shape, 1.0 / self.rate).map_err(|_| Error::Parameter {
            name: "rate".to_owned(),
            value: self.rate,
            requirement: "must have a finite inverse",
        })
    }
}

impl Univariate for Gamma {
    fn log_density(&self, x: f64) -> f64 {
        let (k, l) = (self.shape, self.rate);
        match x {
            _ if x < 0.0 => f64::NEG_INFINITY,
            0.0 if k == 1.0 => l.ln(),
            0.0 if k < 1.0 => f64::INFINITY,
            0.0 | f64::INFINITY => f64::NEG_INFINITY,
            _ if k >= LARGE => poisson(k, l * x) + (k / x).ln(),
            _ => (k - 1.0) * (l * x).ln() + l.ln() - l * x - log_gamma(k),
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { gamma_lower(self.shape, self.rate * x) }
    }

    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { gamma_upper(self.shape, self.rate * x) }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let unit = Gamma { shape: self.shape, rate: 1.0 };
        Ok(solve::continuous(&unit, p, (0.0, f64::INFINITY), self.shape) / self.rate)
    }

    fn mean(&self) -> Option<f64> {
        Some(self.shape / self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.shape / (self.rate * self.rate))
    }

    /// `(k - 1)/l`; none below k = 1, where the density is unbounded at zero.
    fn mode(&self) -> Option<f64> {
        (self.shape >= 1.0).then(|| (self.shape - 1.0) / self.rate)
    }

    fn entropy(&self) -> f64 {
        let k = self.shape;
        0.5 * (LN_TAU + k.ln()) - self.rate.ln() + stirling_error(k) + (k - 1.0) * digamma_gap(k)
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let sampler = self.sampler()?;
        draws(count, seed, |rng| sampler.sample(rng))
    }
}

impl Learned for Gamma {
    /// `ln k - ψ(k) = ln x̄ - mean of ln x` by Newton's method, `l = k/x̄`.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Gamma::fit", x, w)?;
        positive_numbers(x)?;
        let logs: Vec<f64> = x.iter().map(|x| x.ln()).collect();
        let (_, mean, _) = moments(x, w);
        let (_, mean_log, _) = moments(&logs, w);
        let gap = mean.ln() - mean_log;
        parameter("ln of the mean - mean of the ln", gap, gap > 1e-12, "the numbers must not all be equal")?;
        // Newton on 1/k, from an approximation that is good for two digits.
        let mut k = (3.0 - gap + ((gap - 3.0).powi(2) + 24.0 * gap).sqrt()) / (12.0 * gap);
        for _ in 0..100 {
            let f = digamma_gap(k) - gap;
            let inverse = 1.0 / k + f / (k * k * (1.0 / k - trigamma(k)));
            let next = if inverse > 0.0 { 1.0 / inverse } else { 0.5 * k };
            let moved = (next / k - 1.0).abs();
            k = next;
            if moved < 1e-14 {
                break;
            }
        }
        Gamma::new(k, k / mean)
    }
}

fn positive_numbers(x: &[f64]) -> Result<()> {
    x.iter().enumerate().try_for_each(|(i, &x)| positive(&format!("x[{i}]"), x))
}

fn not_negative_numbers(op: &'static str, x: &[f64], w: &[f64]) -> Result<()> {
    weighted(op, x, w)?;
    x.iter().enumerate().try_for_each(|(i, &x)| crate::check::not_negative(&format!("x[{i}]"), x))
}

/// The distribution of `1/X` for X of a gamma distribution: `p(x) = b^a x^(-a-1) e^(-b/x)/Γ(a)`, x > 0.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct InverseGamma {
    of: Gamma,
}

getters!(InverseGamma {
    /// a.
    shape => of.shape: f64,
    /// b.
    scale => of.rate: f64,
});

impl InverseGamma {
    /// The inverse gamma distribution with shape a and scale b.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are positive.
    pub fn new(shape: f64, scale: f64) -> Result<Self> {
        positive("shape", shape)?;
        positive("scale", scale)?;
        Ok(InverseGamma { of: Gamma { shape, rate: scale } })
    }
}

impl Univariate for InverseGamma {
    fn log_density(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let (a, b) = (self.of.shape, self.of.rate);
        if a >= LARGE {
            return poisson(a, b / x) + (a / x).ln();
        }
        a * b.ln() - log_gamma(a) - (a + 1.0) * x.ln() - b / x
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { gamma_upper(self.of.shape, self.of.rate / x) }
    }

    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { gamma_lower(self.of.shape, self.of.rate / x) }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let unit = InverseGamma { of: Gamma { rate: 1.0, ..self.of } };
        let start = 1.0 / self.of.shape;
        Ok(solve::continuous(&unit, p, (0.0, f64::INFINITY), start) * self.of.rate)
    }

    fn mean(&self) -> Option<f64> {
        let (a, b) = (self.of.shape, self.of.rate);
        (a > 1.0).then(|| b / (a - 1.0))
    }

    fn variance(&self) -> Option<f64> {
        let (a, b) = (self.of.shape, self.of.rate);
        (a > 2.0).then(|| (b / (a - 1.0)).powi(2) / (a - 2.0))
    }

    fn mode(&self) -> Option<f64> {
        Some(self.of.rate / (self.of.shape + 1.0))
    }

    fn entropy(&self) -> f64 {
        let (a, b) = (self.of.shape, self.of.rate);
        0.5 * LN_TAU - 1.5 * a.ln() + b.ln() + stirling_error(a) + (a + 1.0) * digamma_gap(a)
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        Ok(self.of.sample(count, seed)?.mapv(|x| 1.0 / x))
    }
}

impl Learned for InverseGamma {
    /// The gamma fit of `1/x`.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("InverseGamma::fit", x, w)?;
        positive_numbers(x)?;
        let inverses: Vec<f64> = x.iter().map(|x| 1.0 / x).collect();
        Ok(InverseGamma { of: Gamma::fit_weighted(&inverses, w)? })
    }
}

/// `p(x) = l e^(-l x)` for x ≥ 0: waiting without memory.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Exponential {
    rate: f64,
}

getters!(Exponential {
    /// l.
    rate: f64,
});

impl Exponential {
    /// The exponential distribution with this rate, of mean `1/rate`.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless it is positive.
    pub fn new(rate: f64) -> Result<Self> {
        positive("rate", rate)?;
        Ok(Exponential { rate })
    }

    /// The most probable rate under a gamma prior: `(k + n - 1)/(l + Σx)`.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`], and [`Error::Parameter`] where the posterior has no mode above zero.
    pub fn fit_map(x: &[f64], w: &[f64], prior: &Gamma) -> Result<Self> {
        not_negative_numbers("Exponential::fit_map", x, w)?;
        let (total, mean, _) = moments(x, w);
        Exponential::new((prior.shape + total - 1.0) / (prior.rate + total * mean))
    }
}

impl Univariate for Exponential {
    fn log_density(&self, x: f64) -> f64 {
        if x < 0.0 { f64::NEG_INFINITY } else { self.rate.ln() - self.rate * x }
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { -(-self.rate * x).exp_m1() }
    }

    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { (-self.rate * x).exp() }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        Ok(-(-p).ln_1p() / self.rate)
    }

    fn mean(&self) -> Option<f64> {
        Some(1.0 / self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(1.0 / (self.rate * self.rate))
    }

    fn mode(&self) -> Option<f64> {
        Some(0.0)
    }

    fn entropy(&self) -> f64 {
        1.0 - self.rate.ln()
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        draws(count, seed, |rng| {
            let unit: f64 = rand_distr::Exp1.sample(rng);
            unit / self.rate
        })
    }
}

impl Learned for Exponential {
    /// One over the mean.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        not_negative_numbers("Exponential::fit", x, w)?;
        Exponential::new(1.0 / moments(x, w).1)
    }
}
