//! Functions `f(x) = Σ_j a_j k(z_j, x)`: what every kernel method predicts with.

use ndarray::{Array2, ArrayView2};

use crate::check::inputs;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::matrix::Points;
use crate::ops::gram_vec;
use crate::{Device, Kernel, Matrix, Result};

/// A kernel, its points z (n x d) and their coefficients a (n x t).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Expansion {
    pub kernel: Kernel,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub points: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub coefficients: Array2<f64>,
}

impl Expansion {
    /// f at each row of `x`, m x t, in O(n + m) memory.
    ///
    /// Coefficients alternate in sign and are much larger than their sum: on a GPU the rounding of f32 is amplified
    /// by `‖a‖₂ / |f|`. That is why the caller's default is the CPU.
    pub fn at(&self, op: &'static str, device: &Device, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(op, x, self.points.ncols())?;
        let points = Points::new(op, device, self.points.view(), self.kernel.origin(), f64::INFINITY)?;
        let coefficients = Matrix::from_array(points.device(), self.coefficients.view())?;
        gram_vec(&self.kernel, &points.like(op, x)?, Some(points.matrix()?), &coefficients)?.to_array()
    }

    /// `w = Σ_j a_j z_j`, t x d, if the kernel is linear: then `f(x) = wᵀx`.
    pub fn linear_weights(&self) -> Option<Array2<f64>> {
        let scales = self.kernel.linear_scales(self.points.ncols())?;
        Some(self.coefficients.t().dot(&self.points) * &ndarray::Array1::from(scales))
    }
}

#[cfg(feature = "serde")]
impl crate::saved::Checked for Expansion {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved expansion in kernels";
        finite(OP, "the points", self.points.view())?;
        finite(OP, "the coefficients", self.coefficients.view())?;
        let (n, m) = (self.points.nrows(), self.coefficients.nrows());
        require(OP, n == m, || format!("{n} points, {m} coefficients"))?;
        // What the kernel has to say against the points it says now.
        crate::ops::gram_diagonal(&self.kernel, &Matrix::from_host(self.points.clone())).map(drop)
    }
}
