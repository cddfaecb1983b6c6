//! Hyper-parameters averaged over instead of chosen: `p(f | y) = ∫ p(f | y, θ) p(θ | y) dθ`.

#[cfg(feature = "serde")]
mod saved;


use ndarray::{Array2, ArrayView2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::evidence::Conditioned;
use super::fitted::FittedGp;
use super::matrix_free::dense;
use super::predict::Predictive;
use super::regressor::GpRegressor;
use crate::inference::monte_carlo::sweep;
use super::space::Space;
use crate::linalg::{SpdParams};
use crate::Progress;
use crate::check::{pairs, require};
use crate::{Device, Error, Result};

/// How hyper-parameters are sampled.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SliceParams {
    /// Samples to keep.
    pub samples: usize,
    /// Sweeps over all hyper-parameters before the first that is kept.
    pub burn_in: usize,
    /// Sweeps for each one that is kept.
    pub thin: usize,
    /// First guess at the width of a slice, on the scale of the optimiser.
    pub width: f64,
    /// Of all random decisions.
    pub seed: u64,
    /// Called after every sweep with its number and the log posterior.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Progress,
}

impl Default for SliceParams {
    fn default() -> Self {
        SliceParams { samples: 50, burn_in: 20, thin: 2, width: 1.0, seed: 0, progress: Progress::none() }
    }
}

/// Samples of the hyper-parameters given the data, and predictions averaged over them.
///
/// ```
/// use mercer::models::gp::{GpRegressor, Predictive, Prior, SliceParams};
/// use mercer::{Device, Kernel};
/// use ndarray::array;
///
/// let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![[0.5], [1.0], [-0.3], [-1.0]]);
/// let prior = Prior::LogNormal { mean: 0.0, deviation: 1.0 };
/// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fixed_noise().prior("rbf.lengthscale", prior);
/// let posterior = gp.sample_hyperparameters(&Device::cpu(), x.view(), y.view(), &SliceParams::default())?;
/// let averaged = posterior.predict_variance(array![[1.0]].view(), Predictive::Latent)?;
/// let chosen = gp.fit(&Device::cpu(), x.view(), y.view())?;
/// let one = chosen.predict_variance(array![[1.0]].view(), Predictive::Latent)?;
/// assert!(averaged.variance[[0, 0]] > one.variance[0]); // not knowing the length scale is a doubt too
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BayesianGp {
    model: GpRegressor,
    device: Device,
    x: Array2<f64>,
    y: Array2<f64>,
    names: Vec<String>,
    thetas: Vec<Vec<f64>>,
    log_posterior: Vec<f64>,
    evaluations: usize,
    failures: usize,
}

/// Means and variances of a mixture of processes.
#[derive(Debug, Clone, PartialEq)]
pub struct MixturePrediction {
    /// `m x q`: the mean of the means.
    pub mean: Array2<f64>,
    /// `m x q`: the mean of the variances plus the variance of the means.
    pub variance: Array2<f64>,
}

