//! Independent features of one exponential family, by matching moments. Checked in `tests/classify/densities.rs`.

use ndarray::{Array1, ArrayView1, ArrayView2};
use statrs::function::gamma::ln_gamma;

use super::gaussians::LN_2PI;
use super::moments::mean;
use super::naive_bayes::{NEVER, log};
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{finite, inputs, parameter};
use crate::learn::configure::getters;
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, FitWeighted, Inputs, LogDensity, Score};
use crate::saved::Format;
use crate::{Device, Error, Result};

/// An exponential family over numbers: `p(x) = h(x) exp(ηᵀu(x) - A(η))`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FeatureFamily {
    /// `N(m, v)`, `u = (x, x²)`.
    Gaussian,
    /// 0 or 1, `u = x`.
    Bernoulli,
    /// Whole numbers `0, 1, ...`, `u = x`.
    Poisson,
    /// Whole numbers `0, 1, ...` of failures before a success, `u = x`.
    Geometric,
    /// Numbers of at least 0, `u = x`.
    Exponential,
}

impl FeatureFamily {
    /// Whether x is possible.
    fn holds(self, x: f64) -> bool {
        match self {
            FeatureFamily::Gaussian => true,
            FeatureFamily::Bernoulli => x == 0.0 || x == 1.0,
            FeatureFamily::Poisson | FeatureFamily::Geometric => x >= 0.0 && x.fract() == 0.0,
            FeatureFamily::Exponential => x >= 0.0,
        }
    }

    /// `ln p(x)` by the moments, with [`NEVER`] for what is impossible.
    fn log_density(self, x: f64, mean: f64, variance: f64) -> f64 {
        // `n ln p`, and nothing of nothing.
        let times = |n: f64, p: f64| if n == 0.0 { 0.0 } else { n * log(p) };
        let value = match self {
            _ if !self.holds(x) => NEVER,
            FeatureFamily::Gaussian => -0.5 * (LN_2PI + variance.ln() + (x - mean) * (x - mean) / variance),
            FeatureFamily::Bernoulli => times(x, mean) + times(1.0 - x, 1.0 - mean),
            FeatureFamily::Poisson => times(x, mean) - mean - ln_gamma(x + 1.0),
            FeatureFamily::Geometric => times(x, mean / (1.0 + mean)) - mean.ln_1p(),
            FeatureFamily::Exponential => -mean.ln() - x / mean,
        };
        value.max(NEVER)
    }
}

/// `p(x) = Π_j p_j(x_j)`, all features of one exponential family, each with the moments `E[u]` that it has in the data:
/// maximum likelihood.
///
/// As the class density of a [`GenerativeClassifier`](super::GenerativeClassifier) its log-odds are linear in `u(x)`: a
/// logistic regression with the features u.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let fit = IndependentDensity::new(FeatureFamily::Poisson).fit(&Device::cpu(), array![[1.0], [3.0], [2.0]])?;
/// assert!((fit.score_samples(array![[0.0]])?[0] + 2.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IndependentDensity {
    family: FeatureFamily,
}

impl IndependentDensity {
    /// A density whose features are each of this family.
    pub fn new(family: FeatureFamily) -> Self {
        IndependentDensity { family }
    }

    fn run(self, x: ArrayView2<f64>, w: ArrayView1<f64>) -> Result<FittedIndependentDensity> {
        let op = "IndependentDensity::fit";
        let family = self.family;
        if let Some(((i, j), v)) = x.indexed_iter().find(|(_, v)| !family.holds(**v)) {
            parameter(&format!("x[{i}, {j}]"), *v, false, "must be a value that the family can take")?;
        }
        let means = mean(x, w);
        let spread = |(j, c): (usize, ArrayView1<f64>)| {
            c.iter().zip(w).map(|(v, w)| w * (v - means[j]) * (v - means[j])).sum::<f64>() / w.sum()
        };
        let variances: Array1<f64> = x.columns().into_iter().enumerate().map(spread).collect();
        let proper = |j: usize| match family {
            FeatureFamily::Gaussian => variances[j] > 0.0,
            FeatureFamily::Exponential => means[j] > 0.0,
            _ => true,
        };
        if let Some(j) = (0..means.len()).find(|&j| !proper(j)) {
            return Err(Error::NotPositiveDefinite { op, pivot: j, value: 0.0 });
        }
        if means.iter().chain(&variances).any(|v| !v.is_finite()) {
            return Err(crate::check::blame(op, x));
        }
        Ok(FittedIndependentDensity { format: Format, family, means, variances })
    }
}

fits!(IndependentDensity: Fit -> FittedIndependentDensity, FitWeighted -> FittedIndependentDensity);

impl Fit for IndependentDensity {
    type Fitted = FittedIndependentDensity;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedIndependentDensity> {
        finite("IndependentDensity::fit", "x", x)?;
        self.run(x, Array1::ones(x.nrows()).view())
    }
}

impl FitWeighted for IndependentDensity {
    fn fit_weighted(
        &self,
        _: &Device,
        x: ArrayView2<f64>,
        (): &(),
        w: ArrayView1<f64>,
    ) -> Result<FittedIndependentDensity> {
        finite("IndependentDensity::fit", "x", x)?;
        crate::check::weights("IndependentDensity::fit", w, x.nrows())?;
        self.run(x, w)
    }
}

/// Fitted [`IndependentDensity`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedIndependentDensity {
    format: Format,
    family: FeatureFamily,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    means: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    variances: Array1<f64>,
}

getters!(FittedIndependentDensity {
    /// The family.
    family: FeatureFamily,
    /// The mean of each feature.
    means: &Array1<f64>,
    /// The variance of each feature in the data; a parameter of the Gaussian family alone.
    variances: &Array1<f64>,
});

inherent!(FittedIndependentDensity: Score);

impl FittedIndependentDensity {
    /// `ln p(x)` of each row; -1e30 of a row that is impossible.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of features, [`Error::NotFinite`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        self.log_density(x.inputs().view())
    }
}

impl LogDensity for FittedIndependentDensity {
    fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        inputs("FittedIndependentDensity::score_samples", x, self.means.len())?;
        let term = |(j, v): (usize, &f64)| self.family.log_density(*v, self.means[j], self.variances[j]);
        let row = |row: ArrayView1<f64>| row.iter().enumerate().map(term).sum::<f64>().max(NEVER);
        Ok(x.rows().into_iter().map(row).collect())
    }
}

/// The mean of `ln p(x)`.
impl Score for FittedIndependentDensity {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        let each = self.log_density(x)?;
        Ok(each.sum() / each.len() as f64)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedIndependentDensity);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedIndependentDensity {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedIndependentDensity";
        let d = self.means.len();
        require(op, d > 0 && self.variances.len() == d, || "means and variances that do not fit".to_owned())?;
        let both =
            ndarray::Array2::from_shape_fn(
                (2, d),
                |(i, j)| if i == 0 { self.means[j] } else { self.variances[j] },
            );
        finite(op, "the moments", both.view())
    }
}
