//! Yes or no, and how many yeses of n.

use ndarray::Array1;
use rand::RngExt;
use rand_distr::Distribution;

use super::component::{moments, weighted};
use super::{Beta, Learned, Univariate, draws, probability, solve};
use crate::check::parameter;
use crate::configure::getters;
use crate::probability::incomplete::beta_parts;
use crate::probability::special::{sigmoid, softplus, x_log_x};
use crate::probability::stirling;
use crate::{Error, Result};

/// `p(x) = μ^x (1 - μ)^(1-x)` for x of 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Bernoulli {
    yes: f64,
    no: f64,
}

getters!(Bernoulli {
    /// μ, the probability of one.
    probability => yes: f64,
});

impl Bernoulli {
    /// One with this probability, else zero.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless it is in [0, 1].
    pub fn new(p: f64) -> Result<Self> {
        parameter("p", p, (0.0..=1.0).contains(&p), "a probability must lie in [0, 1]")?;
        Ok(Bernoulli { yes: p, no: 1.0 - p })
    }

    /// One with probability `σ(η)`; both probabilities keep their digits.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless η is finite.
    pub fn from_logit(eta: f64) -> Result<Self> {
        parameter("eta", eta, eta.is_finite(), "must be finite")?;
        Ok(Bernoulli { yes: sigmoid(eta), no: sigmoid(-eta) })
    }

    /// `ln p(x)` from the logit alone: `-softplus(∓η)`.
    pub fn log_density_of_logit(eta: f64, x: bool) -> f64 {
        -softplus(if x { -eta } else { eta })
    }

    /// The most probable μ under a beta prior: `(a + n₁ - 1)/(a + b + n - 2)`.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`], and [`Error::Parameter`] where the posterior has no single mode.
    pub fn fit_map(x: &[f64], w: &[f64], prior: &Beta) -> Result<Self> {
        let mean = Self::fit_weighted(x, w)?.yes;
        let total: f64 = w.iter().sum();
        Bernoulli::new(prior.after(total * mean, total * (1.0 - mean))?)
    }
}

impl Univariate for Bernoulli {
    fn log_density(&self, x: f64) -> f64 {
        match x {
            0.0 => self.no.ln(),
            1.0 => self.yes.ln(),
            _ if x.is_nan() => x,
            _ => f64::NEG_INFINITY,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        match x {
            _ if x < 0.0 => 0.0,
            _ if x < 1.0 => self.no,
            _ if x.is_nan() => x,
            _ => 1.0,
        }
    }

    fn survival(&self, x: f64) -> f64 {
        match x {
            _ if x < 0.0 => 1.0,
            _ if x < 1.0 => self.yes,
            _ if x.is_nan() => x,
            _ => 0.0,
        }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        Ok(if p <= self.no { 0.0 } else { 1.0 })
    }

    fn mean(&self) -> Option<f64> {
        Some(self.yes)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.yes * self.no)
    }

    fn mode(&self) -> Option<f64> {
        (self.yes != self.no).then_some(if self.yes > self.no { 1.0 } else { 0.0 })
    }

    fn entropy(&self) -> f64 {
        -x_log_x(self.yes) - x_log_x(self.no)
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        draws(count, seed, |rng| f64::from(u8::from(rng.random::<f64>() < self.yes)))
    }
}

impl Learned for Bernoulli {
    /// The share of ones.
    fn fit_weighted(x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Bernoulli::fit", x, w)?;
        for (i, &x) in x.iter().enumerate() {
            parameter(&format!("x[{i}]"), x, x == 0.0 || x == 1.0, "must be 0 or 1")?;
        }
        Bernoulli::new(moments(x, w).1)
    }
}

/// `p(k) = (n choose k) μ^k (1 - μ)^(n-k)`: yeses of n.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct Binomial {
    trials: u64,
    yes: f64,
}

getters!(Binomial {
    /// n.
    trials: u64,
    /// μ.
    probability => yes: f64,
});

impl Binomial {
    /// Yeses of so many trials, each with this probability.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless p is in [0, 1] and n is at most 2⁵³.
    pub fn new(trials: u64, p: f64) -> Result<Self> {
        parameter("p", p, (0.0..=1.0).contains(&p), "a probability must lie in [0, 1]")?;
        parameter("trials", trials as f64, trials <= 1 << 53, "must be at most 2^53")?;
        Ok(Binomial { trials, yes: p })
    }

