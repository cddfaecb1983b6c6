//! What variational Bayes has learned of a mixture of Gaussians.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};
use statrs::function::gamma::ln_gamma;

use super::bayesian_em::{Posterior, Prior};
use super::factors::log_weight;
use super::sufficient::GaussianStatistics;
use crate::inference::em::Outcome;
use crate::ops::{Whitening, gaussian_log_density, logsumexp, softmax};
use crate::{Device, Error, Matrix, Result};

/// Fitted [`BayesianGaussianMixture`](super::BayesianGaussianMixture).
#[derive(Debug, Clone)]
pub struct FittedBayesianGaussianMixture {
    /// `E[π_k]`.
    pub weights: Array1<f64>,
    /// `m_k`, the expected means, `K x d`.
    pub means: Array2<f64>,
    /// `κ_k`: how many observations each mean is known by.
    pub mean_precisions: Array1<f64>,
    /// `ν_k`.
    pub degrees_of_freedom: Array1<f64>,
    /// `W_k^-1 / ν_k`, `K x d x d`: the inverses of the expected precisions.
    pub covariances: Array3<f64>,
    /// The evidence lower bound.
    pub elbo: f64,
    /// The bound at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Where each start ended.
    pub objectives: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    /// `m_0`, as used.
    pub mean_prior: Array1<f64>,
    /// `W_0^-1`, as used.
    pub covariance_prior: Array2<f64>,
    posterior: Posterior,
    device: Device,
}

impl FittedBayesianGaussianMixture {
    pub(super) fn new(prior: &Prior, device: Device, run: Outcome<Posterior, GaussianStatistics>) -> Self {
        let q = run.params;
        let degrees = q.degrees.view().insert_axis(Axis(1)).insert_axis(Axis(2));
        FittedBayesianGaussianMixture {
            weights: q.weights.expected(),
            means: q.means.clone(),
            mean_precisions: q.precision.clone(),
            degrees_of_freedom: q.degrees.clone(),
            covariances: &q.inverse / &degrees,
            elbo: run.objective,
            trace: run.trace,
            objectives: run.objectives,
            iterations: run.iterations,
            converged: run.converged,
            mean_prior: prior.mean.clone(),
            covariance_prior: prior.inverse.clone(),
            posterior: q,
            device,
        }
    }

    /// The most responsible component of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows do not have d entries, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let largest = |row: ndarray::ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::MIN), |a, (k, &v)| if v > a.1 { (k, v) } else { a }).0
        };
        Ok(self.predict_proba(x)?.rows().into_iter().map(largest).collect())
    }

    /// Responsibilities `q(z_i = k)`, `m x K`.
    ///
    /// # Errors
    /// As [`FittedBayesianGaussianMixture::predict`].
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        softmax(&self.posterior.log_joint(&self.upload(x)?)?)?.to_array()
    }

    /// The logarithm of the predictive density, parameters integrated out:
    /// `p(x) = sum_k E[π_k] St(x | m_k, ν_k + 1 - d, scale (1 + κ_k) / (κ_k (ν_k + 1 - d)) W_k^-1)`.
    ///
    /// # Errors
    /// As [`FittedBayesianGaussianMixture::predict`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let (k, d) = self.means.dim();
        let x = self.upload(x)?;
        let q = &self.posterior;
        let free = |k: usize| q.degrees[k] + 1.0 - d as f64;
        // Squared distances in the units of the Student-t's scale matrix, from the verb that Gaussians use.
        let mut whiten = Array2::zeros((k * d, d));
        for k in 0..k {
            let unit = (free(k) * q.precision[k] / (1.0 + q.precision[k])).sqrt();
            let own = &q.factor.index_axis(Axis(0), k) * unit;
            whiten.slice_mut(s![k * d..(k + 1) * d, ..]).assign(&own);
        }
        let none = Array2::zeros((1, k));
        let [means, whiten, none] =
            [q.means.view(), whiten.view(), none.view()].map(|a| Matrix::from_array(&x.device(), a));
        let mut log = gaussian_log_density(&x, &means?, Whitening::Full(&whiten?), &none?)?.to_array()?;
        for (k, mut column) in log.columns_mut().into_iter().enumerate() {
            let (dim, free) = (d as f64, free(k));
            let log_det = q.log_det[k] + dim * ((1.0 + q.precision[k]) / (q.precision[k] * free)).ln();
            let constant = log_weight(self.weights[k]) + ln_gamma(0.5 * (free + dim))
                - ln_gamma(0.5 * free)
                - 0.5 * dim * (free * std::f64::consts::PI).ln()
                - 0.5 * log_det;
            column.mapv_inplace(|half| constant - 0.5 * (free + dim) * (-2.0 * half / free).ln_1p());
        }
        Ok(logsumexp(&Matrix::from_host(log))?.to_array()?.index_axis_move(Axis(1), 0))
    }

    fn upload(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        let (k, d) = self.means.dim();
        if x.ncols() != d {
            let what = format!("x has {} columns, the mixture {d}", x.ncols());
            return Err(Error::Shape { op: "BayesianGaussianMixture", what });
        }
        Matrix::from_array(&self.device.suited_to(2.0 * (x.len() * d * k) as f64), x)
    }
}
