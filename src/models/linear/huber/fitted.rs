//! What is found.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Ix2};

use crate::Result;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, Report, Reported, TargetDim};
use crate::models::linear::function::Linear;
use crate::saved::Format;

/// A linear function `x ↦ Wᵀx + b`, the scale of the noise, and who lies beyond it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedHuberRegression<D = Ix2> {
    pub(super) format: Format,
    pub(super) linear: Linear,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) scales: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(skip, default = "none"))]
    pub(super) outliers: Array2<bool>,
    pub(super) report: Report,
    pub(super) targets: PhantomData<D>,
}

#[cfg(feature = "serde")]
fn none() -> Array2<bool> {
    Array2::from_elem((0, 0), false)
}

getters!(FittedHuberRegression<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The scale σ of the noise of each target; zero where the observations are met exactly.
    scales: &Array1<f64>,
    /// Whether each observation lies beyond εσ, n x t; not saved.
    outliers: &Array2<bool>,
    /// How the fit went: its trace is the objective of the last target, its starts are the objectives of all.
    report: &Report,
});

inherent!(FittedHuberRegression<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> Reported for FittedHuberRegression<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> Predict for FittedHuberRegression<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.linear.at("FittedHuberRegression::predict", x).map(D::shaped)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedHuberRegression<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedHuberRegression<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedHuberRegression";
        self.linear.check::<D>(OP)?;
        let (t, k) = (self.linear.intercept.len(), self.scales.len());
        crate::check::require(OP, t == k, || format!("{t} targets, {k} scales"))?;
        self.scales.iter().try_for_each(|s| crate::check::not_negative("scale", *s))
    }
}
