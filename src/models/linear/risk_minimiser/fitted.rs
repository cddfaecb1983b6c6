//! What has been minimised.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Ix2};

use crate::Result;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Loss, Predict, Report, Reported, TargetDim};
use crate::models::linear::function::Linear;
use crate::optim::Penalty;
use crate::saved::Format;

/// A linear function `x ↦ Wᵀx + b` of least regularised risk.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedRiskMinimiser<D = Ix2> {
    format: Format,
    linear: Linear,
    loss: Loss,
    penalty: Penalty,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    objective: Array1<f64>,
    report: Report,
    targets: PhantomData<D>,
}

getters!(FittedRiskMinimiser<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The loss.
    loss: Loss,
    /// The penalty.
    penalty: Penalty,
    /// The risk and the penalty together, of each target.
    objective: &Array1<f64>,
    /// How the fit went: its trace is what the solver of the last target watched, its starts are the objectives of all.
    report: &Report,
});

inherent!(FittedRiskMinimiser<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> Reported for FittedRiskMinimiser<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<D: TargetDim> Predict for FittedRiskMinimiser<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.linear.at("FittedRiskMinimiser::predict", x).map(D::shaped)
    }
}

impl<D: TargetDim> FittedRiskMinimiser<D> {
    pub(super) fn new(
        linear: Linear,
        loss: Loss,
        penalty: Penalty,
        objective: Array1<f64>,
        report: Report,
    ) -> Self {
        FittedRiskMinimiser { format: Format, linear, loss, penalty, objective, report, targets: PhantomData }
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRiskMinimiser<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedRiskMinimiser<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedRiskMinimiser";
        self.linear.check::<D>(OP)?;
        self.loss.check()?;
        self.penalty.check()?;
        let (t, k) = (self.linear.intercept.len(), self.objective.len());
        crate::check::require(OP, t == k, || format!("{t} targets, {k} objectives"))
    }
}
