//! What factor analysis has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::check::{columns, numbers, require};
#[cfg(feature = "serde")]
use crate::check::{finite, parameter, positive};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, InverseTransform, Report, Reported, Sample, Score, Transform};
use crate::linalg::small_cholesky::Small;
use crate::models::latent::centred::project;
use crate::models::latent::gaussian::Subspace;
use crate::saved::Format;
use crate::{Device, Result};

/// A fitted model `x ~ N(m, W W^T + diag(ψ))`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedFactorAnalysis {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    loadings: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    noise_variances: Array1<f64>,
    count: usize,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedFactorAnalysis {
    /// The mean m.
    mean: &Array1<f64>,
    /// The loadings W, `d x k`; the entry of each column that is largest in size is positive.
    loadings: &Array2<f64>,
    /// The noise variances ψ.
    noise_variances: &Array1<f64>,
    /// How the fit went: the log-likelihood at the start and after each iteration, which never falls.
    report: &Report,
    /// Where data are processed.
    device: &Device,
});

inherent!(FittedFactorAnalysis: Transform, InverseTransform, Sample, Score);

impl FittedFactorAnalysis {
    pub(super) fn new(
        mean: Array1<f64>,
        loadings: Array2<f64>,
        noise_variances: Array1<f64>,
        count: usize,
        report: Report,
    ) -> Self {
        let (format, device) = (Format, Device::cpu());
        FittedFactorAnalysis { format, mean, loadings, noise_variances, count, report, device }
    }

    /// The log-likelihood `Σ log p(x_i)` of the data it was fitted to.
    pub fn log_likelihood(&self) -> f64 {
        self.report.objective()
    }

    /// The same model, with data processed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    /// `W W^T + diag(ψ)`.
    pub fn covariance(&self) -> Array2<f64> {
        let mut c = self.loadings.dot(&self.loadings.t());
        let mut diagonal = c.diag_mut();
        diagonal += &self.noise_variances;
        c
    }

    /// `(I + W^T ψ⁻¹ W)⁻¹`, the covariance of the factors given x, which is the same for every x.
    ///
    /// # Errors
    /// None in theory.
    pub fn posterior_covariance(&self) -> Result<Array2<f64>> {
        Ok(self.posterior()?.inverse(self.loadings.ncols()))
    }

    /// The log density `log p(x_i)` of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// As [`FittedFactorAnalysis::transform`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        columns("FittedFactorAnalysis::score_samples", x.view(), self.mean.len())?;
        numbers("FittedFactorAnalysis::score_samples", "x", x.view())?;
        let roots = self.noise_variances.mapv(f64::sqrt);
        // In units of its noise every column has noise 1.
        let gaussian = self.white(&roots)?;
        let jacobian = roots.mapv(f64::ln).sum();
        Ok(gaussian.log_density(&self.device, (&x / &roots).view())? - jacobian)
    }

    /// The points of the subspace that the posterior means stand for: `W E[z | x] + m`.
    ///
    /// # Errors
    /// As [`FittedFactorAnalysis::transform`].
    pub fn reconstruct(&self, x: impl Inputs) -> Result<Array2<f64>> {
        self.inverse_transform(self.transform(x)?)
    }

    /// The number of free parameters: `d k - k (k - 1) / 2` of W, d of ψ and d of the mean.
    pub fn parameters(&self) -> usize {
        let (d, k) = self.loadings.dim();
        d * k + 2 * d - k * (k - 1) / 2
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood()
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * (self.count as f64).ln() - 2.0 * self.log_likelihood()
    }

    fn white(&self, roots: &Array1<f64>) -> Result<Subspace> {
        let w = &self.loadings / &roots.view().insert_axis(Axis(1));
        Subspace::of(&self.mean / roots, w.view(), 1.0)
    }

    fn posterior(&self) -> Result<Small> {
        let precise = &self.loadings / &self.noise_variances.view().insert_axis(Axis(1));
        let mut inner = self.loadings.t().dot(&precise);
        inner.diag_mut().mapv_inplace(|v| v + 1.0);
        Small::new("FittedFactorAnalysis, posterior", inner.view())
    }
}

/// The expected factors `E[z | x] = (I + W^T ψ⁻¹ W)⁻¹ W^T ψ⁻¹ (x - m)`.
impl Transform for FittedFactorAnalysis {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedFactorAnalysis::transform", x, self.mean.len())?;
        numbers("FittedFactorAnalysis::transform", "x", x)?;
        let precise = &self.loadings / &self.noise_variances.view().insert_axis(Axis(1));
        let encoder = self.posterior()?.solve_rows(precise.view());
        project(&self.device, x, self.mean.view(), encoder.view())
    }
}

/// `E[x | z] = W z + m`.
impl InverseTransform for FittedFactorAnalysis {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.loadings.ncols();
        let what = || format!("z has {} columns for {k} factors", z.ncols());
        require("FittedFactorAnalysis::inverse_transform", z.ncols() == k, what)?;
        numbers("FittedFactorAnalysis::inverse_transform", "z", z)?;
        Ok(z.dot(&self.loadings.t()) + &self.mean)
    }
}

impl Sample for FittedFactorAnalysis {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let roots = self.noise_variances.mapv(f64::sqrt);
        Ok(self.white(&roots)?.sample(count, seed)? * &roots)
    }
}

/// The mean log density.
impl Score for FittedFactorAnalysis {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedFactorAnalysis {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedFactorAnalysis);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedFactorAnalysis {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedFactorAnalysis";
        let (d, k) = self.loadings.dim();
        finite(OP, "the loadings", self.loadings.view())?;
        let lengths = [self.mean.len(), self.noise_variances.len()];
        require(OP, k > 0 && lengths == [d; 2], || {
            format!("{k} factors in {d} dimensions, the mean and the noise variances in {lengths:?}")
        })?;
        finite(OP, "the mean", self.mean.view().insert_axis(Axis(0)))?;
        self.noise_variances.iter().try_for_each(|&v| positive("noise_variances", v))?;
        require(OP, self.count > 0, || "it was fitted to nothing".to_owned())?;
        let log_likelihood = self.log_likelihood();
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")
    }
}
