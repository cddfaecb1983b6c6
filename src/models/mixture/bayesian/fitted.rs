//! What variational Bayes has learned of a mixture of Gaussians.

use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};
use statrs::function::gamma::ln_gamma;

use super::steps::{Posterior, Prior, Shape};
use crate::check::inputs;
#[cfg(feature = "serde")]
use crate::check::{finite, parameter, positive, require};
use crate::inference::em::{Observations, Outcome};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Inputs, Predict, PredictProba, Report, Reported, Sample, Score};
use crate::matrix::Origin;
use crate::models::mixture::factors::{log_weight, lower_cholesky};
use crate::models::mixture::gaussian::GaussianStatistics;
use crate::models::mixture::responsibilities::{densities, shares};
use crate::models::mixture::sample::students;
use crate::saved::Format;
use crate::{Device, Matrix, Result};

/// Fitted [`BayesianGaussianMixture`](super::BayesianGaussianMixture).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBayesianGaussianMixture {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    weights: Array1<f64>,
    posterior: Posterior,
    prior: Prior,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedBayesianGaussianMixture {
    /// The expected weights `E[π_k]`.
    weights: &Array1<f64>,
    /// The expected means `m_k`, `K x d`.
    means => posterior.means: &Array2<f64>,
    /// How many observations each mean is known by: `κ_k`.
    mean_precisions => posterior.precision: &Array1<f64>,
    /// The degrees of freedom `ν_k`.
    degrees_of_freedom => posterior.degrees: &Array1<f64>,
    /// The prior mean `m_0`, as used.
    mean_prior => prior.mean: &Array1<f64>,
    /// The prior `W_0^-1`, as used.
    covariance_prior => prior.inverse: &Array2<f64>,
    /// How the fit went: the evidence lower bound at the start and after each iteration, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedBayesianGaussianMixture: Predict -> Vec<usize>, PredictProba, Sample, Score);

impl FittedBayesianGaussianMixture {
    pub(super) fn new(prior: Prior, device: Device, run: Outcome<Posterior, GaussianStatistics>) -> Self {
        let (weights, posterior) = (run.params.weights.expected(), run.params);
        FittedBayesianGaussianMixture {
            format: Format,
            weights,
            posterior,
            prior,
            report: run.report,
            device,
        }
    }

    /// The inverses of the expected precisions, `W_k^-1 / ν_k`, `K x d x d`.
    pub fn covariances(&self) -> Array3<f64> {
        &self.posterior.inverse / &self.posterior.degrees.view().insert_axis(Axis(1)).insert_axis(Axis(2))
    }

    /// The evidence lower bound, at most the log-evidence.
    pub fn elbo(&self) -> f64 {
        self.report.objective()
    }

    /// The degrees of freedom of the predictive Student-t distribution of component k.
    fn free(&self, k: usize) -> f64 {
        match self.posterior.shape {
            Shape::Full | Shape::Tied => {
                self.posterior.degrees[k] + 1.0 - self.posterior.means.ncols() as f64
            }
            Shape::Diagonal | Shape::Spherical => self.posterior.degrees[k],
            Shape::Known => f64::INFINITY,
        }
    }

    /// How much wider than `W_k^-1` its scale matrix is.
    fn width(&self, k: usize) -> f64 {
        let free = if self.posterior.shape == Shape::Known { 1.0 } else { self.free(k) };
        (1.0 + self.posterior.precision[k]) / (self.posterior.precision[k] * free)
    }

    /// The logarithm of the predictive density at each row of `x`, `m x d`, parameters integrated out:
    /// `p(x) = sum_k E[π_k] St(x | m_k, ν_k + 1 - d, scale (1 + κ_k) / (κ_k (ν_k + 1 - d)) W_k^-1)`. Spherical components have
    /// `ν_k` degrees of freedom instead, diagonal ones a product of Student-t densities with as many, and known covariances make it
    /// normal.
    ///
    /// # Errors
    /// As [`FittedBayesianGaussianMixture::predict`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        let ((k, d), q) = (self.means().dim(), &self.posterior);
        let x = x.inputs();
        if q.shape == Shape::Diagonal {
            inputs("FittedBayesianGaussianMixture::score_samples", x.view(), d)?;
            return densities(&Matrix::from_host(self.by_feature(x.view())));
        }
        let rows = self.rows("FittedBayesianGaussianMixture::score_samples", x.view())?;
        // Squared distances in the units of the Student-t's scale matrix, from the verb that Gaussians use.
        let unit = |k: usize| self.width(k).recip().sqrt();
        let log = q.squares(rows.x()?, &rows.place(&q.means)?.0, unit, Array2::zeros((1, k)))?;
        let mut log = log.to_array()?;
        for (k, mut column) in log.columns_mut().into_iter().enumerate() {
            let (dim, free) = (d as f64, self.free(k));
            let log_det = q.log_det[k] + dim * self.width(k).ln();
            if q.shape == Shape::Known {
                let constant =
                    log_weight(self.weights[k]) - 0.5 * (dim * std::f64::consts::TAU.ln() + log_det);
                column.mapv_inplace(|half| constant + half);
                continue;
            }
            let constant = log_weight(self.weights[k]) + ln_gamma(0.5 * (free + dim))
                - ln_gamma(0.5 * free)
                - 0.5 * dim * (free * std::f64::consts::PI).ln()
                - 0.5 * log_det;
            column.mapv_inplace(|half| constant - 0.5 * (free + dim) * (-2.0 * half / free).ln_1p());
        }
        densities(&Matrix::from_host(log))
    }

    /// `log E[π_k] + Σ_j log St(x_ij)`, `n x K`: features are independent given the component.
    fn by_feature(&self, x: ArrayView2<f64>) -> Array2<f64> {
        let q = &self.posterior;
        Array2::from_shape_fn((x.nrows(), self.weights.len()), |(i, k)| {
            let free = self.free(k);
            let constant = ln_gamma(0.5 * (free + 1.0))
                - ln_gamma(0.5 * free)
                - 0.5 * (free * std::f64::consts::PI).ln();
            let each = |j: usize| {
                let square = self.width(k) * q.inverse[[k, j, j]];
                let away = (x[[i, j]] - q.means[[k, j]]).powi(2) / square;
                constant - 0.5 * square.ln() - 0.5 * (free + 1.0) * (away / free).ln_1p()
            };
            log_weight(self.weights[k]) + (0..x.ncols()).map(each).sum::<f64>()
        })
    }

    fn rows(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Observations> {
        let (k, d) = self.means().dim();
        inputs(op, x, d)?;
        let flops = 2.0 * x.len() as f64 * d as f64 * k as f64;
        Observations::predicted(op, &self.device, x, Origin::Free, flops)
    }
}

impl Predict for FittedBayesianGaussianMixture {
    type Output = Vec<usize>;

    /// The most responsible component of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(most_probable(self.predict_proba(x)?.view()))
    }
}

