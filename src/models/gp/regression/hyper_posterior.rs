//! Hyper-parameters averaged over instead of chosen: `p(f | y) = ∫ p(f | y, θ) p(θ | y) dθ`.

use std::marker::PhantomData;

use ndarray::{Array, Array1, Array2, ArrayRef, ArrayView2, Axis, Ix1, Ix2};

use super::evidence::Conditioned;
use super::fitted::FittedGp;
use super::model::GpRegressor;
use crate::check::{pairs, require};
use crate::inference::monte_carlo::{SliceParams, SliceSamples, slice_sample};
use crate::learn::Answer;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::plan::Method;
use crate::learn::ranks::Meeting;
use crate::learn::{Inputs, MeanVariance, Predict, PredictDistribution, TargetDim, Targets};
use crate::models::gp::prediction::Predictive;
use crate::saved::Format;
use crate::{Device, Error, Result};

/// Samples of the hyper-parameters given the data, `θ ~ p(θ | y)`, and predictions averaged over them.
///
/// ```
/// use mercer::inference::monte_carlo::SliceParams;
/// use mercer::prelude::*;
/// use ndarray::array;
///
/// let (x, y) = (array![[-2.0], [-1.0], [0.5], [2.0]], array![0.5_f64, 1.0, -0.3, -1.0]);
/// let prior = Prior::LogNormal { mean: 0.0, deviation: 1.0 };
/// let gp = GpRegressor::new(Kernel::rbf(1.0)).noise(0.1).fixed_noise().prior("rbf.lengthscale", prior);
/// let posterior = gp.sample_hyperparameters(&Device::cpu(), &x, &y, &SliceParams::new())?;
/// let averaged = posterior.predict_with(array![[1.0]], Predictive::Latent)?;
/// let one = gp.fit(&Device::cpu(), &x, &y)?.predict_latent(array![[1.0]])?;
/// assert!(averaged.variance[0] > one.variance[0]); // not knowing the length scale is a doubt too
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedHyperPosterior<D = Ix2> {
    format: Format,
    model: GpRegressor,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    x: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    y: Array2<f64>,
    names: Vec<String>,
    thetas: Vec<Vec<f64>>,
    log_posterior: Vec<f64>,
    evaluations: usize,
    failures: usize,
    targets: PhantomData<D>,
}

/// Means and variances of a mixture of processes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MixturePrediction<D: TargetDim = Ix2> {
    /// The mean of the means, of the form of y.
    pub mean: Array<f64, D>,
    /// The mean of the variances plus the variance of the means, of the form of y.
    pub variance: Array<f64, D>,
}

impl<D: TargetDim> Answer for MixturePrediction<D> {
    fn unfit(&self) -> Option<(f64, usize, usize)> {
        self.mean.unfit().or_else(|| self.variance.unfit())
    }
}

impl MeanVariance for MixturePrediction<Ix1> {
    fn mean_variance(&self) -> (Array1<f64>, Array1<f64>) {
        (self.mean.clone(), self.variance.clone())
    }
}

impl GpRegressor {
    /// Samples hyper-parameters from `p(θ | y) ∝ p(y | θ) p(θ)` by [slice sampling](slice_sample), starting where they are.
    ///
    /// A parameter without a prior is uniform, within its bounds, on the scale of the optimiser. A θ at which the
    /// covariance is not positive definite has density zero.
    ///
    /// # Errors
    /// As [`GpRegressor::fit`], also if the covariance at the start is not positive definite; [`Error::OverBudget`] if
    /// it does not fit the [memory budget](GpRegressor::memory_budget), as every sample takes the exact evidence;
    /// [`Error::Shape`] if nothing is to be sampled; as [`slice_sample`].
    pub fn sample_hyperparameters<D: TargetDim>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = ArrayRef<f64, D>>,
        params: &SliceParams,
    ) -> Result<FittedHyperPosterior<D>> {
        const OP: &str = "GpRegressor::sample_hyperparameters";
        let (x, y) = (x.inputs(), y.targets());
        let (x, y) = (x.view(), D::columns(&y));
        pairs(OP, x, y)?;
        self.affords(OP, device, (x.nrows(), x.ncols(), y.ncols()), false, "use `SparseGpRegressor`")?;
        let space = self.space(x.nrows())?;
        require(OP, !space.names.is_empty(), || "every hyper-parameter is fixed".to_owned())?;
        let spd = self.spd.condition(false);
        let model = GpRegressor { spd, minimiser: None, ..self.clone() };
        let (points, _) = model.place(OP, device, x, y.ncols())?;
        let (mut failures, mut begun) = (0, false);
        let drawn = slice_sample(&self.theta(), &space.bounds, params, |theta| {
            let begins = !std::mem::replace(&mut begun, true);
            match Conditioned::new(
                &Meeting::alone_here(),
                &model.with_theta(theta)?,
                &points,
                y,
                Method::Dense,
            ) {
                Err(
                    Error::NotPositiveDefinite { .. }
                    | Error::Singular { .. }
                    | Error::NoConvergence { .. }
                    | Error::Overflow { .. },
                ) if !begins => {
                    failures += 1;
                    Ok(f64::NEG_INFINITY)
                }
                other => Ok(other?.log_evidence + space.log_prior_of_theta(theta)),
            }
        })?;
        let SliceSamples { points: thetas, log_density: log_posterior, evaluations, .. } = drawn;
        Ok(FittedHyperPosterior {
            format: Format,
            model,
            device: points.device().clone(),
            x: x.to_owned(),
            y: y.to_owned(),
            names: space.names,
            thetas,
            log_posterior,
            evaluations,
            failures,
            targets: PhantomData,
        })
    }
}

