//! Predictions: means, variances, covariances.
//!
//! Means are summed in f64 on the host whatever the device: α is about 1/noise times larger than the sum, and f32 would
//! lose what cancels.

use ndarray::{Array1, Array2, ArrayView2};

use super::fitted::{FittedGp, Posterior};
use crate::linalg::Noise;
use crate::check::{finite, inputs};
use crate::learn::metrics::r_squared;
use crate::probability::posterior_variance::{known, left};
use crate::ops::{Trans, gram, gram_vec, syrk};
use crate::{Error, Kernel, Matrix, Result};

/// Which quantity is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Predictive {
    /// The function f(x).
    #[default]
    Latent,
    /// A new observation y = f(x) + ε, with the noise of the model. Not for a model with a noise for each point, which
    /// does not know that of a new one.
    Observed,
    /// A new observation with noise of this variance.
    ObservedWith(f64),
}

/// Means and variances at some inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// `m x q`.
    pub mean: Array2<f64>,
    /// One for each input, the same for all columns of the mean. Never negative.
    pub variance: Array1<f64>,
}

impl Prediction {
    /// The standard deviations.
    pub fn std(&self) -> Array1<f64> {
        self.variance.mapv(f64::sqrt)
    }
}

/// Means and variances, and how much too large the variances may be.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundedPrediction {
    /// Means and variances.
    pub prediction: Prediction,
    /// A bound of `variance - exact variance`, which is never negative: `|r|² / noise` for the residual r of the
    /// solve that the variance was made of. Zero if the covariance was stored.
    pub excess: Array1<f64>,
}

/// Means at some inputs, and the covariance between all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPrediction {
    /// `m x q`.
    pub mean: Array2<f64>,
    /// `m x m`, the same for all columns of the mean. Its diagonal is never negative.
    pub covariance: Array2<f64>,
}

/// The variance of the noise in what is predicted.
pub(super) fn noise_of(noise: &Noise, what: Predictive) -> Result<f64> {
    let (value, requirement) = match (what, noise) {
        (Predictive::Latent, _) => (0.0, ""),
        (Predictive::Observed, Noise::Same(v)) => (*v, ""),
        (Predictive::Observed, Noise::Each(_)) => {
            (f64::NAN, "the noise at new points is not known; say what it is with ObservedWith")
        }
        (Predictive::ObservedWith(v), _) => (v, "a variance must be finite and not negative"),
    };
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Parameter { name: "noise".to_owned(), value, requirement })
}

/// `k(x, X)α` at `x`, both of them on the host.
pub(super) fn spread(kernel: &Kernel, x: &Matrix, data: &Matrix, alpha: &Array2<f64>) -> Result<Array2<f64>> {
    gram_vec(kernel, x, Some(data), &Matrix::from_host(alpha.clone()))?.into_array()
}

impl FittedGp {
    /// The mean at each row of `x`: `m(x) + k(x, X)α`, `m x q`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `x` is empty or has another number of features, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedGp::predict", x, self.x.cols())?;
        Ok(self.spread(x)? + self.trend().at(x))
    }

    /// `k(x, X)α`.
    fn spread(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let at = Matrix::from_host(x.to_owned());
        spread(self.kernel(), &at, &self.x, self.alpha())
    }

    /// Mean and variance at each row of `x`: the variance is `k(x, x) - k(x, X)C⁻¹k(X, x)`, and the noise if asked.
    ///
    /// Without a stored covariance that takes a solve by conjugate gradients for each of them, 64 at a time, and up to three
    /// more where the noise is so small that the first does not settle the variance.
    ///
    /// # Errors
    /// As [`FittedGp::predict`], and [`Error::NotFinite`] for a variance that overflows; [`Error::Parameter`] for noise that
    /// is not known or not a variance; [`Error::NoConvergence`] without a stored covariance.
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<Prediction> {
        Ok(self.predict_bounded(x, what)?.prediction)
    }

    /// [`FittedGp::predict_variance`], and how far its variances may be above the exact ones if the covariance was not
    /// stored.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`].
    pub fn predict_bounded(&self, x: ArrayView2<f64>, what: Predictive) -> Result<BoundedPrediction> {
        let noise = noise_of(&self.model.noise, what)?;
        inputs("FittedGp::predict", x, self.x.cols())?;
        let (spread, variance, excess) = match &self.posterior {
            Posterior::Stored(stored) => {
                let (spread, variance) = stored.moments(self.kernel(), x)?;
                (spread, variance, Array1::zeros(x.nrows()))
            }
            Posterior::MatrixFree(parts) => {
                let (variance, excess) = parts.variances(self.kernel(), x, &self.model.large)?;
                (self.spread(x)?, variance, excess)
            }
        };
        let mean = spread + self.trend().at(x);
        let prediction = Prediction { mean, variance: variance + noise };
        known("FittedGp::predict", 0, &prediction.variance)?;
        Ok(BoundedPrediction { prediction, excess })
    }

    /// How well the means predict `y` at the rows of `x`: R², the mean over the columns of y.
    ///
    /// # Errors
    /// As [`FittedGp::predict`]; [`Error::Shape`] if `y` has another shape or fewer than two rows.
    pub fn score(&self, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        r_squared("FittedGp::score", y, self.predict(x)?.view())
    }

    /// Mean and covariance between all rows of `x`: `k(x, x') - k(x, X)C⁻¹k(X, x')`, with noise on the diagonal if
    /// asked. On a GPU the solve is refined, column by column.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`] and [`FittedGp::factor`]; [`Error::OverBudget`] before anything is allocated if the
    /// m x m covariance does not fit the [memory budget](super::GpRegressor::memory_budget).
    pub fn predict_joint(&self, x: ArrayView2<f64>, what: Predictive) -> Result<JointPrediction> {
        self.joint("FittedGp::predict_joint", x, what, 0)
    }

    /// The same, if there is room for it and for `count` functions.
    pub(super) fn joint(
        &self,
        op: &'static str,
        x: ArrayView2<f64>,
        what: Predictive,
        count: usize,
    ) -> Result<JointPrediction> {
        let stored = self.stored(op, "ask for variances only")?;
        self.model.affords_joint(op, (self.x.rows(), x.nrows()), (count, self.y.ncols()), stored.on_gpu())?;
        let noise = noise_of(&self.model.noise, what)?;
        let mean = self.predict(x)?;
        let at = Matrix::from_host(x.to_owned());
        let across = gram(self.kernel(), &self.x, Some(&at))?;
        let explained = if stored.on_gpu() {
            let across = across.into_array()?;
            let explained = across.t().dot(&stored.factor().solve(across.view())?.x);
            (&explained + &explained.t()) * 0.5
        } else {
            syrk(1.0, &stored.factor().whiten(across)?, Trans::Yes)?.into_array()?
        };
        let mut covariance = gram(self.kernel(), &at, None)?.into_array()? - explained;
        covariance.diag_mut().mapv_inplace(|v| left(v, 0.0) + noise);
        finite("FittedGp::predict_joint", "the covariance", covariance.view())?;
        Ok(JointPrediction { mean, covariance })
    }
}
