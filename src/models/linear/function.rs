//! A linear function of the inputs, one column a target: what every linear regression has found.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::Result;
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{finite, inputs};
#[cfg(feature = "serde")]
use crate::learn::TargetDim;
use crate::ops::product;

/// `x ↦ Wᵀx + b`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Linear {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub coefficients: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub intercept: Array1<f64>,
}

impl Linear {
    /// These coefficients, d x t, if they are numbers.
    pub fn new(op: &'static str, coefficients: Array2<f64>, intercept: Array1<f64>) -> Result<Self> {
        finite(op, "the coefficients", coefficients.view())?;
        finite(op, "the intercept", intercept.view().insert_axis(Axis(1)))?;
        Ok(Linear { coefficients, intercept })
    }

    /// `m x t`, in f64.
    pub fn at(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(op, x, self.coefficients.nrows())?;
        let mut out = Array2::zeros((x.nrows(), self.coefficients.ncols()));
        product(1.0, x, self.coefficients.view(), 0.0, out.view_mut());
        out += &self.intercept;
        finite(op, "the predictions", out.view())?;
        Ok(out)
    }

    #[cfg(feature = "serde")]
    pub fn check<D: TargetDim>(&self, op: &'static str) -> Result<()> {
        let (t, b) = (self.coefficients.ncols(), self.intercept.len());
        D::fits(op, t)?;
        finite(op, "the coefficients", self.coefficients.view())?;
        require(op, b == t, || format!("{t} targets, the intercept has {b}"))?;
        finite(op, "the intercept", self.intercept.view().insert_axis(Axis(1)))
    }
}
