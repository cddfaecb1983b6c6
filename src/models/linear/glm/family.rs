//! Families of distributions and links between their means and linear functions.

use statrs::function::factorial::ln_binomial;
use statrs::function::gamma::ln_gamma;

use crate::check::parameter;
use crate::probability::normal;
use crate::{Error, Result};

/// The distribution of a target about its mean μ: an exponential family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Family {
    /// Any number; variance φ.
    Gaussian,
    /// A number from 0 to 1: an event, or the share of events of a weight's many; variance μ(1 - μ).
    Bernoulli,
    /// A count of events of so many trials; variance μ(1 - μ/m).
    Binomial {
        /// m ≥ 1, the same for all observations.
        trials: u32,
    },
    /// A count, or any number that is not negative; variance μ.
    Poisson,
    /// A positive number; variance φμ².
    Gamma,
}

/// What makes a linear function of the mean: `g(μ) = wᵀx + b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Link {
    /// μ itself.
    Identity,
    /// ln μ.
    Log,
    /// ln(p/(1 - p)) of the share p = μ/m.
    Logit,
    /// Φ⁻¹(p) of the share p = μ/m.
    Probit,
    /// ln(-ln(1 - p)) of the share p = μ/m.
    ComplementaryLogLog,
    /// 1/μ.
    Inverse,
}

impl Family {
    /// The link whose score equations are `Σ_i (y_i - μ_i) x_i = 0`.
    pub fn canonical(self) -> Link {
        match self {
            Family::Gaussian => Link::Identity,
            Family::Bernoulli | Family::Binomial { .. } => Link::Logit,
            Family::Poisson => Link::Log,
            Family::Gamma => Link::Inverse,
        }
    }

    /// Whether the dispersion φ is estimated; else it is one.
    pub fn dispersed(self) -> bool {
        matches!(self, Family::Gaussian | Family::Gamma)
    }

    /// The largest mean there is: one share is this.
    pub(super) fn trials(self) -> f64 {
        if let Family::Binomial { trials } = self { f64::from(trials) } else { 1.0 }
    }

    pub(super) fn check_target(self, y: f64) -> Result<()> {
        let (holds, requirement) = match self {
            Family::Gaussian => (true, ""),
            Family::Bernoulli => {
                ((0.0..=1.0).contains(&y), "targets of a Bernoulli family must lie between 0 and 1")
            }
            Family::Binomial { .. } => (
                (0.0..=self.trials()).contains(&y),
                "targets of a binomial family must lie between 0 and the trials",
            ),
            Family::Poisson => (y >= 0.0, "targets of a Poisson family must not be negative"),
            Family::Gamma => (y > 0.0, "targets of a gamma family must be positive"),
        };
        parameter("y", y, holds, requirement)
    }

    pub(super) fn check(self, link: Link) -> Result<()> {
        use Link::{ComplementaryLogLog, Identity, Inverse, Log, Logit, Probit};
        if let Family::Binomial { trials } = self {
            parameter("trials", f64::from(trials), trials > 0, "must be at least 1")?;
        }
        let fits = match self {
            Family::Gaussian | Family::Gamma | Family::Poisson => matches!(link, Identity | Log | Inverse),
            Family::Bernoulli | Family::Binomial { .. } => {
                matches!(link, Logit | Probit | ComplementaryLogLog | Log | Identity)
            }
        };
        if fits {
            return Ok(());
        }
        Err(Error::Unsupported {
            op: "GeneralisedLinear::fit",
            what: format!("the link {link:?} of the family {self:?}"),
            device: "any device".to_owned(),
            instead: "use the canonical link, or one whose means the family has",
        })
    }

    /// A mean to begin with, inside of the domain.
    pub(super) fn start(self, y: f64, mean: f64) -> f64 {
        match self {
            Family::Gaussian => y,
            Family::Bernoulli => 0.5 * (y + 0.5),
            Family::Binomial { .. } => (y + 0.5) * self.trials() / (self.trials() + 1.0),
            Family::Poisson | Family::Gamma => 0.5 * (y + mean),
        }
    }

