//! What a Bayesian mixture of Gaussians is to fit, and how.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

use super::fitted::FittedBayesianGaussianMixture;
use super::steps::{BayesianEm, Posterior, Prior, Shape};
use crate::check::{components, numbers, parameter, positive, require};
use crate::inference::em::{Em, Observations, em_setters};
use crate::learn::configure::setters;
use crate::learn::ranks::{Meeting, Moments, fits_across};
use crate::matrix::{Origin, Points};
use crate::models::mixture::factors::lower_cholesky;
use crate::models::mixture::gaussian::{CovarianceKind, GaussianStatistics, MixtureStart, memberships};
use crate::ops::{Second, moments};
use crate::{Device, Error, Matrix, Result};

const OP: &str = "BayesianGaussianMixture::fit";

/// The prior over the weights.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WeightPrior {
    /// Dirichlet(α, ..., α). A small α leaves components that are not needed without weight.
    Dirichlet(f64),
    /// A Dirichlet process of concentration γ, broken off after K components: K is a bound and not a guess.
    DirichletProcess(f64),
}

/// `π ~ Dirichlet` or a Dirichlet process, `Λ_k ~ Wishart(W_0, ν_0)`, `μ_k | Λ_k ~ N(m_0, (κ_0 Λ_k)^-1)`, `x | k ~ N(μ_k, Λ_k^-1)`.
///
/// The posterior is approximated by `q(z) q(π) prod_k q(μ_k, Λ_k)`. The evidence lower bound rises at every iteration. The
/// predictive density is a mixture of Student-t distributions. Components that the data do not need end with the prior
/// and next to no weight.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((80, 1), |(i, _)| (i % 2 * 10) as f64 + (i * i % 17) as f64 / 17.0);
/// let model = BayesianGaussianMixture::new(5).weight_prior(WeightPrior::DirichletProcess(0.1));
/// let fit = model.fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.weights().iter().filter(|&&w| w > 0.05).count(), 2);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`] if K is zero or above n or a prior out of its domain; [`Error::NotPositiveDefinite`] if the
/// covariance prior is not, as that of data with a constant column; give one then.
#[derive(Debug, Clone)]
pub struct BayesianGaussianMixture {
    components: usize,
    weight_prior: WeightPrior,
    mean_prior: Option<Array1<f64>>,
    mean_precision_prior: f64,
    degrees_of_freedom_prior: Option<f64>,
    covariance_prior: Option<Array2<f64>>,
    covariance: CovarianceKind,
    start: MixtureStart,
    em: Em,
}

setters!(BayesianGaussianMixture {
    /// How many components there can be: K, of which few may be used.
    components: usize,
    /// The prior over the weights π; a Dirichlet process of concentration 1/K by default.
    weight_prior: WeightPrior,
    /// The prior mean `m_0`; the mean of the data by default.
    mean_prior: into Option<Array1<f64>>,
    /// How many observations the prior of a mean is worth: `κ_0`, 1 by default.
    mean_precision_prior: f64,
    /// The degrees of freedom `ν_0` of the prior, above d - 1; d by default.
    degrees_of_freedom_prior: into Option<f64>,
    /// The inverse scale `W_0^-1` of the prior; the covariance of the data (with n - 1) by default.
    covariance_prior: into Option<Array2<f64>>,
    /// What the covariances may be; any by default. Tied components share one Wishart matrix; diagonal ones have a gamma prior for
    /// each precision, `λ_kj ~ Gamma(ν_0/2, W_0^-1_jj/2)`, spherical ones one for all directions, with the mean of the diagonal of
    /// `W_0^-1`; of [`CovarianceKind::Fixed`] covariances, the same for all components, only means
    /// and weights are learned.
    covariance: CovarianceKind,
    /// Where to start; parameters cannot be given. From the clusters of k-means by default.
    start: MixtureStart,
});

em_setters!(BayesianGaussianMixture: max_iterations, tolerance, restarts, seed, mode, progress, checkpoint);

fits_across!(BayesianGaussianMixture: Fit -> FittedBayesianGaussianMixture);

impl BayesianGaussianMixture {
    /// At most k components, a Dirichlet process of concentration 1/k, priors from the data.
    pub fn new(k: usize) -> Self {
        BayesianGaussianMixture {
            components: k,
            weight_prior: WeightPrior::DirichletProcess(1.0 / k.max(1) as f64),
            mean_prior: None,
            mean_precision_prior: 1.0,
            degrees_of_freedom_prior: None,
            covariance_prior: None,
            covariance: CovarianceKind::Full,
            start: MixtureStart::KMeans,
            em: Em::new().max_iterations(500),
        }
    }

