//! Functions `f(x) = Σ_j a_j k(z_j, x)`: what every kernel method predicts with.

#[cfg(feature = "serde")]
mod saved;
#[cfg(feature = "serde")]
pub(super) use saved::SavedExpansion;

use ndarray::{Array2, ArrayView2};

use crate::linalg::Anchor;
use crate::check::inputs;
use crate::ops::gram_vec;
use crate::{Device, Kernel, Matrix, Result};

/// A kernel, its points z (n x d) and their coefficients a (n x t).
#[derive(Debug, Clone)]
pub(super) struct Expansion {
    pub kernel: Kernel,
    pub points: Array2<f64>,
    pub coefficients: Array2<f64>,
}

impl Expansion {
    /// f at each row of `x`, m x t, in O(n + m) memory.
    ///
    /// Coefficients alternate in sign and are much larger than their sum: on a GPU the rounding of f32 is amplified
    /// by `‖a‖₂ / |f|`. That is why the caller's default is the CPU.
    pub fn at(&self, op: &'static str, device: &Device, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(op, x, self.points.ncols())?;
        let anchor = Anchor::new(&self.kernel, self.points.view());
        let on = |a: ArrayView2<f64>| anchor.upload(op, device, a);
        let coefficients = Matrix::from_array(device, self.coefficients.view())?;
        gram_vec(&self.kernel, &on(x)?, Some(&on(self.points.view())?), &coefficients)?.to_array()
    }
}