    /// Whether the family has this mean.
    pub(super) fn has(self, mean: f64) -> bool {
        match self {
            Family::Gaussian => mean.is_finite(),
            Family::Bernoulli | Family::Binomial { .. } => mean > 0.0 && mean < self.trials(),
            Family::Poisson | Family::Gamma => mean > 0.0 && mean.is_finite(),
        }
    }

    /// The variance of an observation of this mean, over φ.
    pub fn variance(self, mean: f64) -> f64 {
        match self {
            Family::Gaussian => 1.0,
            Family::Bernoulli => mean * (1.0 - mean),
            Family::Binomial { .. } => mean * (1.0 - mean / self.trials()),
            Family::Poisson => mean,
            Family::Gamma => mean * mean,
        }
    }

    /// Twice the log-likelihood that a mean of μ loses to a mean of y, times φ: never negative.
    pub fn deviance(self, y: f64, mean: f64) -> f64 {
        let ratio = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
        let lost = match self {
            Family::Gaussian => 0.5 * (y - mean).powi(2),
            Family::Bernoulli | Family::Binomial { .. } => {
                let m = self.trials();
                ratio(y, mean) + ratio(m - y, m - mean)
            }
            Family::Poisson => ratio(y, mean) - (y - mean),
            Family::Gamma => (y - mean) / mean - (y / mean).ln(),
        };
        (2.0 * lost).max(0.0)
    }

    /// `ln p(y | μ, φ)`.
    pub fn log_density(self, y: f64, mean: f64, dispersion: f64) -> f64 {
        let times = |a: f64, p: f64| if a == 0.0 { 0.0 } else { a * p.ln() };
        match self {
            Family::Gaussian => {
                -0.5 * ((y - mean).powi(2) / dispersion + (std::f64::consts::TAU * dispersion).ln())
            }
            Family::Bernoulli => times(y, mean) + times(1.0 - y, 1.0 - mean),
            Family::Binomial { trials } => {
                let (m, p) = (self.trials(), mean / self.trials());
                // Shares of counts that are no integers have no coefficient of their own.
                let ways = if y.fract() == 0.0 { ln_binomial(u64::from(trials), y as u64) } else { 0.0 };
                ways + times(y, p) + times(m - y, 1.0 - p)
            }
            Family::Poisson => times(y, mean) - mean - ln_gamma(y + 1.0),
            Family::Gamma => {
                let shape = 1.0 / dispersion;
                shape * (shape * y / mean).ln() - shape * y / mean - y.ln() - ln_gamma(shape)
            }
        }
    }
}

impl Link {
    /// `g(μ)`, of a family whose shares are of `m`.
    pub(super) fn of(self, mean: f64, m: f64) -> f64 {
        let p = mean / m;
        match self {
            Link::Identity => mean,
            Link::Log => mean.ln(),
            Link::Logit => p.ln() - (-p).ln_1p(),
            Link::Probit => normal::quantile(p),
            Link::ComplementaryLogLog => (-(-p).ln_1p()).ln(),
            Link::Inverse => 1.0 / mean,
        }
    }

    /// The mean μ at which the link is η, and `dμ/dη`. A share that rounds to none or all is the next number inside.
    pub(super) fn mean(self, eta: f64, m: f64) -> (f64, f64) {
        let (mean, slope) = self.exact_mean(eta, m);
        match self {
            Link::Logit | Link::Probit | Link::ComplementaryLogLog => {
                (mean.clamp(f64::MIN_POSITIVE, m * (1.0 - f64::EPSILON)), slope)
            }
            _ => (mean, slope),
        }
    }

    fn exact_mean(self, eta: f64, m: f64) -> (f64, f64) {
        match self {
            Link::Identity => (eta, 1.0),
            Link::Log => (eta.exp(), eta.exp()),
            Link::Logit => {
                let small = (-eta.abs()).exp();
                let p = if eta >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
                (m * p, m * small / (1.0 + small).powi(2))
            }
            Link::Probit => (m * normal::cdf(eta), m * normal::density(eta)),
            Link::ComplementaryLogLog => (-m * (-eta.exp()).exp_m1(), m * (eta - eta.exp()).exp()),
            Link::Inverse => (1.0 / eta, -1.0 / (eta * eta)),
        }
    }
}
