//! What probabilistic PCA has learned, and what it does with data.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::Params;
use super::holes::{Holes, Posteriors, posteriors};
use crate::models::latent::centred::project;
use crate::models::latent::gaussian::Subspace;
use crate::check::{columns, numbers, require};
use crate::models::latent::report::Report;
use crate::{Device, Result};

/// A fitted model `x ~ N(m, W W^T + σ² I)`.
#[derive(Debug, Clone)]
pub struct FittedPpca {
    /// m.
    pub mean: Array1<f64>,
    /// W, `d x k`: orthogonal columns, the longest first.
    pub loadings: Array2<f64>,
    /// σ².
    pub noise_variance: f64,
    /// `Σ log p(x_i)` of the data it was fitted to; of what was observed, if values are missing.
    pub log_likelihood: f64,
    /// The precisions of the columns of W that were kept, if they were estimated.
    pub relevance: Option<Array1<f64>>,
    /// What EM did, if it was used.
    pub report: Option<Report>,
    gaussian: Subspace,
    missing: bool,
    device: Device,
}

impl FittedPpca {
    pub(super) fn new(
        gaussian: Subspace,
        log_likelihood: f64,
        relevance: Option<Array1<f64>>,
        report: Option<Report>,
    ) -> Self {
        FittedPpca {
            mean: gaussian.mean.clone(),
            loadings: gaussian.loadings(),
            noise_variance: gaussian.noise,
            log_likelihood,
            relevance,
            report,
            gaussian,
            missing: false,
            device: Device::cpu(),
        }
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

    /// k: those asked for, or those that were found relevant.
    pub fn components(&self) -> usize {
        self.loadings.ncols()
    }

    /// `C = W W^T + σ² I`.
    pub fn covariance(&self) -> Array2<f64> {
        self.gaussian.covariance()
    }

    /// `log p(x_i)` of each row of `x`, `n x d`. A NaN is an entry that was not observed, if the model was fitted with
    /// [`missing`](super::Ppca::missing).
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite); those of the device.
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        if self.holes("FittedPpca::score_samples", x)? {
            return Ok(self.posteriors(x)?.1);
        }
        self.gaussian.log_density(&self.device, x)
    }

    /// The posterior mean of the latents of each row, `E[z | x] = M⁻¹ W^T (x - m)` with `M = W^T W + σ² I`: `n x k`.
    ///
    /// # Errors
    /// As [`FittedPpca::score_samples`].
    pub fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        if self.holes("FittedPpca::transform", x)? {
            return Ok(self.posteriors(x)?.0);
        }
        project(&self.device, x, self.mean.view(), self.gaussian.encoder().view())
    }

    /// The posterior covariance of the latents, `σ² M⁻¹`: the same for every row of which all was observed.
    pub fn posterior_covariance(&self) -> Array2<f64> {
        Array2::from_diag(&self.gaussian.posterior_variances())
    }

    /// `E[x | z] = W z + m` for `z`, `n x k`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.components();
        let what = || format!("z has {} columns for {k} components", z.ncols());
        require("FittedPpca::inverse_transform", z.ncols() == k, what)?;
        numbers("FittedPpca::inverse_transform", "x", z)?;
        Ok(z.dot(&self.loadings.t()) + &self.mean)
    }

    /// `x` with every NaN replaced by its expectation given what was observed of its row, `m_j + w_j^T E[z | x]`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit,
    /// [`Error::NotFinite`](crate::Error::NotFinite) for an infinity; those of the device.
    pub fn impute(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedPpca::impute", x, self.mean.len())?;
        no_infinity("FittedPpca::impute", x)?;
        let expected = self.inverse_transform(self.posteriors(x)?.0.view())?;
        let mut out = x.to_owned();
        out.zip_mut_with(&expected, |v, e| *v = if v.is_nan() { *e } else { *v });
        Ok(out)
    }

    /// n draws from the model, `n x d`.
    pub fn sample(&self, n: usize, seed: u64) -> Array2<f64> {
        self.gaussian.sample(n, seed)
    }

    /// `d k + 1 - k (k - 1) / 2` of W and σ², and d of the mean.
    pub fn free_parameters(&self) -> usize {
        let (d, k) = self.loadings.dim();
        d * k + 1 + d - k * (k - 1) / 2
    }

    /// `-2 log L + p log n`, the smaller the better, for `n` rows.
    pub fn bic(&self, n: usize) -> f64 {
        -2.0 * self.log_likelihood + self.free_parameters() as f64 * (n as f64).ln()
    }

    /// Whether there is a NaN that is allowed; an error if it is not.
    fn holes(&self, op: &'static str, x: ArrayView2<f64>) -> Result<bool> {
        columns(op, x, self.mean.len())?;
        if self.missing && x.iter().any(|v| v.is_nan()) {
            no_infinity(op, x)?;
            return Ok(true);
        }
        numbers(op, "x", x).map(|()| false)
    }

    fn posteriors(&self, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        let k = self.components();
        let shift = Array1::zeros(self.mean.len());
        let params = Params { w: self.loadings.clone(), shift, noise: self.noise_variance, alpha: None };
        let (mut means, mut scores) = (Array2::zeros((0, k)), Array1::zeros(0));
        for rows in Holes::of(&self.device, x, &self.mean, k)? {
            let Posteriors { means: z, log_likelihood, .. } = posteriors(&params, &rows)?;
            means = ndarray::concatenate![Axis(0), means, z.slice(s![.., ..k])];
            scores = ndarray::concatenate![Axis(0), scores, log_likelihood];
        }
        Ok((means, scores))
    }
}

/// A NaN may be there; an infinity may not.
fn no_infinity(op: &'static str, x: ArrayView2<f64>) -> Result<()> {
    numbers(op, "x", x.mapv(|v| if v.is_nan() { 0.0 } else { v }).view())
}
