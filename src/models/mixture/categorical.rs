//! Mixtures of categorical distributions: clusters of texts. Checked in `tests/mixture/discrete.rs`.

use ndarray::ArrayView2;

use super::counts::{Counts, Family, FittedDiscreteMixture};
use crate::models::em::Em;
use crate::{Device, Result};

/// `p(x) ∝ sum_k π_k prod_j θ_kj^x_j`, x counts: texts of K kinds, each word of a text drawn from the kind's own frequencies
/// `θ_k`.
///
/// Symmetric Dirichlet priors of `smoothing` further counts of each category keep the probabilities from zero.
///
/// ```
/// use mercer::{Device, models::mixture::CategoricalMixture};
/// // How often each of five texts has the words "goal", "match", "yeast", "oven".
/// let x = ndarray::array![[3., 2., 0., 0.], [1., 4., 0., 0.], [0., 0., 2., 2.], [0., 1., 4., 3.], [9., 5., 0., 1.]];
/// let fit = CategoricalMixture::new(2).fit(&Device::cpu(), x.view(), None)?;
/// let labels = fit.predict(x.view())?;
/// assert!(labels[0] == labels[1] && labels[0] == labels[4] && labels[2] == labels[3] && labels[0] != labels[2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CategoricalMixture {
    /// K.
    pub components: usize,
    /// Counts that every probability has before any data.
    pub smoothing: f64,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
}

impl CategoricalMixture {
    /// k components, the best of five starts.
    pub fn new(k: usize) -> Self {
        CategoricalMixture { components: k, smoothing: 0.01, em: Em { restarts: 5, ..Em::default() } }
    }

    /// Fits the rows of `x`, `n x d`, counts, each row with a weight if there are any.
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
        Counts { family: Family::Categorical, components, smoothing, em }.fit(device, x, weights)
    }
}