impl GpRegressor {
    /// Samples hyper-parameters from `p(θ | y) ∝ p(y | θ) p(θ)` by slice sampling, starting where they are.
    ///
    /// A parameter without a prior is uniform, within its bounds, on the scale of the optimiser. A θ at which the
    /// covariance is not positive definite has density zero.
    ///
    /// # Errors
    /// As [`GpRegressor::fit`], also if the covariance at the start is not positive definite; [`Error::OverBudget`] if
    /// it does not fit the [memory budget](GpRegressor::memory_budget), as every sample takes the exact likelihood;
    /// [`Error::Shape`] if nothing is to be sampled; [`Error::Cancelled`].
    pub fn sample_hyperparameters(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        params: &SliceParams,
    ) -> Result<BayesianGp> {
        const OP: &str = "GpRegressor::sample_hyperparameters";
        pairs(OP, x, y)?;
        self.affords(OP, device, (x.nrows(), x.ncols(), y.ncols()), false, "use `SparseGpRegressor`")?;
        let space = self.space(x.nrows())?;
        let SliceParams { samples, burn_in, thin, width, seed, .. } = *params;
        require(OP, !space.names.is_empty(), || "every hyper-parameter is fixed".to_owned())?;
        require(OP, samples > 0 && thin > 0, || "no samples were asked for".to_owned())?;
        let last = samples.checked_mul(thin).and_then(|kept| kept.checked_add(burn_in));
        let last = last.ok_or_else(|| {
            let what = format!("{burn_in} sweeps and {samples} times {thin} are more than can be counted");
            Error::Shape { op: OP, what }
        })?;
        if !(width > 0.0 && width.is_finite()) {
            let requirement = "must be positive and finite";
            return Err(Error::Parameter { name: "width".to_owned(), value: width, requirement });
        }
        let model = GpRegressor { spd: SpdParams { condition: false, ..self.spd }, ..self.clone() };
        let mut at: Vec<f64> =
            self.theta().iter().zip(&space.bounds).map(|(t, (low, high))| t.clamp(*low, *high)).collect();
        let (mut evaluations, mut failures) = (1, 0);
        let mut height = model.log_posterior(device, x, y, &space, &at)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut thetas, mut log_posterior) = (Vec::new(), Vec::new());
        for sweeps in 1..=last {
            height = sweep(&mut at, height, &space.bounds, width, &mut rng, |theta| {
                evaluations += 1;
                match model.log_posterior(device, x, y, &space, theta) {
                    Err(
                        Error::NotPositiveDefinite { .. }
                        | Error::Singular { .. }
                        | Error::NoConvergence { .. },
                    ) => {
                        failures += 1;
                        Ok(f64::NEG_INFINITY)
                    }
                    other => other,
                }
            })?;
            if sweeps > burn_in && (sweeps - burn_in).is_multiple_of(thin) {
                thetas.push(at.clone());
                log_posterior.push(height);
            }
            params.progress.report(OP, sweeps, None, height)?;
        }
        let (x, y, names) = (x.to_owned(), y.to_owned(), space.names);
        let device = device.clone();
        Ok(BayesianGp { model, device, x, y, names, thetas, log_posterior, evaluations, failures })
    }

    /// `log p(y | θ) + log p(θ)`, on the scale of the optimiser.
    fn log_posterior(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        space: &Space,
        theta: &[f64],
    ) -> Result<f64> {
        let conditioned = Conditioned::new(&self.with_theta(theta)?, device, x, y)?;
        Ok(conditioned.log_marginal_likelihood + space.log_prior_of_theta(theta))
    }
}

impl BayesianGp {
    /// What the entries of a sample are.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The samples, on the scale of the optimiser.
    pub fn thetas(&self) -> &[Vec<f64>] {
        &self.thetas
    }

    /// `log p(y | θ) + log p(θ)` of each sample.
    pub fn log_posterior(&self) -> &[f64] {
        &self.log_posterior
    }

    /// Evaluations of the likelihood.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// Those at which the covariance was not positive definite.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// With predictions on another device: after loading they are made on the CPU unless told otherwise.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// The process at one sample of the hyper-parameters.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not so many; as [`GpRegressor::fit`].
    pub fn at(&self, sample: usize) -> Result<FittedGp> {
        let count = self.thetas.len();
        let missing = || Error::Shape { op: "BayesianGp::at", what: format!("sample {sample} of {count}") };
        let theta = self.thetas.get(sample).ok_or_else(missing)?;
        let ((n, d), targets) = (self.x.dim(), self.y.ncols());
        let plan = dense(&self.device, n, d, targets, false);
        FittedGp::new(self.model.with_theta(theta)?, &self.device, self.x.view(), self.y.view(), plan, None)
    }

    /// Mean and variance of the mixture over all samples at each row of `x`.
    ///
    /// Each sample is fitted again, one at a time: the memory is that of one fit.
    ///
    /// # Errors
    /// As [`FittedGp::predict_variance`].
    pub fn predict_variance(&self, x: ArrayView2<f64>, what: Predictive) -> Result<MixturePrediction> {
        let size = (x.nrows(), self.y.ncols());
        // Of the means so far their mean, and the sum of squares about it: no sample is kept for the sake of the next.
        let (mut mean, mut squares) = (Array2::zeros(size), Array2::zeros(size));
        let mut within = Array2::zeros((x.nrows(), 1));
        for s in 0..self.thetas.len() {
            let one = self.at(s)?.predict_variance(x, what)?;
            let (off, known) = (one.mean - &mean, s as f64);
            mean.scaled_add(1.0 / (known + 1.0), &off);
            squares.zip_mut_with(&off, |q: &mut f64, d| *q += d * d * known / (known + 1.0));
            within += &one.variance.insert_axis(Axis(1));
        }
        let variance = (squares + &within) / self.thetas.len() as f64;
        Ok(MixturePrediction { mean, variance })
    }
}