getters!(FittedHyperPosterior<D> {
    /// The name of each entry of a sample.
    names: &[String],
    /// The samples, on the scale of the optimiser.
    thetas: &[Vec<f64>],
    /// `log p(y | θ) + log p(θ)` of each sample.
    log_posterior: &[f64],
    /// Evaluations of the evidence.
    evaluations: usize,
    /// Evaluations at which the covariance was not positive definite.
    failures: usize,
    /// The device that predictions are made on.
    device: &Device,
});

inherent!(
    FittedHyperPosterior<D: TargetDim>: Predict -> Array<f64, D>, PredictDistribution -> MixturePrediction<D>, R2
);

impl<D: TargetDim> Predict for FittedHyperPosterior<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        let mut mean = Array2::zeros((x.nrows(), self.y.ncols()));
        for s in 0..self.thetas.len() {
            mean += &self.at(s)?.means("FittedHyperPosterior::predict", x)?;
        }
        Ok(D::shaped(mean / self.thetas.len() as f64))
    }
}

impl<D: TargetDim> PredictDistribution for FittedHyperPosterior<D> {
    type Distribution = MixturePrediction<D>;

    fn predict_distribution(&self, x: ArrayView2<f64>) -> Result<MixturePrediction<D>> {
        self.predict_with(x, Predictive::Observed)
    }
}

impl<D: TargetDim> FittedHyperPosterior<D> {
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
    pub fn at(&self, sample: usize) -> Result<FittedGp<D>> {
        const OP: &str = "FittedHyperPosterior::at";
        let count = self.thetas.len();
        let missing = || Error::Shape { op: OP, what: format!("sample {sample} of {count}") };
        let model = self.model.with_theta(self.thetas.get(sample).ok_or_else(missing)?)?;
        let (points, plan) = model.place(OP, &self.device, self.x.view(), self.y.ncols())?;
        FittedGp::new(&Meeting::alone_here(), model, points, self.y.view(), plan, None)
    }

    /// Mean and variance of the mixture over all samples at each row of `x`.
    ///
    /// Each sample is fitted again, one at a time: the memory is that of one fit.
    ///
    /// # Errors
    /// As [`FittedGp::predict_with`].
    pub fn predict_with(&self, x: impl Inputs, what: Predictive) -> Result<MixturePrediction<D>> {
        let x = x.inputs();
        let size = (x.nrows(), self.y.ncols());
        // Of the means so far their mean, and the sum of squares about it: no sample is kept for the sake of the next.
        let (mut mean, mut squares) = (Array2::zeros(size), Array2::zeros(size));
        let mut within = Array2::zeros((x.nrows(), 1));
        for s in 0..self.thetas.len() {
            let one = self.at(s)?.predict_with(x.view(), what)?;
            let (off, known) = (&D::columns(&one.mean) - &mean, s as f64);
            mean.scaled_add(1.0 / (known + 1.0), &off);
            squares.zip_mut_with(&off, |q: &mut f64, d| *q += d * d * known / (known + 1.0));
            within += &one.variance.insert_axis(Axis(1));
        }
        let variance = (squares + &within) / self.thetas.len() as f64;
        Ok(MixturePrediction { mean: D::shaped(mean), variance: D::shaped(variance) })
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedHyperPosterior<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedHyperPosterior<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedHyperPosterior";
        let (x, y, names, thetas) = (&self.x, &self.y, &self.names, &self.thetas);
        pairs(OP, x.view(), y.view())?;
        D::fits(OP, y.ncols())?;
        self.model.kernel().fits(OP, x.ncols())?;
        let size = (x.nrows(), x.ncols(), y.ncols());
        self.model.affords(OP, &self.device, size, false, "use `SparseGpRegressor`")?;
        let space = self.model.space(x.nrows())?;
        require(OP, *names == space.names, || format!("samples of {names:?}, a model of {:?}", space.names))?;
        for (i, theta) in thetas.iter().enumerate() {
            let within = theta.iter().zip(&space.bounds).all(|(t, (low, high))| (low..=high).contains(&t));
            require(OP, theta.len() == names.len() && within, || {
                format!("sample {i} is {theta:?}, which the model does not allow")
            })?;
        }
        let whole = !thetas.is_empty() && self.log_posterior.iter().all(|v| v.is_finite());
        require(OP, whole && thetas.len() == self.log_posterior.len(), || {
            format!("{} samples, log posterior of {}", thetas.len(), self.log_posterior.len())
        })
    }
}