    fn run(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedBayesianGaussianMixture> {
        let labelled = matches!(self.start, MixtureStart::Labels(_)) && !all.alone();
        require(OP, !labelled, || "ranks start from rows, not from labels".to_owned())?;
        let (d, k) = (x.ncols(), self.components);
        numbers(OP, "x", x)?;
        let part = all.part(OP, x)?;
        components("components", k, part.total)?;
        let flops = 4.0 * x.len() as f64 * d as f64 * k as f64 * self.em.max_iterations as f64;
        let points = (x.nrows() > 0).then(|| Points::new(OP, device, x, Origin::Free, flops)).transpose()?;
        let new = |points| Observations::unchecked(points, w.map(|w| w.to_owned()));
        let rows = Vec::from_iter(points.map(new));
        let exact = rows.first().and_then(Observations::exact).map(|rows| vec![rows]);
        let device = &rows.first().map_or_else(Device::cpu, |rows| rows.device().clone());
        let prior = self.prior(all, x, w)?;
        let model = BayesianEm { prior: &prior, single: all.any(OP, device.is_gpu())? };
        let sampled = all.sample(OP, part, x, w, self.em.seed)?;
        let em = self.em.known_by(self, x, w);
        let run = em.run_exactly_across(all, &model, &rows, exact.as_ref(), |seed| {
            let (x, w) = (sampled.x.view(), sampled.weights());
            let labels = self.start.labels(device, x, w, k, seed)?;
            begin(&model, x, memberships(&labels, k, w))
        })?;
        Ok(FittedBayesianGaussianMixture::new(prior, device.clone(), run))
    }

    fn prior(&self, all: &Meeting, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>) -> Result<Prior> {
        let d = x.ncols();
        require(OP, !matches!(self.start, MixtureStart::Given(_)), || {
            "a start by parameters says nothing of their uncertainty; choose another".to_owned()
        })?;
        let w = w.map_or_else(|| Array1::ones(x.nrows()), |w| w.to_owned());
        let Moments { mass: n, mean, scatter } = all.moments(OP, Moments::of(x, w.view()))?;
        let covariance = || &scatter / (n - 1.0).max(1.0);
        let covariance = self.covariance_prior.clone().unwrap_or_else(covariance);
        let (shape, covariance) = self.shaped(covariance, d)?;
        let mean = self.mean_prior.clone().unwrap_or(mean.clone());
        require(OP, mean.len() == d && covariance.dim() == (d, d), || {
            format!("the priors are for {} and {:?} dimensions, x has {d}", mean.len(), covariance.dim())
        })?;
        let (WeightPrior::Dirichlet(concentration) | WeightPrior::DirichletProcess(concentration)) =
            self.weight_prior;
        positive("weight_prior", concentration)?;
        positive("mean_precision_prior", self.mean_precision_prior)?;
        let degrees = self.degrees_of_freedom_prior.unwrap_or(d as f64);
        match shape {
            Shape::Full | Shape::Tied => {
                let enough = degrees > d as f64 - 1.0 && degrees.is_finite();
                parameter("degrees_of_freedom_prior", degrees, enough, "must be finite and above d - 1")?;
            }
            _ => positive("degrees_of_freedom_prior", degrees)?,
        }
        let l = lower_cholesky(covariance.view()).map_err(|e| match e {
            Error::NotPositiveDefinite { pivot, value, .. } => {
                Error::NotPositiveDefinite { op: OP, pivot, value }
            }
            e => e,
        })?;
        Ok(Prior {
            weights: self.weight_prior,
            mean,
            precision: self.mean_precision_prior,
            degrees,
            log_det: 2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>(),
            inverse: covariance,
            shape,
        })
    }

    /// The shape of the precisions, and the part of `W_0^-1` that it looks at; covariances that are known take its place.
    fn shaped(&self, prior: Array2<f64>, d: usize) -> Result<(Shape, Array2<f64>)> {
        let k = self.components;
        Ok(match &self.covariance {
            CovarianceKind::Full => (Shape::Full, prior),
            CovarianceKind::Tied => (Shape::Tied, prior),
            CovarianceKind::Diagonal => (Shape::Diagonal, Array2::from_diag(&prior.diag())),
            CovarianceKind::Spherical => {
                let mean = prior.diag().mean().unwrap_or(0.0);
                (Shape::Spherical, Array2::from_diag_elem(prior.nrows(), mean))
            }
            CovarianceKind::Fixed(known) => {
                known.check(OP, k, d)?;
                let one = known.at(0, d);
                require(OP, (1..k).all(|own| known.at(own, d) == one), || {
                    "known covariances must be the same for all components".to_owned()
                })?;
                (Shape::Known, one)
            }
        })
    }
}

/// The M-step of given memberships, on the host: every device starts alike.
fn begin(model: &BayesianEm, x: ArrayView2<f64>, r: Array2<f64>) -> Result<Posterior> {
    let (k, d) = (r.ncols(), x.ncols());
    let about = Array2::from_shape_fn((k, d), |(_, j)| model.prior.mean[j]);
    let [x, r, at] = [x.to_owned(), r, about.clone()].map(Matrix::from_host);
    model.learn(&GaussianStatistics::new(about, moments(&x, &r, &at, Second::Full)?, 0.0))
}
