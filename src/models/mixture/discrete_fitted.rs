//! What a mixture of discrete distributions has learned, and what can be asked of it.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::discrete::{Family, Params, log_joint};
use crate::ops::{logsumexp, softmax};
use crate::{Device, Matrix, Result};

/// Fitted [`BernoulliMixture`](super::BernoulliMixture) or [`CategoricalMixture`](super::CategoricalMixture).
#[derive(Debug, Clone)]
pub struct FittedDiscreteMixture<F> {
    /// π, of length K.
    pub weights: Array1<f64>,
    /// The probability of a yes for each feature, or of each category: `K x d`.
    pub probabilities: Array2<f64>,
    /// `sum_i w_i log p(x_i)`, for counts without the multinomial coefficients.
    pub log_likelihood: f64,
    /// The log-likelihood plus the logarithm of the prior, at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    /// The distribution of a component.
    pub family: F,
    pub(super) device: Device,
}

impl<F: Family> FittedDiscreteMixture<F> {
    /// The most responsible component of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the rows do not have d entries, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let largest = |row: ndarray::ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::MIN), |a, (k, &v)| if v > a.1 { (k, v) } else { a }).0
        };
        Ok(self.predict_proba(x)?.rows().into_iter().map(largest).collect())
    }

    /// Responsibilities, `p(k | x_i)`, `m x K`.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::predict`].
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        softmax(&self.joint(x)?)?.to_array()
    }

    /// `log p(x_i)` of each row, for counts without the multinomial coefficient.
    ///
    /// # Errors
    /// As [`FittedDiscreteMixture::predict`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(logsumexp(&self.joint(x)?)?.to_array()?.index_axis_move(Axis(1), 0))
    }

    fn joint(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        let device = self.device.suited_to(2.0 * x.len() as f64 * self.weights.len() as f64);
        let params = Params { weights: self.weights.clone(), probabilities: self.probabilities.clone() };
        log_joint::<F>(&params, &Matrix::from_array(&device, x)?)
    }
}
