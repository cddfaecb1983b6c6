//! Predictions: means, variances, covariances.
//!
//! Means are summed in f64 on the host whatever the device: α is about 1/noise times larger than the sum, and f32 would
//! lose what cancels.

use ndarray::{Array, Array2, ArrayView2};

use super::fitted::FittedGp;
use crate::check::{finite, inputs};
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, Predict, PredictDistribution, TargetDim};
use crate::models::gp::prediction::{JointPrediction, Prediction, Predictive, Samples};
use crate::ops::{Trans, gram, gram_diagonal, gram_vec, syrk};
use crate::probability::posterior_variance::{known, left};
use crate::{Matrix, Result};

const OP: &str = "FittedGp::predict";

inherent!(FittedGp<D: TargetDim>: Predict -> Array<f64, D>, PredictDistribution -> Prediction<D>, R2);

impl<D: TargetDim> Predict for FittedGp<D> {
    type Output = Array<f64, D>;

    /// `m(x) + k(x, X)α`.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.means(OP, x).map(D::shaped)
    }
}

impl<D: TargetDim> PredictDistribution for FittedGp<D> {
    type Distribution = Prediction<D>;

    fn predict_distribution(&self, x: ArrayView2<f64>) -> Result<Prediction<D>> {
        self.predict_with(x, Predictive::Observed)
    }
}

impl<D> FittedGp<D> {
    /// The means, one target a column.
    pub(super) fn means(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs(op, x, self.x().ncols())?;
        let (at, alpha) = (Matrix::from_host(x.to_owned()), Matrix::from_host(self.alpha().clone()));
        let sum = gram_vec(self.kernel(), &at, Some(self.points.on_host()), &alpha)?.into_array()?;
        Ok(sum + self.trend().at(x))
    }
}

impl<D: TargetDim> FittedGp<D> {
    /// The distribution of f at each row of `x`: noise is not included.
    ///
    /// # Errors
    /// As [`FittedGp::predict_with`].
    pub fn predict_latent(&self, x: impl Inputs) -> Result<Prediction<D>> {
        self.predict_with(x, Predictive::Latent)
    }

    /// Mean and variance at each row of `x`: the variance is `k(x, x) - k(x, X)C⁻¹k(X, x)`, and the noise that is asked
    /// for.
    ///
    /// Without a stored covariance that takes a solve by conjugate gradients for each of them, 64 at a time, and up to three
    /// more where the noise is so small that the first does not settle the variance; [`Prediction::excess`] says how far
    /// variances may be above the exact ones.
    ///
    /// # Errors
    /// As [`FittedGp::predict`], and [`Error::Overflow`](crate::Error::Overflow) for a variance that overflows;
    /// [`Error::Parameter`](crate::Error::Parameter) for noise that is not known or not a variance;
    /// [`Error::NoConvergence`](crate::Error::NoConvergence) without a stored covariance.
    pub fn predict_with(&self, x: impl Inputs, what: Predictive) -> Result<Prediction<D>> {
        let x = x.inputs();
        let noise = what.noise(self.noise())?;
        let mean = self.means(OP, x.view())?;
        let (variance, excess) = self.conditioned.posterior.variances(&self.model, &self.points, x.view())?;
        let variance = variance + noise;
        known(OP, 0, &variance)?;
        Ok(Prediction::new(mean, variance, excess))
    }

    /// Mean and covariance between all rows of `x`: `k(x, x') - k(x, X)C⁻¹k(X, x')`, with noise on the diagonal if
    /// asked. On a GPU the solve is refined, column by column.
    ///
    /// # Errors
    /// As [`FittedGp::predict_with`] and [`FittedGp::factor`]; [`Error::OverBudget`](crate::Error::OverBudget) before
    /// anything is allocated if the m x m covariance does not fit the
    /// [memory budget](super::GpRegressor::memory_budget).
    pub fn predict_joint(&self, x: impl Inputs, what: Predictive) -> Result<JointPrediction<D>> {
        self.joint("FittedGp::predict_joint", x.inputs().view(), what, 0)
    }

    /// Functions, or observations, drawn from the posterior at the rows of `x`: `count x m x q`.
    ///
    /// # Errors
    /// As [`FittedGp::predict_joint`]; [`Error::Shape`](crate::Error::Shape) for a count of zero.
    pub fn sample(&self, x: impl Inputs, what: Predictive, count: usize, seed: u64) -> Result<Samples> {
        let x = x.inputs();
        let joint = self.joint("FittedGp::sample", x.view(), what, count)?;
        let prior = gram_diagonal(self.kernel(), &Matrix::from_host(x.to_owned()))?.into_array()?;
        joint.draw(prior.mean().unwrap_or(0.0), count, seed)
    }

    /// A joint prediction, if there is room for it and for `count` functions.
    fn joint(
        &self,
        op: &'static str,
        x: ArrayView2<f64>,
        what: Predictive,
        count: usize,
    ) -> Result<JointPrediction<D>> {
        let factor = self.stored(op, "ask for variances only")?;
        let refined = factor.factor().device().is_gpu();
        self.model.affords_joint(op, (self.y.nrows(), x.nrows()), (count, self.y.ncols()), refined)?;
        let noise = what.noise(self.noise())?;
        let mean = self.means(op, x)?;
        let at = Matrix::from_host(x.to_owned());
        let across = gram(self.kernel(), self.points.on_host(), Some(&at))?;
        let explained = if refined {
            let across = across.into_array()?;
            let explained = across.t().dot(&factor.solve(across.view())?.x);
            (&explained + &explained.t()) * 0.5
        } else {
            syrk(1.0, &factor.whiten(across)?, Trans::Yes)?.into_array()?
        };
        let mut covariance = gram(self.kernel(), &at, None)?.into_array()? - explained;
        covariance.diag_mut().mapv_inplace(|v| left(v, 0.0) + noise);
        finite(op, "the covariance", covariance.view())?;
        Ok(JointPrediction::new(mean, covariance))
    }
}
