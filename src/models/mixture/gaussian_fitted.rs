//! What a mixture of Gaussians has learned, and what can be asked of it.

#[cfg(feature = "serde")]
mod saved;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::covariance::{Covariance, CovarianceKind};
use super::factors::log_joint;
use super::gaussian::{GaussianMixture, GaussianParams};
use super::gaussian_em::{Batch, GaussianEm};
use super::sufficient::GaussianStatistics;
use crate::inference::em::Outcome;
use crate::ops::{logsumexp, softmax};
use crate::{Device, Error, Matrix, Result};

/// Fitted [`GaussianMixture`].
#[derive(Debug, Clone)]
pub struct FittedGaussianMixture {
    /// π, μ and Σ.
    pub params: GaussianParams,
    /// `sum_i w_i log p(x_i)` at these parameters.
    pub log_likelihood: f64,
    /// The log-likelihood at the best start and after each iteration; it never falls.
    pub trace: Vec<f64>,
    /// Where each start ended.
    pub objectives: Vec<f64>,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether it ended because an iteration gained no more than the tolerance.
    pub converged: bool,
    /// The sum of the weights of the observations.
    pub mass: f64,
    /// Components with a covariance that the floor holds up: they stand on few points, or in fewer than d dimensions.
    pub floored: Vec<usize>,
    /// Components that no data are left for: their weight is zero.
    pub dead: Vec<usize>,
    kind: CovarianceKind,
    missing: bool,
    device: Device,
}

impl FittedGaussianMixture {
    pub(super) fn new(
        of: &GaussianMixture,
        device: Device,
        run: Outcome<GaussianParams, GaussianStatistics>,
    ) -> Result<Self> {
        let (_, floored) = GaussianEm::new(of, &device).learn(&run.params, &run.stats)?;
        let k = run.params.weights.len();
        Ok(FittedGaussianMixture {
            log_likelihood: run.objective,
            trace: run.trace,
            objectives: run.objectives,
            iterations: run.iterations,
            converged: run.converged,
            mass: run.stats.mass.sum(),
            floored,
            dead: (0..k).filter(|&own| run.params.weights[own] <= 0.0 || !run.stats.alive(own)).collect(),
            params: run.params,
            kind: of.covariance.clone(),
            missing: of.missing,
            device,
        })
    }

    /// The most responsible component of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the rows do not have d entries, [`Error::NotFinite`].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        let r = self.predict_proba(x)?;
        let largest = |row: ndarray::ArrayView1<f64>| {
            row.iter().enumerate().fold((0, f64::MIN), |a, (k, &v)| if v > a.1 { (k, v) } else { a }).0
        };
        Ok(r.rows().into_iter().map(largest).collect())
    }

    /// Responsibilities, `p(k | x_i)`, `m x K`: each row sums to one, however far x lies from every component.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        softmax(&self.log_joint(x)?)?.to_array()
    }

    /// `log p(x_i)` of each row.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn score_samples(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(logsumexp(&self.log_joint(x)?)?.to_array()?.index_axis_move(Axis(1), 0))
    }

    /// The mean of `log p(x_i)`.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn score(&self, x: ArrayView2<f64>) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }

    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        let (k, d) = self.params.means.dim();
        if x.ncols() != d {
            let what = format!("x has {} columns, the mixture {d}", x.ncols());
            return Err(Error::Shape { op: "GaussianMixture", what });
        }
        let flops = 2.0 * x.nrows() as f64 * (d * d * k) as f64;
        match Batch::new(&self.device.suited_to(flops), x, None, self.missing)? {
            Batch::Complete(rows) => log_joint(&rows.x, &self.params),
            Batch::Incomplete(rows) => Ok(Matrix::from_host(rows.log_joint(&self.params)?)),
        }
    }

    /// Free parameters: those of the covariances, the means and the weights.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.params.means.dim();
        Covariance::parameters(&self.kind, k, d) + k * d + k - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * self.mass.ln() - 2.0 * self.log_likelihood
    }

    /// The integrated completed likelihood, `BIC + 2 H` with H the entropy of the responsibilities of `x`, the data of the
    /// fit: it counts clusters rather than components. Less is better.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn icl(&self, x: ArrayView2<f64>) -> Result<f64> {
        let entropy = |r: f64| if r > 0.0 { -r * r.ln() } else { 0.0 };
        Ok(self.bic() + 2.0 * self.predict_proba(x)?.mapv(entropy).sum())
    }
}
