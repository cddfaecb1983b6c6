//! Derivatives of predictions by the inputs: what climbs a mean, or looks for doubt.
//!
//! In f64 on the host, wherever the factor lives. Checked in `tests/gp/gradient.rs` against central differences.

use ndarray::{Array2, Array3, ArrayView2, s};

use super::fitted::FittedGp;
use crate::check::inputs;
use crate::learn::Inputs;
use crate::ops::gram;
use crate::{Matrix, Result};

/// Inputs whose weights are solved for together.
const BLOCK: usize = 64;

/// Derivatives of means and latent variances by each coordinate of some inputs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PredictionGradient {
    /// `∂μ_c(x_i)/∂x_if`, `q x m x d`: a matrix for each column of y.
    pub mean: Array3<f64>,
    /// `∂σ²(x_i)/∂x_if`, `m x d`, the same for all columns. Noise does not move with x.
    pub variance: Array2<f64>,
}

impl<D> FittedGp<D> {
    /// The derivatives of [`FittedGp::predict_with`](FittedGp::predict_with) by each row of `x`:
    /// `∂m/∂x + Σ_j α_j ∂k(x, x_j)/∂x` and `∂k(x, x)/∂x - 2 Σ_j w_j ∂k(x, x_j)/∂x`, `w = C⁻¹k(X, x)`.
    ///
    /// Where k has a kink the derivative is the mean of both sides, as in [`Kernel::input_gradient`]: at a training point
    /// under Matérn-½ it is that of everything else. Without a stored covariance w takes a solve by conjugate gradients,
    /// to [`MatrixFreeParams::tolerance`](super::MatrixFreeParams::tolerance).
    ///
    /// [`Kernel::input_gradient`]: crate::Kernel::input_gradient
    ///
    /// # Errors
    /// As [`FittedGp::predict`] and [`Kernel::input_gradient`]; [`Error::NoConvergence`](crate::Error::NoConvergence).
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::{Array2, array};
    ///
    /// let x = Array2::from_shape_fn((25, 1), |(i, _)| 0.25 * i as f64);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).fit(&Device::cpu(), &x, x.mapv(f64::sin))?;
    /// let by = gp.predict_gradient(array![[2.1]])?;
    /// assert!((by.mean[[0, 0, 0]] - 2.1f64.cos()).abs() < 1e-3);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn predict_gradient(&self, x: impl Inputs) -> Result<PredictionGradient> {
        let x = x.inputs();
        inputs("FittedGp::predict_gradient", x.view(), self.x().ncols())?;
        let ((m, d), q) = (x.dim(), self.y.ncols());
        let mut mean = Array3::zeros((q, m, d));
        let mut variance = Array2::zeros((m, d));
        for first in (0..m).step_by(BLOCK) {
            let rows = first..m.min(first + BLOCK);
            let at = x.slice(s![rows.clone(), ..]);
            for (c, alpha) in self.alpha().columns().into_iter().enumerate() {
                let weights = Array2::from_shape_fn((at.nrows(), alpha.len()), |(_, j)| alpha[j]);
                let by = self.kernel().input_gradient(at, self.x(), weights.view())? + &self.trend().slope(c);
                mean.slice_mut(s![c, rows.clone(), ..]).assign(&by);
            }
            variance.slice_mut(s![rows, ..]).assign(&self.variance_slope(at)?);
        }
        Ok(PredictionGradient { mean, variance })
    }

    /// `∂σ²/∂x` at a block of inputs.
    fn variance_slope(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let at = Matrix::from_host(x.to_owned());
        let across = gram(self.kernel(), self.points.on_host(), Some(&at))?.into_array()?;
        let weights = self.conditioned.posterior.solve(&self.model, across.view())?;
        let explained = self.kernel().input_gradient(x, self.x(), weights.t())?;
        // `k(x, x)` moves with both of its arguments.
        let own = self.kernel().input_gradient(x, x, Array2::eye(x.nrows()).view())?;
        Ok((own - explained) * 2.0)
    }
}
