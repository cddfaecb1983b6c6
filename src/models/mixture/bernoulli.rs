//! Mixtures of Bernoulli distributions. Checked in `tests/mixture/discrete.rs`.

use ndarray::ArrayView2;

use super::counts::{Counts, Family, FittedDiscreteMixture};
use crate::models::em::Em;
use crate::{Device, Result};

/// `p(x) = sum_k π_k prod_j μ_kj^x_j (1 - μ_kj)^(1 - x_j)`, x of zeros and ones: naive Bayes without labels.
///
/// Symmetric Beta priors of `smoothing` further yeses and noes for each feature and component keep the probabilities from
/// zero and one.
///
/// ```
/// use mercer::{Device, models::mixture::BernoulliMixture};
/// let x = ndarray::array![[1., 1., 0., 0.], [1., 1., 1., 0.], [0., 0., 1., 1.], [0., 1., 1., 1.]];
/// let fit = BernoulliMixture::new(2).fit(&Device::cpu(), x.view(), None)?;
/// let labels = fit.predict(x.view())?;
/// assert!(labels[0] == labels[1] && labels[2] == labels[3] && labels[0] != labels[2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BernoulliMixture {
    /// K.
    pub components: usize,
    /// Counts that every probability has before any data.
    pub smoothing: f64,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
}

impl BernoulliMixture {
    /// k components, the best of five starts.
    pub fn new(k: usize) -> Self {
        BernoulliMixture { components: k, smoothing: 0.01, em: Em { restarts: 5, ..Em::default() } }
    }

    /// Fits the rows of `x`, `n x d`, zeros and ones, each with a weight if there are any.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if K is zero or above n, an entry is not what it should be or a
    /// weight is negative; [`Error::Shape`](crate::Error::Shape), [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedDiscreteMixture> {
        let (components, smoothing, em) = (self.components, self.smoothing, &self.em);
        Counts { family: Family::Bernoulli, components, smoothing, em }.fit(device, x, weights)
    }
}
