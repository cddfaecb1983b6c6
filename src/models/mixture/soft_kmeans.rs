//! Soft k-means: Gaussians of one fixed variance. Checked in `tests/mixture/gaussian_theorems.rs`.

use ndarray::{Array1, ArrayView1, ArrayView2};

use super::{Covariance, CovarianceKind, FittedGaussianMixture, GaussianMixture, MixtureStart};
use crate::check::{components, positive};
use crate::inference::em::{Em, em_setters};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, fits_across};
use crate::{Device, Result};

/// `Q_ik ∝ π_k exp(-|x_i - μ_k|^2 / 2σ²)`, `μ_k = sum_i Q_ik x_i / sum_i Q_ik`, `π_k = sum_i Q_ik / n`: EM for Gaussians with
/// the covariance σ² I, which is not learned.
///
/// As σ² goes to zero it becomes [`KMeans`](crate::models::cluster::KMeans); as it grows all centres meet in the mean.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.5]];
/// let fit = SoftKMeans::new(2, 1.0).fit(&Device::cpu(), &x)?;
/// assert!((fit.log_likelihood() + 10.395371).abs() < 1e-4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftKMeans {
    clusters: usize,
    variance: f64,
    start: MixtureStart,
    em: Em,
}

impl SoftKMeans {
    /// k clusters of the given variance, from one start by k-means.
    pub fn new(k: usize, variance: f64) -> Self {
        SoftKMeans { clusters: k, variance, start: MixtureStart::KMeans, em: Em::new() }
    }

    /// The mixture that it is, for n observations.
    fn mixture(&self, n: usize) -> Result<GaussianMixture> {
        positive("variance", self.variance)?;
        components("clusters", self.clusters, n)?;
        let fixed = Covariance::Spherical(Array1::from_elem(self.clusters, self.variance));
        let mixture = GaussianMixture::new(self.clusters).covariance(CovarianceKind::Fixed(fixed));
        Ok(mixture.start(self.start.clone()).em(self.em.clone()))
    }
}

setters!(SoftKMeans {
    /// How many clusters there are: K.
    clusters: usize,
    /// The variance σ² of every cluster, in squared units of x.
    variance: f64,
    /// Where to start; from the clusters of k-means by default.
    start: MixtureStart,
});

em_setters!(SoftKMeans: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(SoftKMeans: Fit -> FittedGaussianMixture);

impl SoftKMeans {
    fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedGaussianMixture> {
        self.mixture(all.part("SoftKMeans::fit", x)?.total)?.run(all, device, x, w)
    }
}
