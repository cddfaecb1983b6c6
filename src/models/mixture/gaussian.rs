//! Mixtures of Gaussians. Checked in `tests/mixture/gaussian.rs` against scikit-learn step by step, by theorems, and on
//! every adapter.

use ndarray::{Array1, Array2, ArrayView2};

use super::covariance::{Covariance, CovarianceKind};
use super::gaussian_em::{Batch, GaussianEm};
use super::gaussian_fitted::FittedGaussianMixture;
use super::start::MixtureStart;
use crate::check::components;
use crate::inference::em::{Batches, Em, Observations};
use crate::{Device, Error, Result};

/// `p(x) = sum_k π_k N(x | μ_k, Σ_k)`, by maximum likelihood.
///
/// Responsibilities are computed in the log domain. No eigenvalue of a covariance falls below `covariance_floor`: the
/// likelihood, which has no maximum where a component shrinks onto a point, has one under that constraint, and EM still
/// never lowers it. Components that ended on the floor, or without any data, are listed in the fitted value.
///
/// ```
/// use mercer::{Device, models::mixture::GaussianMixture};
/// let x = ndarray::array![[-2.1], [-1.9], [-2.0], [-2.2], [3.0], [3.4], [2.6], [3.1]];
/// let fit = GaussianMixture::new(2).fit(&Device::cpu(), x.view())?;
/// let near = fit.predict(ndarray::array![[-2.0], [3.0]].view())?;
/// assert!((fit.params.means[[near[0], 0]] + 2.05).abs() < 1e-3);
/// assert!((fit.params.weights[near[1]] - 0.5).abs() < 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GaussianMixture {
    /// K.
    pub components: usize,
    /// What the covariances may be.
    pub covariance: CovarianceKind,
    /// The least eigenvalue of a covariance, in squared units of x. Zero allows any, and a component that collapses is
    /// then an error.
    pub covariance_floor: f64,
    /// Where to start.
    pub start: MixtureStart,
    /// Whether a NaN in the data is a missing value. It then has its conditional expectation at every iteration, which
    /// runs on the CPU.
    pub missing: bool,
    /// Iterations, tolerance, restarts, seed, mode, progress.
    pub em: Em,
}

/// The parameters of a mixture of Gaussians.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianParams {
    /// π, of length K.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub weights: Array1<f64>,
    /// μ, `K x d`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub means: Array2<f64>,
    /// Σ.
    pub covariance: Covariance,
}

impl GaussianMixture {
    /// k components with full covariances of eigenvalues at least 1e-6, from one start by k-means.
    pub fn new(k: usize) -> Self {
        GaussianMixture {
            components: k,
            covariance: CovarianceKind::Full,
            covariance_floor: 1e-6,
            start: MixtureStart::KMeans,
            missing: false,
            em: Em::default(),
        }
    }

    /// Fits the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n or a setting out of its domain; [`Error::Shape`] for empty data or a
    /// start that does not fit; [`Error::NotFinite`] (a NaN only if values may not be missing, or a column has no
    /// others); [`Error::NotPositiveDefinite`] if a component collapses and the floor is zero; [`Error::Cancelled`].
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedGaussianMixture> {
        self.fit_weighted(device, x, None)
    }

    /// [`GaussianMixture::fit`] with a weight for each row: a weight of 2 is that row twice.
    ///
    /// # Errors
    /// As [`GaussianMixture::fit`], and for weights that are negative, not finite, all zero or not n.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedGaussianMixture> {
        self.check(x.ncols())?;
        components("components", self.components, x.nrows())?;
        let device = if self.missing { Device::cpu() } else { device.suited_to(self.flops(x.dim())) };
        let batch = Batch::new(&device, x, weights, self.missing)?;
        let model = GaussianEm::new(self, &device);
        let filled = batch.filled();
        let rows = filled.as_ref().map_or(x, |filled| filled.view());
        let run = self.em.run(&model, std::slice::from_ref(&batch), |seed| {
            self.start.params(self, &device, rows, weights, seed)
        })?;
        FittedGaussianMixture::new(self, device, run)
    }

    /// Fits data that come in parts, such as a file larger than memory, each uploaded when it is visited. The start is
    /// made from the first part alone. With [`Mode::Stepwise`](crate::inference::em::Mode::Stepwise) it learns after every
    /// part. There must be no missing values.
    ///
    /// # Errors
    /// As [`GaussianMixture::fit`], and those of reading the parts.
    pub fn fit_batches<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        device: &Device,
        data: &D,
    ) -> Result<FittedGaussianMixture> {
        let mut first = None;
        if data.count() > 0 {
            data.visit(0, &mut |x| {
                first = Some(x.clone());
                Ok(())
            })?;
        }
        let first = first
            .ok_or_else(|| Error::Shape { op: "GaussianMixture", what: "there are no data".to_owned() })?;
        self.check(first.ncols())?;
        components("components", self.components, first.nrows())?;
        let device = device.suited_to(self.flops(first.dim()));
        let model = GaussianEm::new(self, &device);
        let parts = Uploaded { data, device: &device, cols: first.ncols() };
        let run =
            self.em.run(&model, &parts, |seed| self.start.params(self, &device, first.view(), None, seed))?;
        FittedGaussianMixture::new(self, device, run)
    }

    fn flops(&self, (n, d): (usize, usize)) -> f64 {
        let each =
            if matches!(self.covariance, CovarianceKind::Full | CovarianceKind::Tied) { d * d } else { d };
        4.0 * n as f64 * each as f64 * self.components as f64 * self.em.max_iterations as f64
    }

    fn check(&self, d: usize) -> Result<()> {
        let value = self.covariance_floor;
        if !(value >= 0.0 && value.is_finite()) {
            let (name, requirement) = ("covariance_floor".to_owned(), "must be finite and not negative");
            return Err(Error::Parameter { name, value, requirement });
        }
        if let CovarianceKind::Fixed(given) = &self.covariance {
            given.check("GaussianMixture", self.components, d)?;
        }
        Ok(())
    }
}

/// Parts of the data, uploaded one at a time.
struct Uploaded<'a, D: ?Sized> {
    data: &'a D,
    device: &'a Device,
    cols: usize,
}

impl<D: Batches<Array2<f64>> + ?Sized> Batches<Batch> for Uploaded<'_, D> {
    fn count(&self) -> usize {
        self.data.count()
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&Batch) -> Result<()>) -> Result<()> {
        self.data.visit(index, &mut |x| {
            if x.ncols() != self.cols {
                let what = format!("part {index} has {} columns, the first {}", x.ncols(), self.cols);
                return Err(Error::Shape { op: "GaussianMixture", what });
            }
            f(&Batch::Complete(Observations::new(self.device, x.view(), None)?))
        })
    }
}
