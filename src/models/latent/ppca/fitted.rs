//! What probabilistic PCA has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::Params;
use super::holes::{Holes, Posteriors, posteriors};
#[cfg(feature = "serde")]
use crate::check::parameter;
use crate::check::{columns, finite, numbers, positive, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Inputs, InverseTransform, Report, Reported, Sample, Score, Transform};
use crate::matrix::points::suited;
use crate::models::latent::centred::project;
use crate::models::latent::gaussian::Subspace;
use crate::saved::Format;
use crate::{Device, Result};

/// A fitted model `x ~ N(m, W W^T + σ² I)`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedPpca {
    format: Format,
    gaussian: Subspace,
    log_likelihood: f64,
    relevance: Option<Vec<f64>>,
    count: usize,
    report: Report,
    missing: bool,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    loadings: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedPpca {
    /// The mean m.
    mean => gaussian.mean: &Array1<f64>,
    /// The loadings W, `d x k`: orthogonal columns, the longest first.
    loadings: &Array2<f64>,
    /// The noise variance σ².
    noise_variance => gaussian.noise: f64,
    /// The log-likelihood `Σ log p(x_i)` of the data it was fitted to; of what was observed, if values are missing.
    log_likelihood: f64,
    /// How the fit went; [`Stop::Direct`](crate::learn::Stop::Direct) for the closed form.
    report: &Report,
    /// Where data are processed.
    device: &Device,
});

inherent!(FittedPpca: Transform, InverseTransform, Sample, Score);

impl FittedPpca {
    pub(super) fn new(
        gaussian: Subspace,
        log_likelihood: f64,
        relevance: Option<Array1<f64>>,
        count: usize,
        report: Report,
    ) -> Self {
        FittedPpca {
            format: Format,
            loadings: gaussian.loadings(),
            gaussian,
            log_likelihood,
            relevance: relevance.map(|r| r.to_vec()),
            count,
            report,
            missing: false,
            device: Device::cpu(),
        }
    }

    /// The model `N(m, WWᵀ + σ²I)` with these parameters, which nothing was fitted to: its log-likelihood is that of no
    /// data, zero. W, `d x k`, may be in any rotation; [`loadings`](FittedPpca::loadings) are turned so that their columns are
    /// orthogonal, and with them the latents.
    ///
    /// ```
    /// use mercer::models::latent::FittedPpca;
    /// use ndarray::array;
    /// let model = FittedPpca::given(array![0.0, 0.0], array![[2.0], [1.0]], 0.5)?;
    /// assert!((model.transform(array![[1.0, -0.5]])?[[0, 0]] - 0.2727272727).abs() < 1e-9);
    /// assert!((model.posterior_covariance()[[0, 0]] - 0.0909090909).abs() < 1e-9);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for a mean of another length or more columns than rows,
    /// [`Error::NotFinite`](crate::Error::NotFinite), [`Error::Parameter`](crate::Error::Parameter) for noise that is not
    /// positive.
    pub fn given(mean: Array1<f64>, loadings: Array2<f64>, noise_variance: f64) -> Result<Self> {
        const OP: &str = "FittedPpca::given";
        finite(OP, "the mean", mean.view().insert_axis(Axis(1)))?;
        finite(OP, "the loadings", loadings.view())?;
        positive("noise_variance", noise_variance)?;
        let (d, k) = loadings.dim();
        require(OP, mean.len() == d && k <= d, || format!("{d} x {k} loadings, a mean of {}", mean.len()))?;
        let gaussian = Subspace::of(mean, loadings.view(), noise_variance)?;
        let fitted = Self::new(gaussian, 0.0, None, 0, Report::direct(0.0));
        numbers(OP, "the covariance", fitted.gaussian.variances.view().insert_axis(Axis(1)))?;
        Ok(fitted)
    }

    /// The precisions of the columns of W that were kept, if they were estimated.
    pub fn relevance(&self) -> Option<&[f64]> {
        self.relevance.as_deref()
    }

    /// The same model, with data processed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }

    pub(super) fn with_holes(mut self) -> Self {
        self.missing = true;
        self
    }

    /// How many components there are: those asked for, or those that were found relevant.
    pub fn components(&self) -> usize {
        self.loadings.ncols()
    }

    /// `C = W W^T + σ² I`.
    pub fn covariance(&self) -> Array2<f64> {
        self.gaussian.covariance()
    }

