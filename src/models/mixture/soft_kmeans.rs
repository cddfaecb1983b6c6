//! Soft k-means: Gaussians of one fixed variance. Checked in `tests/mixture/gaussian_theorems.rs`.

use ndarray::{Array1, ArrayView2};

use crate::inference::em::Em;
use crate::models::mixture::{
    Covariance, CovarianceKind, FittedGaussianMixture, GaussianMixture, MixtureStart,
};
use crate::{Device, Error, Result};

/// `Q_ik ∝ π_k exp(-|x_i - μ_k|^2 / 2σ²)`, `μ_k = sum_i Q_ik x_i / sum_i Q_ik`, `π_k = sum_i Q_ik / n`: EM for Gaussians with
/// the covariance σ² I, which is not learned.
///
/// As σ² goes to zero it becomes [`KMeans`](super::KMeans); as it grows all centres meet in the mean.
///
/// ```
/// use mercer::{Device, models::cluster::SoftKMeans};
/// let x = ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.5]];
/// let fit = SoftKMeans::new(2, 1.0).fit(&Device::cpu(), x.view())?;
/// assert!((fit.log_likelihood + 10.395371).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftKMeans {
    /// K.
    pub clusters: usize,
    /// σ², in squared units of x.
    pub variance: f64,
    /// Where to start.
    pub start: MixtureStart,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
}

impl SoftKMeans {
    /// k clusters of the given variance, from one start by k-means.
    pub fn new(k: usize, variance: f64) -> Self {
        SoftKMeans { clusters: k, variance, start: MixtureStart::KMeans, em: Em::default() }
    }

    /// Fits the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// As [`GaussianMixture::fit`]; [`Error::Parameter`] if the variance is not positive.
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedGaussianMixture> {
        let value = self.variance;
        if !(value > 0.0 && value.is_finite()) {
            let (name, requirement) = ("variance".to_owned(), "must be positive and finite");
            return Err(Error::Parameter { name, value, requirement });
        }
        let fixed = Covariance::Spherical(Array1::from_elem(self.clusters, self.variance));
        let mixture = GaussianMixture {
            covariance: CovarianceKind::Fixed(fixed),
            start: self.start.clone(),
            em: self.em.clone(),
            ..GaussianMixture::new(self.clusters)
        };
        mixture.fit(device, x)
    }
}
