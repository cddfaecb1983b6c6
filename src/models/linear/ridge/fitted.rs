//! What ridge regression has found.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Axis, Ix2};

use crate::check::{finite, inputs};
#[cfg(feature = "serde")]
use crate::check::{not_negative, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, TargetDim};
use crate::linalg::SolveReport;
use crate::ops::product;
use crate::saved::Format;
use crate::{Device, Result};

/// Which system was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// `(XᵀX + λI) w = Xᵀy`: as large as the features are many.
    Primal,
    /// `w = Xᵀ (XXᵀ + λI)⁻¹ y`: as large as the observations are many.
    Dual,
}

impl Form {
    /// The smaller one.
    pub(in crate::models::linear) fn of(n: usize, d: usize) -> Self {
        if d <= n { Form::Primal } else { Form::Dual }
    }
}

/// A linear function, and how it was found: what does not depend on the form of the targets.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::models::linear) struct Solved {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub coefficients: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub intercept: Array1<f64>,
    pub form: Form,
    pub rank: Option<usize>,
    pub report: SolveReport,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    pub device: Device,
}

/// A linear function `x ↦ Wᵀx + b`, and how it was found.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedRidge<D = Ix2> {
    format: Format,
    solved: Solved,
    penalty: f64,
    targets: PhantomData<D>,
}

getters!(FittedRidge<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => solved.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => solved.intercept: &Array1<f64>,
    /// The penalty λ.
    penalty: f64,
    /// Which system was solved.
    form => solved.form: Form,
    /// The rank of the centred X, where it was seen: by a decomposition of X, or because a penalty of zero needs it.
    rank => solved.rank: Option<usize>,
    /// How good the solution is.
    report => solved.report: &SolveReport,
    /// The device that the system was solved on.
    device => solved.device: &Device,
});

inherent!(FittedRidge<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedRidge<D> {
    type Output = Array<f64, D>;

    /// In f64, whatever the device of the fit.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        let w = &self.solved.coefficients;
        inputs("FittedRidge::predict", x, w.nrows())?;
        let mut out = Array2::zeros((x.nrows(), w.ncols()));
        product(1.0, x, w.view(), 0.0, out.view_mut());
        out += &self.solved.intercept;
        Ok(D::shaped(out))
    }
}

impl<D: TargetDim> FittedRidge<D> {
    pub(in crate::models::linear) fn new(solved: Solved, penalty: f64) -> Result<Self> {
        finite("Ridge::fit", "the coefficients", solved.coefficients.view())?;
        finite("Ridge::fit", "the intercept", solved.intercept.view().insert_axis(Axis(1)))?;
        Ok(FittedRidge { format: Format, solved, penalty, targets: PhantomData })
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedRidge<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedRidge<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedRidge";
        let (w, b) = (&self.solved.coefficients, &self.solved.intercept);
        D::fits(OP, w.ncols())?;
        finite(OP, "the coefficients", w.view())?;
        require(OP, b.len() == w.ncols(), || {
            format!("{} targets, the intercept has {}", w.ncols(), b.len())
        })?;
        finite(OP, "the intercept", b.view().insert_axis(Axis(1)))?;
        not_negative("penalty", self.penalty)
    }
}
