//! Posterior covariances with one point, and their derivatives: what an improvement over that point depends on.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use super::fitted::FittedGp;
use crate::check::inputs;
use crate::learn::Inputs;
use crate::ops::{gram, gram_diagonal, gram_vec};
use crate::probability::posterior_variance::{known, left};
use crate::{Matrix, Result};

const OP: &str = "FittedGp::covariance_with";

/// The function `x ↦ cov(f(x), f(z) | y) = k(x, z) - k(x, X)C⁻¹k(X, z)` of one point z.
#[derive(Debug, Clone)]
pub struct CovarianceWith<'a, D> {
    gp: &'a FittedGp<D>,
    /// z, `1 x d`.
    point: Matrix,
    /// `C⁻¹k(X, z)`, `n x 1`.
    weights: Matrix,
    variance: f64,
}

impl<D> FittedGp<D> {
    /// The covariance of the latent function everywhere with that at one point, given the data.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::array;
    ///
    /// let (x, y) = (array![[-1.0], [0.0], [2.0]], array![0.3, 1.0, -0.5]);
    /// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fit(&Device::cpu(), &x, &y)?;
    /// let with = gp.covariance_with(array![1.0].view())?;
    /// let joint = gp.predict_joint(array![[1.0], [1.5]], Predictive::Latent)?.covariance;
    /// assert!((with.at(array![[1.5]])?[0] - joint[[0, 1]]).abs() < 1e-12);
    /// assert!((with.variance() - joint[[0, 0]]).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `predict`; [`Error::Overflow`](crate::Error::Overflow) if its variance overflows.
    pub fn covariance_with(&self, point: ArrayView1<f64>) -> Result<CovarianceWith<'_, D>> {
        let point = point.insert_axis(Axis(0));
        inputs(OP, point, self.x().ncols())?;
        let point = Matrix::from_host(point.to_owned());
        let across = gram(self.kernel(), self.points.on_host(), Some(&point))?.into_array()?;
        let weights = self.conditioned.posterior.solve(&self.model, across.view())?;
        let prior = gram_diagonal(self.kernel(), &point)?.into_array()?[[0, 0]];
        let variance = left(prior, across.column(0).dot(&weights.column(0)));
        known(OP, 0, [&variance])?;
        Ok(CovarianceWith { gp: self, point, weights: Matrix::from_host(weights), variance })
    }
}

impl<D> CovarianceWith<'_, D> {
    /// The latent variance at the point itself.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The covariance at each row of `x`, `m x d`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn at(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        inputs(OP, x.view(), self.point.cols())?;
        let at = Matrix::from_host(x.into_owned());
        let kernel = self.gp.kernel();
        let prior = gram(kernel, &at, Some(&self.point))?.into_array()?;
        let explained = gram_vec(kernel, &at, Some(self.gp.points.on_host()), &self.weights)?.into_array()?;
        Ok((prior - explained).index_axis_move(Axis(1), 0))
    }

    /// The derivative of [`CovarianceWith::at`] by each coordinate of each row of `x`: `m x d`.
    ///
    /// # Errors
    /// As `predict`; as [`Kernel::input_gradient`](crate::Kernel::input_gradient).
    pub fn gradient(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        inputs(OP, x.view(), self.point.cols())?;
        let kernel = self.gp.kernel();
        let prior =
            kernel.input_gradient(x.view(), self.point.cpu().view(), Array2::ones((x.nrows(), 1)).view())?;
        let weights = self.weights.cpu().column(0);
        let weights = Array2::from_shape_fn((x.nrows(), weights.len()), |(_, j)| weights[j]);
        Ok(prior - kernel.input_gradient(x.view(), self.gp.x(), weights.view())?)
    }
}
