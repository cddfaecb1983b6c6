//! The conjugate prior of any exponential family.

use super::family::{ExponentialFamily, Statistics, dot};
use crate::Result;
use crate::check::{entries, positive, require};
use crate::configure::getters;

/// `p(η) ∝ exp(χᵀη - n₀ A(η))`: data add their statistics to χ and their number to n₀.
///
/// The posterior mean of the mean parameters is `χ/n₀`, a weighted mean of what was believed and what was seen, and so is the
/// prediction of the next `u(x)`; the most probable η has these means too. Beta-Bernoulli is `χ = a`, `n₀ = a + b`; a
/// normal mean with prior `N(μ₀, σ₀²)` is `n₀ = σ²/σ₀²`, `χ = n₀ μ₀`. `χ = 0, n₀ → 0` says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ConjugatePrior {
    statistics: Vec<f64>,
    strength: f64,
}

getters!(ConjugatePrior {
    /// χ.
    statistics: &[f64],
    /// n₀: how many observations it is worth.
    strength: f64,
});

impl ConjugatePrior {
    /// The prior with these χ, worth n₀ observations.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless n₀ is positive, [`Error::Shape`](crate::Error::Shape) for no χ,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn new(statistics: &[f64], strength: f64) -> Result<Self> {
        positive("strength", strength)?;
        require("ConjugatePrior::new", !statistics.is_empty(), || "there are no statistics".to_owned())?;
        entries("ConjugatePrior::new", "statistics", statistics)?;
        Ok(ConjugatePrior { statistics: statistics.to_vec(), strength })
    }

    /// `χ + Σu`, `n₀ + N`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for data of another family.
    pub fn posterior(&self, data: &Statistics) -> Result<Self> {
        let (k, l) = (self.statistics.len(), data.sum.len());
        require("ConjugatePrior::posterior", k == l, || format!("{k} statistics and {l}"))?;
        let statistics = self.statistics.iter().zip(&data.sum).map(|(c, u)| c + u).collect();
        Ok(ConjugatePrior { statistics, strength: self.strength + data.count })
    }

    /// `E[∇A(η)] = χ/n₀`: the expected mean parameters, and the expected statistics of the next observation.
    pub fn mean(&self) -> Vec<f64> {
        self.statistics.iter().map(|c| c / self.strength).collect()
    }

    /// The most probable η: `∇A(η) = χ/n₀`.
    ///
    /// # Errors
    /// As [`ExponentialFamily::natural_parameters`].
    pub fn mode(&self, family: &impl ExponentialFamily) -> Result<Vec<f64>> {
        family.natural_parameters(&self.mean())
    }

    /// `χᵀη - n₀ A(η)`, the log density of η but for its constant.
    ///
    /// # Errors
    /// As [`ExponentialFamily::check`], and [`Error::Shape`](crate::Error::Shape) for a family of another dimension.
    pub fn log_density(&self, family: &impl ExponentialFamily, eta: &[f64]) -> Result<f64> {
        let (k, l) = (self.statistics.len(), family.dimension());
        require("ConjugatePrior::log_density", k == l, || format!("{k} statistics, a family of {l}"))?;
        Ok(dot(&self.statistics, eta) - self.strength * family.log_partition(eta)?)
    }
}
