//! What a generalised linear model has found.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Axis, Ix2, s};

use super::family::{Family, Link};
use crate::Result;
use crate::check::{finite, parameter};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, Report, Reported, TargetDim};
use crate::models::linear::function::Linear;
use crate::probability::normal;
use crate::saved::Format;

/// What is known of each target.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Statistics {
    /// Of the coefficients and, in the last row, of the intercept.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub errors: Array2<f64>,
    /// Deviance, null deviance, dispersion, Pearson's statistic, log-likelihood, degrees of freedom; one column each.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub numbers: Array2<f64>,
    pub parameters: usize,
    pub total: f64,
    pub separated: bool,
}

impl Statistics {
    pub fn new(targets: usize) -> Self {
        let (errors, numbers) = (Array2::zeros((0, 0)), Array2::zeros((targets, 6)));
        Statistics { errors, numbers, parameters: 0, total: 0.0, separated: false }
    }

    pub fn set(&mut self, target: usize, numbers: [f64; 6]) {
        self.numbers.row_mut(target).assign(&ndarray::aview1(&numbers));
    }

    pub fn close(&mut self, errors: Array2<f64>, parameters: usize, total: f64) {
        (self.errors, self.parameters, self.total) = (errors, parameters, total);
    }
}

/// A linear function of x, the link that makes a mean of it, and what maximum likelihood says of it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedGeneralisedLinear<D = Ix2> {
    format: Format,
    linear: Linear,
    family: Family,
    link: Link,
    statistics: Statistics,
    report: Report,
    targets: PhantomData<D>,
}

getters!(FittedGeneralisedLinear<D> {
    /// The coefficients W, d x t: one column for each target; one for an offset.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The family.
    family: Family,
    /// The link.
    link: Link,
    /// Whether a plane separates classes: the likelihood has no maximum, and coefficients are as large as the tolerance let
    /// them grow. A penalty gives them a size.
    separated => statistics.separated: bool,
    /// How the fit went: its trace is the deviance of the last target, its starts are the deviances of all.
    report: &Report,
});

inherent!(FittedGeneralisedLinear<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> Reported for FittedGeneralisedLinear<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> Predict for FittedGeneralisedLinear<D> {
    type Output = Array<f64, D>;

    /// The mean μ at each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        const OP: &str = "FittedGeneralisedLinear::predict";
        let m = self.family.trials();
        let out = self.linear.at(OP, x)?.mapv(|eta| self.link.mean(eta, m).0);
        finite(OP, "the predictions", out.view())?;
        Ok(D::shaped(out))
    }
}

impl<D: TargetDim> FittedGeneralisedLinear<D> {
    pub(super) fn new(
        linear: Linear,
        (family, link): (Family, Link),
        statistics: Statistics,
        report: Report,
    ) -> Result<Self> {
        const OP: &str = "GeneralisedLinear::fit";
        finite(OP, "the standard errors", statistics.errors.view())?;
        finite(OP, "the statistics", statistics.numbers.view())?;
        Ok(FittedGeneralisedLinear {
            format: Format,
            linear,
            family,
            link,
            statistics,
            report,
            targets: PhantomData,
        })
    }

    /// `wᵀx + b` with the offset, at each row of `x`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn linear_predictor(&self, x: impl Inputs) -> Result<Array<f64, D>> {
        self.linear.at("FittedGeneralisedLinear::linear_predictor", x.inputs().view()).map(D::shaped)
    }

    /// Standard errors of the coefficients by the Fisher information, d x t; zero for an offset.
    pub fn standard_errors(&self) -> Array2<f64> {
        self.statistics.errors.slice(s![..self.linear.coefficients.nrows(), ..]).to_owned()
    }

    /// Standard errors of the intercept, one for each target; zero if there is none.
    pub fn intercept_standard_errors(&self) -> Array1<f64> {
        self.statistics.errors.row(self.linear.coefficients.nrows()).to_owned()
    }

    /// The probability of `|w|/se` at least as large if the coefficient were zero, by the normal law; one for an offset.
    pub fn p_values(&self) -> Array2<f64> {
        let mut out = self.standard_errors();
        out.zip_mut_with(&self.linear.coefficients, |e, w| {
            *e = if *e > 0.0 { 2.0 * normal::cdf(-(w / *e).abs()) } else { 1.0 };
        });
        out
    }

    fn number(&self, which: usize) -> Array1<f64> {
        self.statistics.numbers.index_axis(Axis(1), which).to_owned()
    }

    /// Twice the log-likelihood lost to a model that meets every observation, times the dispersion, of each target.
    pub fn deviance(&self) -> Array1<f64> {
        self.number(0)
    }

    /// The deviance with the intercept alone, of each target.
    pub fn null_deviance(&self) -> Array1<f64> {
        self.number(1)
    }

    /// The dispersion φ of each target: Pearson's statistic over the degrees of freedom; one if the family has none, or if
    /// no degrees of freedom are left to tell it from.
    pub fn dispersion(&self) -> Array1<f64> {
        self.number(2)
    }

    /// `Σ (y - μ)²/V(μ)` of each target.
    pub fn pearson(&self) -> Array1<f64> {
        self.number(3)
    }

    /// `ln p(y)` at the maximum, of all targets together.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the family has a dispersion, and a target is met exactly or there are
    /// no more observations than coefficients: then it has no maximum.
    pub fn log_likelihood(&self) -> Result<f64> {
        if self.family.dispersed() {
            let freedom = self.degrees_of_freedom();
            parameter("degrees of freedom", freedom, freedom > 0.0, "must be positive for a dispersion")?;
            for &phi in &self.dispersion() {
                parameter("dispersion", phi, phi > 0.0, "must be positive for a finite likelihood")?;
            }
        }
        Ok(self.number(4).sum())
    }

    /// Observations less coefficients.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.statistics.numbers[[0, 5]]
    }

    /// How many numbers were fitted, of every target.
    pub fn parameters(&self) -> usize {
        self.statistics.parameters * self.linear.intercept.len()
    }

    /// `2k - 2 ln p(y)`: smaller is better.
    ///
    /// # Errors
    /// As [`FittedGeneralisedLinear::log_likelihood`].
    pub fn aic(&self) -> Result<f64> {
        Ok(2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood()?)
    }

    /// `k ln n - 2 ln p(y)`: smaller is better.
    ///
    /// # Errors
    /// As [`FittedGeneralisedLinear::log_likelihood`].
    pub fn bic(&self) -> Result<f64> {
        Ok(self.parameters() as f64 * self.statistics.total.ln() - 2.0 * self.log_likelihood()?)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedGeneralisedLinear<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedGeneralisedLinear<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedGeneralisedLinear";
        self.linear.check::<D>(OP)?;
        self.family.check(self.link)?;
        let (d, t) = self.linear.coefficients.dim();
        let fits = self.statistics.errors.dim() == (d + 1, t) && self.statistics.numbers.dim() == (t, 6);
        crate::check::require(OP, fits, || "its parts are of different sizes".to_owned())?;
        finite(OP, "the standard errors", self.statistics.errors.view())?;
        finite(OP, "the statistics", self.statistics.numbers.view())
    }
}