/// Responsibilities `q(z_i = k)`.
impl PredictProba for FittedBayesianGaussianMixture {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let rows = self.rows("FittedBayesianGaussianMixture::predict_proba", x)?;
        let means = rows.place(&self.posterior.means)?.0;
        shares(&self.posterior.log_joint(rows.x()?, &means)?)
    }
}

/// Draws from the predictive density.
impl Sample for FittedBayesianGaussianMixture {
    fn sample(&self, count: usize, seed: u64) -> Result<Array2<f64>> {
        let k = self.weights.len();
        let scale = |k: usize| {
            Ok(lower_cholesky(self.posterior.inverse.index_axis(Axis(0), k))? * self.width(k).sqrt())
        };
        let scales = (0..k).map(scale).collect::<Result<Vec<_>>>()?;
        let free: Vec<f64> = (0..k).map(|k| self.free(k)).collect();
        let each = self.posterior.shape == Shape::Diagonal;
        students(count, seed, self.weights.view(), self.means().view(), &scales, (&free, each))
    }
}

/// The mean logarithm of the predictive density.
impl Score for FittedBayesianGaussianMixture {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedBayesianGaussianMixture {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBayesianGaussianMixture);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedBayesianGaussianMixture {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedBayesianGaussianMixture";
        let q = &self.posterior;
        let (k, d) = q.means.dim();
        finite(OP, "the means", q.means.view())?;
        crate::check::weights(OP, self.weights.view(), k)?;
        let lengths = [q.precision.len(), q.degrees.len(), q.log_det.len(), q.weights.count().unwrap_or(0)];
        let stacks = [q.inverse.dim(), q.factor.dim()];
        require(OP, lengths == [k; 4] && stacks == [(k, d, d); 2], || {
            format!("{k} means in {d} dimensions, {lengths:?} numbers and {stacks:?} matrices")
        })?;
        for own in 0..k {
            positive("mean precision", q.precision[own])?;
            let (free, requirement) = (q.degrees[own], "must be finite and above d - 1");
            let least = if matches!(q.shape, Shape::Full | Shape::Tied) { d as f64 - 1.0 } else { 0.0 };
            parameter("degrees of freedom", free, free > least && free.is_finite(), requirement)?;
            finite(OP, "a factor", q.factor.index_axis(Axis(0), own))?;
            let l = lower_cholesky(q.inverse.index_axis(Axis(0), own))?;
            let log_det = 2.0 * l.diag().iter().map(|v| v.ln()).sum::<f64>();
            let gap = (log_det - q.log_det[own]).abs();
            parameter(
                "log determinant",
                q.log_det[own],
                gap <= 1e-6 * (1.0 + log_det.abs()),
                "must be that of W^-1",
            )?;
        }
        require(OP, self.prior.mean.len() == d && self.prior.inverse.dim() == (d, d), || {
            format!("a prior that is not for {d} dimensions")
        })?;
        parameter("elbo", self.elbo(), self.elbo().is_finite(), "must be finite")
    }
}
