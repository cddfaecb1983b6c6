//! What a mixture of Gaussians is to fit, and how.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::covariance::{Covariance, CovarianceKind};
use super::fitted::FittedGaussianMixture;
use super::missing::column_means;
use super::start::MixtureStart;
use super::steps::{Batch, GaussianEm};
use crate::check::{components, not_negative, require};
use crate::inference::em::{Batches, Em, Uploaded, em_setters, first_part};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Ranks, fits_across, meet};
use crate::{Device, Result};

pub(super) const OP: &str = "GaussianMixture::fit";

/// `p(x) = sum_k π_k N(x | μ_k, Σ_k)`, by maximum likelihood.
///
/// Responsibilities are computed in the log domain. No eigenvalue of a covariance falls below `covariance_floor`: the
/// likelihood, which has no maximum where a component shrinks onto a point, has one under that constraint, and EM still
/// never lowers it. Components that ended on the floor, or without any data, are listed in the fitted value.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[-2.1], [-1.9], [-2.0], [-2.2], [3.0], [3.4], [2.6], [3.1]];
/// let fit = GaussianMixture::new(2).fit(&Device::cpu(), &x)?;
/// let near = fit.predict(ndarray::array![[-2.0], [3.0]])?;
/// assert!((fit.means()[[near[0], 0]] + 2.05).abs() < 1e-3);
/// assert!((fit.weights()[near[1]] - 0.5).abs() < 1e-3);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) if K is zero or above n or a setting out of its domain; [`Error::NotFinite`](crate::Error::NotFinite) (a NaN only if values
/// may not be missing, or a column has no others); [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if a component collapses and the floor
/// is zero.
#[derive(Debug, Clone)]
pub struct GaussianMixture {
    pub(super) components: usize,
    pub(super) covariance: CovarianceKind,
    pub(super) covariance_floor: f64,
    pub(super) start: MixtureStart,
    pub(super) missing: bool,
    em: Em,
}

/// The parameters of a mixture of Gaussians.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianParams {
    /// The weights π, of length K.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub weights: Array1<f64>,
    /// The means μ, `K x d`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub means: Array2<f64>,
    /// The covariances Σ.
    pub covariance: Covariance,
}

crate::saved::wired!(GaussianParams { weights, means, covariance });

setters!(GaussianMixture {
    /// How many components there are: K.
    components: usize,
    /// What the covariances may be; full ones by default.
    covariance: CovarianceKind,
    /// The least eigenvalue of a covariance, in squared units of x; 1e-6 by default. Zero allows any, and a component
    /// that collapses is then an error.
    covariance_floor: f64,
    /// Where to start; from the clusters of k-means by default.
    start: MixtureStart,
    /// Whether a NaN in the data is a missing value. It then has its conditional expectation at every iteration, which
    /// runs on the CPU.
    missing: bool,
});

em_setters!(GaussianMixture: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(GaussianMixture: Fit -> FittedGaussianMixture);

impl GaussianMixture {
    /// k components with full covariances of eigenvalues at least 1e-6, from one start by k-means.
    pub fn new(k: usize) -> Self {
        GaussianMixture {
            components: k,
            covariance: CovarianceKind::Full,
            covariance_floor: 1e-6,
            start: MixtureStart::KMeans,
            missing: false,
            em: Em::new(),
        }
    }

    pub(in crate::models::mixture) fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedGaussianMixture> {
        let labelled = matches!(self.start, MixtureStart::Labels(_)) && !all.alone();
        require(OP, !labelled, || "ranks start from parameters or from rows, not from labels".to_owned())?;
        let part = all.part(OP, x)?;
        self.check(part.total, x.ncols())?;
        let new = || Batch::new(OP, device, x, w, self.missing, self.flops(x.dim()));
        let batch = Vec::from_iter((x.nrows() > 0).then(new).transpose()?);
        let exact = batch.first().and_then(Batch::exact).map(|batch| vec![batch]);
        let device = batch.first().map_or_else(Device::cpu, Batch::device);
        let model = GaussianEm::new(self, all.any(OP, device.is_gpu())?);
        let means = if self.missing { column_means(all, OP, x)? } else { Vec::new() };
        let filled = batch.first().and_then(|batch| batch.filled(&means));
        let complete = filled.as_ref().map_or(x, |filled| filled.view());
        let sampled = all.sample(OP, part, complete, w, self.em.seed)?;
        let start = |seed| self.start.params(self, &device, sampled.x.view(), sampled.weights(), seed);
        let em = self.em.known_by(self, x, w);
        let run = em.run_exactly_across(all, &model, &batch, exact.as_ref(), start)?;
        FittedGaussianMixture::new(self, device, run)
    }

    /// [`fit_batches`](Self::fit_batches) of parts that lie on several ranks, each of which visits its own: a file of its
    /// own, or a share of one. The start is made from the first part of every rank.
    ///
    /// # Errors
    /// As `fit_batches`, the same on every rank.
    pub fn fit_batches_across<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        ranks: &dyn Ranks,
        device: &Device,
        data: &D,
    ) -> Result<FittedGaussianMixture> {
        meet(ranks, |all| self.in_batches(all, device, data))
    }

    /// Fits data that come in parts, such as a file larger than memory, each uploaded when it is visited. The start is
    /// made from the first part alone. With [`Mode::Stepwise`](crate::inference::em::Mode::Stepwise) it learns after every
    /// part. There must be no missing values.
    ///
    /// # Errors
    /// As `fit`, and those of reading the parts.
    pub fn fit_batches<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        device: &Device,
        data: &D,
    ) -> Result<FittedGaussianMixture> {
        self.in_batches(&Meeting::alone_here(), device, data)
    }

    fn in_batches<D: Batches<Array2<f64>> + ?Sized>(
        &self,
        all: &Meeting,
        device: &Device,
        data: &D,
    ) -> Result<FittedGaussianMixture> {
        let (first, part) = first_part(all, OP, data)?;
        let columns = first.ncols();
        self.check(part.total, columns)?;
        let device = device.suited_to(self.flops(first.dim()));
        let model = GaussianEm::new(self, all.any(OP, device.is_gpu())?);
        let parts = |device: Device| Uploaded { op: OP, data, device, columns, batch: Batch::Complete };
        let (fast, exact) = (parts(device.clone()), device.is_gpu().then(|| parts(Device::cpu())));
        let sampled = all.sample(OP, part, first.view(), None, self.em.seed)?;
        let start = |seed| self.start.params(self, &device, sampled.x.view(), None, seed);
        // Of the data, what is at hand: how many parts there are, and the first.
        let em = self.em.known_by(&(self, data.count()), first.view(), None);
        let run = em.run_exactly_across(all, &model, &fast, exact.as_ref(), start)?;
        FittedGaussianMixture::new(self, device, run)
    }

    fn flops(&self, (n, d): (usize, usize)) -> f64 {
        let full = matches!(self.covariance, CovarianceKind::Full | CovarianceKind::Tied);
        let each = if full { d as f64 * d as f64 } else { d as f64 };
        4.0 * n as f64 * each * self.components as f64 * self.em.max_iterations as f64
    }

    fn check(&self, n: usize, d: usize) -> Result<()> {
        components("components", self.components, n)?;
        not_negative("covariance_floor", self.covariance_floor)?;
        match &self.covariance {
            CovarianceKind::Fixed(given) => given.check(OP, self.components, d),
            _ => Ok(()),
        }
    }
}
