//! What factor analysis has learned, and what it does with data.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::models::latent::centred::project;
use crate::models::latent::gaussian::Subspace;
use crate::check::{columns, numbers};
use crate::models::latent::report::Report;
use crate::linalg::small_cholesky::Small;
use crate::{Device, Result};

/// A fitted model `x ~ N(m, W W^T + diag(ψ))`.
#[derive(Debug, Clone)]
pub struct FittedFactorAnalysis {
    /// m.
    pub mean: Array1<f64>,
    /// W, `d x k`; the entry of each column that is largest in size is positive.
    pub loadings: Array2<f64>,
    /// ψ.
    pub noise_variances: Array1<f64>,
    /// `Σ log p(x_i)` of the data it was fitted to.
    pub log_likelihood: f64,
    /// How the fit went.
    pub report: Report,
    pub(super) device: Device,
}

impl FittedFactorAnalysis {
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

    /// `E[z | x] = (I + W^T ψ⁻¹ W)⁻¹ W^T ψ⁻¹ (x - m)` of each row of `x`: `n x k`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the columns do not fit, [`Error::NotFinite`](crate::Error::NotFinite); those of the device.
    pub fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedFactorAnalysis::transform", x, self.mean.len())?;
        numbers("FittedFactorAnalysis::transform", "x", x)?;
        let precise = &self.loadings / &self.noise_variances.view().insert_axis(Axis(1));
        let encoder = self.posterior()?.solve_rows(precise.view());
        project(&self.device, x, self.mean.view(), encoder.view())
    }

    /// `(I + W^T ψ⁻¹ W)⁻¹`, the covariance of the factors given x, which is the same for every x.
    ///
    /// # Errors
    /// None in theory.
    pub fn posterior_covariance(&self) -> Result<Array2<f64>> {
        Ok(self.posterior()?.inverse(self.loadings.ncols()))
    }

    /// `log p(x_i)` of each row of `x`.
    ///
    /// # Errors
    /// As [`FittedFactorAnalysis::transform`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        columns("FittedFactorAnalysis::score_samples", x, self.mean.len())?;
        numbers("FittedFactorAnalysis::score_samples", "x", x)?;
        let roots = self.noise_variances.mapv(f64::sqrt);
        // In units of its noise every column has noise 1.
        let gaussian = self.white(&roots)?;
        let jacobian = roots.mapv(f64::ln).sum();
        Ok(gaussian.log_density(&self.device, (&x / &roots).view())? - jacobian)
    }

    /// n draws from the model, `n x d`.
    ///
    /// # Errors
    /// None in theory.
    pub fn sample(&self, n: usize, seed: u64) -> Result<Array2<f64>> {
        let roots = self.noise_variances.mapv(f64::sqrt);
        Ok(self.white(&roots)?.sample(n, seed) * &roots)
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
