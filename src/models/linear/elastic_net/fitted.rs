//! What the elastic net has found.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Ix2};

use crate::Result;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, Report, Reported, TargetDim};
use crate::models::linear::function::Linear;
use crate::saved::Format;

/// A linear function `x ↦ Wᵀx + b` with few coefficients that are not zero, and how near the minimum it is.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedElasticNet<D = Ix2> {
    format: Format,
    linear: Linear,
    penalty: f64,
    mix: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    objective: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    gap: Array1<f64>,
    report: Report,
    targets: PhantomData<D>,
}

getters!(FittedElasticNet<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The penalty λ.
    penalty: f64,
    /// The share α of absolute values.
    mix: f64,
    /// The objective of each target.
    objective: &Array1<f64>,
    /// The objective of each target is above its minimum by this at most.
    duality_gap => gap: &Array1<f64>,
    /// How the fit went: its trace is the duality gap of the worst target.
    report: &Report,
});

inherent!(FittedElasticNet<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> Reported for FittedElasticNet<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> Predict for FittedElasticNet<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.linear.at("FittedElasticNet::predict", x).map(D::shaped)
    }
}

impl<D: TargetDim> FittedElasticNet<D> {
    pub(super) fn new(
        linear: Linear,
        (penalty, mix): (f64, f64),
        objective: Array1<f64>,
        gap: Array1<f64>,
        report: Report,
    ) -> Self {
        FittedElasticNet {
            format: Format,
            linear,
            penalty,
            mix,
            objective,
            gap,
            report,
            targets: PhantomData,
        }
    }

    /// How many coefficients are not zero, in all targets.
    pub fn nonzero(&self) -> usize {
        self.linear.coefficients.iter().filter(|w| **w != 0.0).count()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedElasticNet<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedElasticNet<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedElasticNet";
        self.linear.check::<D>(OP)?;
        let t = self.linear.intercept.len();
        crate::check::require(OP, self.objective.len() == t && self.gap.len() == t, || {
            format!("{t} targets, {} objectives, {} gaps", self.objective.len(), self.gap.len())
        })?;
        crate::check::not_negative("penalty", self.penalty)?;
        crate::check::parameter("mix", self.mix, (0.0..=1.0).contains(&self.mix), "must lie between 0 and 1")
    }
}
