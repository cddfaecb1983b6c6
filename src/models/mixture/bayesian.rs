//! Mixtures of Gaussians with priors on everything, by variational Bayes. Checked in `tests/mixture/bayesian.rs` against
//! scikit-learn, by theorems, and on every adapter.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::bayesian_em::{BayesianEm, Posterior, Prior};
use super::bayesian_fitted::FittedBayesianGaussianMixture;
use super::factors::lower_cholesky;
use super::start::{MixtureStart, memberships};
use super::sufficient::GaussianStatistics;
use crate::check::components;
use crate::inference::em::{Em, Observations};
use crate::ops::{Second, moments};
use crate::{Device, Error, Matrix, Result};

/// The prior over the weights.
#[derive(Debug, Clone, Copy, PartialEq)]
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
/// use mercer::{Device, models::mixture::{BayesianGaussianMixture, WeightPrior}};
/// let x = ndarray::Array2::from_shape_fn((80, 1), |(i, _)| (i % 2 * 10) as f64 + (i * i % 17) as f64 / 17.0);
/// let model = BayesianGaussianMixture { weight_prior: WeightPrior::DirichletProcess(0.1), ..BayesianGaussianMixture::new(5) };
/// let fit = model.fit(&Device::cpu(), x.view())?;
/// assert_eq!(fit.weights.iter().filter(|&&w| w > 0.05).count(), 2);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BayesianGaussianMixture {
    /// K, of which few may be used.
    pub components: usize,
    /// Over π.
    pub weight_prior: WeightPrior,
    /// `m_0`; the mean of the data if `None`.
    pub mean_prior: Option<Array1<f64>>,
    /// `κ_0`: how many observations the prior of a mean is worth.
    pub mean_precision_prior: f64,
    /// `ν_0`, above d - 1; d if `None`.
    pub degrees_of_freedom_prior: Option<f64>,
    /// `W_0^-1`; the covariance of the data (with n - 1) if `None`.
    pub covariance_prior: Option<Array2<f64>>,
    /// Where to start; parameters cannot be given.
    pub start: MixtureStart,
    /// Iterations, tolerance, restarts, seed, progress.
    pub em: Em,
}

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
            start: MixtureStart::KMeans,
            em: Em { max_iterations: 500, ..Em::default() },
        }
    }

    /// Fits the rows of `x`, `n x d`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if K is zero or above n or a prior out of its domain; [`Error::Shape`], [`Error::NotFinite`];
    /// [`Error::NotPositiveDefinite`] if the covariance prior is not, as that of data with a constant column; give one
    /// then. [`Error::Cancelled`].
    pub fn fit(&self, device: &Device, x: ArrayView2<f64>) -> Result<FittedBayesianGaussianMixture> {
        self.fit_weighted(device, x, None)
    }

    /// [`BayesianGaussianMixture::fit`] with a weight for each row: a weight of 2 is that row twice.
    ///
    /// # Errors
    /// As [`BayesianGaussianMixture::fit`], and for weights that are negative, not finite, all zero or not n.
    pub fn fit_weighted(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        weights: Option<&[f64]>,
    ) -> Result<FittedBayesianGaussianMixture> {
        let ((n, d), k) = (x.dim(), self.components);
        components("components", k, n)?;
        let device = device.suited_to(4.0 * (n * d * d * k) as f64 * self.em.max_iterations as f64);
        let rows = Observations::new(&device, x, weights)?;
        let prior = self.prior(x)?;
        let model = BayesianEm { prior: &prior, single: device.is_gpu() };
        let run = self.em.run(&model, std::slice::from_ref(&rows), |seed| {
            let labels = self.start.labels(&device, x, weights, k, seed)?;
            begin(&model, x, memberships(&labels, k, weights)?)
        })?;
        Ok(FittedBayesianGaussianMixture::new(&prior, device, run))
    }

    fn prior(&self, x: ArrayView2<f64>) -> Result<Prior> {
        let (n, d) = x.dim();
        let op = "BayesianGaussianMixture";
        if matches!(self.start, MixtureStart::Given(_)) {
            let what = "a start by parameters says nothing of their uncertainty; choose another".to_owned();
            return Err(Error::Shape { op, what });
        }
        let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let covariance = || {
            let z = &x - &mean;
            z.t().dot(&z) / (n as f64 - 1.0).max(1.0)
        };
        let covariance = self.covariance_prior.clone().unwrap_or_else(covariance);
        let mean = self.mean_prior.clone().unwrap_or(mean.clone());
        if mean.len() != d || covariance.dim() != (d, d) {
            let what =
                format!("the priors are for {} and {:?} dimensions, x has {d}", mean.len(), covariance.dim());
            return Err(Error::Shape { op, what });
        }
        let degrees = self.degrees_of_freedom_prior.unwrap_or(d as f64);
        let (WeightPrior::Dirichlet(concentration) | WeightPrior::DirichletProcess(concentration)) =
            self.weight_prior;
        let positive = "must be positive and finite";
        for (name, value, least, requirement) in [
            ("weight_prior", concentration, 0.0, positive),
            ("mean_precision_prior", self.mean_precision_prior, 0.0, positive),
            ("degrees_of_freedom_prior", degrees, d as f64 - 1.0, "must be finite and above d - 1"),
        ] {
            if !(value > least && value.is_finite()) {
                return Err(Error::Parameter { name: name.to_owned(), value, requirement });
            }
        }
        let l = lower_cholesky(covariance.view()).map_err(|e| match e {
            Error::NotPositiveDefinite { pivot, value, .. } => {
                Error::NotPositiveDefinite { op, pivot, value }
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