    /// The log density `log p(x_i)` of each row of `x`, `m x d`. A NaN is an entry that was not observed, if the model was
    /// fitted with [`missing`](super::Ppca::missing).
    ///
    /// # Errors
    /// As [`FittedPpca::transform`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let x = x.inputs();
        if self.holes("FittedPpca::score_samples", x.view())? {
            return Ok(self.posteriors(x.view())?.1);
        }
        self.gaussian.log_density(&self.device, x.view())
    }

    /// The posterior covariance of the latents, `σ² M⁻¹`: the same for every row of which all was observed.
    pub fn posterior_covariance(&self) -> Array2<f64> {
        Array2::from_diag(&self.gaussian.posterior_variances())
    }

    /// `x` with every NaN replaced by its expectation given what was observed of its row, `m_j + w_j^T E[z | x]`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite) for an infinity; those of the device.
    pub fn impute(&self, x: impl Inputs) -> Result<Array2<f64>> {
        let x = x.inputs();
        columns("FittedPpca::impute", x.view(), self.mean().len())?;
        no_infinity("FittedPpca::impute", x.view())?;
        let expected = self.inverse_transform(self.posteriors(x.view())?.0)?;
        let mut out = x.to_owned();
        out.zip_mut_with(&expected, |v, e| *v = if v.is_nan() { *e } else { *v });
        Ok(out)
    }

    /// The nearest points of the model's subspace in the sense of the posterior: `W E[z | x] + m`.
    ///
    /// # Errors
    /// As [`FittedPpca::transform`].
    pub fn reconstruct(&self, x: impl Inputs) -> Result<Array2<f64>> {
        self.inverse_transform(self.transform(x)?)
    }

    /// The number of free parameters: `d k + 1 - k (k - 1) / 2` of W and σ², and d of the mean.
    pub fn parameters(&self) -> usize {
        let (d, k) = self.loadings.dim();
        d * k + 1 + d - k * (k - 1) / 2
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * (self.count.max(1) as f64).ln() - 2.0 * self.log_likelihood
    }

    /// Whether there is a NaN that is allowed; an error if it is not.
    fn holes(&self, op: &'static str, x: ArrayView2<f64>) -> Result<bool> {
        columns(op, x, self.mean().len())?;
        if self.missing && x.iter().any(|v| v.is_nan()) {
            no_infinity(op, x)?;
            return Ok(true);
        }
        numbers(op, "x", x).map(|()| false)
    }

    fn posteriors(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        let k = self.components();
        let shift = Array1::zeros(self.mean().len());
        let params = Params { w: self.loadings.clone(), shift, noise: self.noise_variance(), alpha: None };
        let (mut means, mut scores) = (Array2::zeros((0, k)), Array1::zeros(0));
        for rows in
            Holes::of(&suited(&self.device, x, 2.0 * x.len() as f64 * (k * k) as f64), x, self.mean(), k)?
        {
            let Posteriors { means: z, log_likelihood, .. } = posteriors(&params, &rows)?;
            means = ndarray::concatenate![Axis(0), means, z.slice(s![.., ..k])];
            scores = ndarray::concatenate![Axis(0), scores, log_likelihood];
        }
        Ok((means, scores))
    }
}

/// The posterior mean of the latents, `E[z | x] = M⁻¹ W^T (x - m)` with `M = W^T W + σ² I`.
impl Transform for FittedPpca {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.holes("FittedPpca::transform", x)? {
            return Ok(self.posteriors(x)?.0);
        }
        project(&self.device, x, self.mean().view(), self.gaussian.encoder().view())
    }
}

/// `E[x | z] = W z + m`.
impl InverseTransform for FittedPpca {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.components();
        let what = || format!("z has {} columns for {k} components", z.ncols());
        require("FittedPpca::inverse_transform", z.ncols() == k, what)?;
        numbers("FittedPpca::inverse_transform", "z", z)?;
        Ok(z.dot(&self.loadings.t()) + self.mean())
    }
}

impl Sample for FittedPpca {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        self.gaussian.sample(count, seed)
    }
}

/// The mean log density.
impl Score for FittedPpca {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedPpca {
    fn report(&self) -> &Report {
        &self.report
    }
}

/// A NaN may be there; an infinity may not.
fn no_infinity(op: &'static str, x: ArrayView2<f64>) -> Result<()> {
    numbers(op, "x", x.mapv(|v| if v.is_nan() { 0.0 } else { v }).view())
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedPpca);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedPpca {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedPpca";
        self.gaussian.check(OP)?;
        parameter("log_likelihood", self.log_likelihood, self.log_likelihood.is_finite(), "must be finite")?;
        let k = self.gaussian.variances.len();
        let given = self.count > 0 || self.log_likelihood == 0.0;
        require(OP, given, || "it was fitted to nothing".to_owned())?;
        // A text format may have lost a last bit.
        let want = self.gaussian.loadings();
        let largest = want.iter().fold(0f64, |m, v| m.max(v.abs()));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * largest;
        require(OP, self.loadings.dim() == want.dim() && self.loadings.iter().zip(&want).all(near), || {
            "loadings that are not those of the axes".to_owned()
        })?;
        let relevance = self.relevance.as_deref().unwrap_or_default();
        require(OP, self.relevance.is_none() || relevance.len() == k, || {
            format!("{} entries of the relevance for {k} components", relevance.len())
        })?;
        relevance.iter().try_for_each(|&v| positive("relevance", v))
    }
}
