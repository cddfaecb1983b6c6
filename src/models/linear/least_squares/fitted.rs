//! What least squares has found.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayView2, Axis, Ix2};

use crate::Result;
use crate::check::finite;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, TargetDim};
use crate::models::linear::function::Linear;
use crate::saved::Format;

/// What standard errors, tests and diagnostics are made of.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Inference {
    pub intercept: bool,
    pub rank: usize,
    /// Σ s.
    pub total: f64,
    /// `(XᵀX)⁺` of the centred, weighted rows, d x d.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub inverse: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub residual_squares: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub total_squares: Array1<f64>,
    /// `1 - h_ii`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub free: Array1<f64>,
    /// `√s_i (y_i - ŷ_i)`, n x t.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub residuals: Array2<f64>,
}

/// A linear function `x ↦ Wᵀx + b`, and all that least squares says of it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedLeastSquares<D = Ix2> {
    format: Format,
    pub(super) linear: Linear,
    pub(super) inference: Inference,
    pub(super) targets: PhantomData<D>,
}

getters!(FittedLeastSquares<D> {
    /// The coefficients W, d x t: one column for each target.
    coefficients => linear.coefficients: &Array2<f64>,
    /// The intercept b, one for each target; zero if there is none.
    intercept => linear.intercept: &Array1<f64>,
    /// The rank of the centred X: the number of features unless they depend on each other or outnumber the rows.
    rank => inference.rank: usize,
    /// `√s_i (y_i - ŷ_i)`, n x t; the residuals themselves without weights.
    residuals => inference.residuals: &Array2<f64>,
    /// `Σ_i s_i (y_i - ŷ_i)²` of each target.
    residual_sum_of_squares => inference.residual_squares: &Array1<f64>,
});

inherent!(FittedLeastSquares<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedLeastSquares<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.linear.at("FittedLeastSquares::predict", x).map(D::shaped)
    }
}

impl<D: TargetDim> FittedLeastSquares<D> {
    pub(super) fn new(linear: Linear, inference: Inference) -> Result<Self> {
        const OP: &str = "LeastSquares::fit";
        finite(OP, "(XᵀX)⁺", inference.inverse.view())?;
        finite(OP, "the sums of squares", inference.total_squares.view().insert_axis(Axis(1)))?;
        finite(OP, "the sums of squares", inference.residual_squares.view().insert_axis(Axis(1)))?;
        Ok(FittedLeastSquares { format: Format, linear, inference, targets: PhantomData })
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLeastSquares<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedLeastSquares<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLeastSquares";
        self.linear.check::<D>(OP)?;
        let ((d, t), found) = (self.linear.coefficients.dim(), &self.inference);
        let fits = found.inverse.dim() == (d, d)
            && found.mean.len() == d
            && found.residual_squares.len() == t
            && found.total_squares.len() == t
            && found.residuals.dim() == (found.free.len(), t);
        crate::check::require(OP, fits, || "its parts are of different sizes".to_owned())?;
        finite(OP, "the residuals", found.residuals.view())?;
        finite(OP, "(XᵀX)⁺", found.inverse.view())?;
        crate::check::positive("total weight", found.total)
    }
}