    /// The μ of largest likelihood for counts of so many trials each: the share of yeses.
    ///
    /// # Errors
    /// As [`Learned::fit_weighted`].
    pub fn fit_weighted(trials: u64, x: &[f64], w: &[f64]) -> Result<Self> {
        weighted("Binomial::fit", x, w)?;
        let n = trials as f64;
        parameter("trials", n, trials > 0, "there must be a trial to learn from")?;
        for (i, &x) in x.iter().enumerate() {
            let whole = x >= 0.0 && x <= n && x.fract() == 0.0;
            parameter(&format!("x[{i}]"), x, whole, "must be a whole number from 0 to n")?;
        }
        Binomial::new(trials, (moments(x, w).1 / n).min(1.0))
    }
}

impl Binomial {
    /// `E[f(k, ln p(k))]` over the counts that have a probability, which are `O(√n)`.
    pub(super) fn expected(&self, f: impl Fn(f64, f64) -> f64) -> f64 {
        let (mean, n) = (self.trials as f64 * self.yes, self.trials);
        // Bernstein: what lies beyond has a probability below e^-50.
        let reach = 10.0 * (mean * (1.0 - self.yes)).sqrt() + 100.0;
        let (from, to) = ((mean - reach).max(0.0) as u64, ((mean + reach) as u64).min(n));
        let each = |k: u64| {
            let l = self.log_density(k as f64);
            if l == f64::NEG_INFINITY { 0.0 } else { l.exp() * f(k as f64, l) }
        };
        (from..=to).map(each).sum()
    }
}

impl Univariate for Binomial {
    fn log_density(&self, x: f64) -> f64 {
        let n = self.trials as f64;
        if x.is_nan() {
            return x;
        }
        if !(x >= 0.0 && x <= n && x.fract() == 0.0) {
            return f64::NEG_INFINITY;
        }
        stirling::binomial(x, n - x, self.yes, 1.0 - self.yes)
    }

    fn cdf(&self, x: f64) -> f64 {
        let (n, k) = (self.trials as f64, x.floor());
        if k < 0.0 {
            0.0
        } else if k >= n {
            1.0
        } else {
            beta_parts(n - k, k + 1.0, 1.0 - self.yes, self.yes)
        }
    }

    fn survival(&self, x: f64) -> f64 {
        let (n, k) = (self.trials as f64, x.floor());
        if k < 0.0 {
            1.0
        } else if k >= n {
            0.0
        } else {
            beta_parts(k + 1.0, n - k, self.yes, 1.0 - self.yes)
        }
    }

    fn quantile(&self, p: f64) -> Result<f64> {
        probability(p)?;
        let n = self.trials as f64;
        Ok(solve::whole(self, p, n, n * self.yes))
    }

    fn mean(&self) -> Option<f64> {
        Some(self.trials as f64 * self.yes)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.trials as f64 * self.yes * (1.0 - self.yes))
    }

    /// `⌊(n + 1) μ⌋`, and none where that is a tie.
    fn mode(&self) -> Option<f64> {
        let top = (self.trials as f64 + 1.0) * self.yes;
        let tie = top.fract() == 0.0 && top > 0.0 && self.yes < 1.0;
        (!tie).then(|| top.floor().min(self.trials as f64))
    }

    /// The sum over the counts that have a probability, which are `O(√n)`; `½ ln(2πe v)` for a variance v above 1e10, where it
    /// is within 1e-10 of that.
    fn entropy(&self) -> f64 {
        let (n, p) = (self.trials as f64, self.yes);
        let variance = n * p * (1.0 - p);
        if variance > 1e10 {
            return 0.5 * (std::f64::consts::TAU * std::f64::consts::E * variance).ln();
        }
        self.expected(|_, l| -l)
    }

    fn sample(&self, count: usize, seed: u64) -> Result<Array1<f64>> {
        let sampler = rand_distr::Binomial::new(self.trials, self.yes).map_err(|_| Error::Parameter {
            name: "p".to_owned(),
            value: self.yes,
            requirement: "a probability must lie in [0, 1]",
        })?;
        draws(count, seed, |rng| sampler.sample(rng) as f64)
    }
}

#[cfg(feature = "serde")]
impl Bernoulli {
    /// An error unless both probabilities are some, and together one.
    pub(in crate::probability) fn whole(&self) -> Result<()> {
        crate::check::probabilities("probability", &[self.yes, self.no])
    }
}
