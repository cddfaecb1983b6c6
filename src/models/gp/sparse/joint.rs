//! Points that are predicted together: means, covariances and draws.

use ndarray::ArrayView2;

use super::first_pass::whitened;
use super::fitted::FittedSparseGp;
use crate::check::{finite, inputs};
use crate::learn::plan::affords;
use crate::learn::{Inputs, TargetDim};
use crate::linalg::Noise;
use crate::models::gp::prediction::{JointPrediction, Predictive, Samples};
use crate::ops::{Side, Trans, Triangle, gram, gram_diagonal, solve_triangular, syrk};
use crate::probability::posterior_variance::left;
use crate::{Matrix, Result};

/// Matrices of t x t at their peak: the covariance, what is subtracted and added, and a copy.
const MATRICES: f64 = 4.0;

impl<D: TargetDim> FittedSparseGp<D> {
    /// Mean and covariance between all rows of `x` (`t x d`): `k(x, x') - aᵀa' + aᵀB⁻¹a'` with `a = L⁻¹ k(Z, x)`, and
    /// noise on the diagonal if asked.
    ///
    /// All three methods approximate how the data depend on each other; new points keep the covariances of the kernel
    /// given the inducing variables.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// use ndarray::{Array2, array};
    ///
    /// let x = Array2::from_shape_fn((100, 1), |(i, _)| i as f64 / 20.0);
    /// let y = x.mapv(f64::sin);
    /// let gp = SparseGpRegressor::new(Kernel::rbf(1.0), Inducing::greedy(10)).noise(0.01);
    /// let fitted = gp.fit(&Device::cpu(), &x, &y)?;
    /// let new = array![[20.0], [20.1]];
    /// let joint = fitted.predict_joint(&new, Predictive::Latent)?;
    /// assert!(joint.covariance[[0, 1]] > 0.99); // far from the data, but near each other
    /// let drawn = fitted.sample(&new, Predictive::Latent, 5, 0)?.values;
    /// assert_eq!(drawn.dim(), (5, 2, 1));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`predict_with`](Self::predict_with); [`Error::OverBudget`](crate::Error::OverBudget) before anything is
    /// allocated if the covariance does not fit the model's
    /// [memory budget](super::SparseGpRegressor::memory_budget).
    pub fn predict_joint(&self, x: impl Inputs, what: Predictive) -> Result<JointPrediction<D>> {
        self.joint("FittedSparseGp::predict_joint", x.inputs().view(), what, 0)
    }

    /// The same, if there is room for it and for `count` functions.
    fn joint(
        &self,
        op: &'static str,
        x: ArrayView2<f64>,
        what: Predictive,
        count: usize,
    ) -> Result<JointPrediction<D>> {
        let noise = what.noise(&Noise::Same(self.noise()))?;
        inputs(op, x, self.z.cols())?;
        // In floating point: no size is so large that it overflows.
        let (t, m, values) = (x.nrows() as f64, self.z.rows() as f64, count as f64 * self.beta.cols() as f64);
        let need = 8.0 * t * (MATRICES * t + 3.0 * m + 2.0 * x.ncols() as f64 + values);
        affords(op, need as u64, self.model().budget(), "ask for variances only")?;
        let mean = self.each(x, |_, _, _| Ok(()))?;
        let points = Matrix::from_host(x.to_owned());
        let a = whitened(self.kernel(), &self.z, &self.l, &points)?;
        let mut covariance = gram(self.kernel(), &points, None)?.into_array()?;
        covariance -= &syrk(1.0, &a, Trans::Yes)?.into_array()?;
        // That of a semi-definite matrix: below zero by rounding only.
        covariance.diag_mut().mapv_inplace(|v| left(v, 0.0) + noise);
        let b = solve_triangular(&self.lb, Triangle::Lower, Trans::No, Side::Left, &a)?;
        covariance += &syrk(1.0, &b, Trans::Yes)?.into_array()?;
        finite(op, "the covariance", covariance.view())?;
        Ok(JointPrediction::new(mean, covariance))
    }

    /// Functions, or observations, drawn from the posterior at the rows of `x`: `count x t x p`.
    ///
    /// # Errors
    /// As [`predict_joint`](Self::predict_joint); [`Error::Shape`](crate::Error::Shape) for a count of zero.
    pub fn sample(&self, x: impl Inputs, what: Predictive, count: usize, seed: u64) -> Result<Samples> {
        let x = x.inputs();
        let joint = self.joint("FittedSparseGp::sample", x.view(), what, count)?;
        let prior = gram_diagonal(self.kernel(), &Matrix::from_host(x.to_owned()))?.into_array()?;
        joint.draw(prior.mean().unwrap_or(0.0), count, seed)
    }
}
