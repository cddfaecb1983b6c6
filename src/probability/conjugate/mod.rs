//! Conjugate pairs: posterior, predictive and evidence in closed form. Checked in `tests/probability/conjugate.rs`.
//!
//! | observations | unknown | prior |
//! |---|---|---|
//! | yes and no | probability | [`BetaBernoulli`] |
//! | categories | probabilities | [`DirichletCategorical`] |
//! | numbers of known variance | mean | [`NormalMean`] |
//! | counts | rate | [`GammaPoisson`] |
//! | numbers | mean and variance | [`NormalInverseGamma`] |
//! | rows | mean and covariance | [`NormalInverseWishart`] |
//! | of any exponential family | its natural parameters | [`ConjugatePrior`](super::exponential::ConjugatePrior) |
//!
//! [`Conjugate`] is what they share: one observation after the other is the same as all at once.

mod discrete;
mod normal;

pub use discrete::{BetaBernoulli, DirichletCategorical, GammaPoisson};
pub use normal::NormalMean;

use ndarray::{Array1, Array2, Axis};

use super::distributions::{NormalInverseGamma, NormalInverseWishart, Univariate};
use crate::Result;
use crate::check::require;

/// A prior whose posterior is of its own kind.
///
/// ```
/// use mercer::probability::conjugate::{BetaBernoulli, Conjugate};
/// let prior = BetaBernoulli::new(1.0, 1.0)?;
/// let seen = [true, true, true, false];
/// assert!((prior.log_evidence(&seen)?.exp() - 1.0 / 20.0).abs() < 1e-15);
/// let after = prior.posterior(&seen)?;
/// assert!((after.log_predictive(&true)?.exp() - 4.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait Conjugate: Sized {
    /// One observation.
    type Observation;

    /// The prior after these observations, in any order.
    ///
    /// # Errors
    /// For observations that cannot be.
    fn posterior(&self, x: &[Self::Observation]) -> Result<Self>;

    /// `ln p(x) = ln ∫ p(x | θ) p(θ) dθ` of the next observation.
    ///
    /// # Errors
    /// For an observation that cannot be.
    fn log_predictive(&self, x: &Self::Observation) -> Result<f64>;

    /// `ln p(x_1 .. x_n)`: the model's evidence, and the sum of the log predictives one after the other.
    ///
    /// # Errors
    /// For observations that cannot be.
    fn log_evidence(&self, x: &[Self::Observation]) -> Result<f64>;
}

impl Conjugate for NormalInverseGamma {
    type Observation = f64;

    fn posterior(&self, x: &[f64]) -> Result<Self> {
        if x.is_empty() { Ok(*self) } else { NormalInverseGamma::posterior(self, x) }
    }

    fn log_predictive(&self, x: &f64) -> Result<f64> {
        Ok(self.predictive()?.log_density(*x))
    }

    fn log_evidence(&self, x: &[f64]) -> Result<f64> {
        if x.is_empty() { Ok(0.0) } else { NormalInverseGamma::log_evidence(self, x) }
    }
}

/// Observations as rows.
fn rows(x: &[Array1<f64>], d: usize) -> Result<Array2<f64>> {
    require("NormalInverseWishart", x.iter().all(|x| x.len() == d), || {
        format!("an observation that has not {d} numbers")
    })?;
    Ok(Array2::from_shape_fn((x.len(), d), |(i, j)| x[i][j]))
}

impl Conjugate for NormalInverseWishart {
    type Observation = Array1<f64>;

    fn posterior(&self, x: &[Array1<f64>]) -> Result<Self> {
        if x.is_empty() {
            return Ok(self.clone());
        }
        NormalInverseWishart::posterior(self, rows(x, self.mean().len())?.view())
    }

    fn log_predictive(&self, x: &Array1<f64>) -> Result<f64> {
        Ok(self.predictive()?.log_density(x.view().insert_axis(Axis(0)))?[0])
    }

    fn log_evidence(&self, x: &[Array1<f64>]) -> Result<f64> {
        if x.is_empty() {
            return Ok(0.0);
        }
        NormalInverseWishart::log_evidence(self, rows(x, self.mean().len())?.view())
    }
}
