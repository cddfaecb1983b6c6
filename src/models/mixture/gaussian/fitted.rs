//! What a mixture of Gaussians has learned, and what can be asked of it.

use ndarray::{Array1, Array2, ArrayView2};

use super::covariance::{Covariance, CovarianceKind};
use super::model::{GaussianMixture, GaussianParams};
use super::steps::{Batch, GaussianEm};
use super::sufficient::GaussianStatistics;
use crate::check::columns;
use crate::check::{finite, probabilities, weights};
#[cfg(feature = "serde")]
use crate::check::{parameter, require};
use crate::inference::em::Outcome;
#[cfg(feature = "serde")]
use crate::learn::Stop;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::labels::most_probable;
use crate::learn::{Inputs, Predict, PredictProba, Report, Reported, Score};
use crate::models::mixture::factors::{Factors, log_joint};
use crate::models::mixture::responsibilities::{densities, shares};
use crate::saved::Format;
use crate::{Device, Matrix, Result};

/// Fitted [`GaussianMixture`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedGaussianMixture {
    format: Format,
    params: GaussianParams,
    mass: f64,
    floored: Vec<usize>,
    dead: Vec<usize>,
    kind: CovarianceKind,
    missing: bool,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedGaussianMixture {
    /// The weights π, means μ and covariances Σ.
    params: &GaussianParams,
    /// The weights π, of length K.
    weights => params.weights: &Array1<f64>,
    /// The means μ, `K x d`.
    means => params.means: &Array2<f64>,
    /// The covariances Σ.
    covariance => params.covariance: &Covariance,
    /// The sum of the weights of the observations.
    mass: f64,
    /// The components with a covariance that the floor holds up: they stand on few points, or in fewer than d dimensions.
    floored: &[usize],
    /// The components that no data are left for: their weight is zero.
    dead: &[usize],
    /// How the fit went: the log-likelihood at the start and after each iteration, which never falls.
    report: &Report,
    /// Where it was computed.
    device: &Device,
});

inherent!(FittedGaussianMixture: Predict -> Vec<usize>, PredictProba, Sample, Score);

impl FittedGaussianMixture {
    pub(super) fn new(
        of: &GaussianMixture,
        device: Device,
        run: Outcome<GaussianParams, GaussianStatistics>,
    ) -> Result<Self> {
        let (_, floored) = GaussianEm::new(of, device.is_gpu()).learn(&run.params, &run.stats)?;
        let k = run.params.weights.len();
        Ok(FittedGaussianMixture {
            format: Format,
            mass: run.stats.mass.sum(),
            floored,
            dead: (0..k).filter(|&own| run.params.weights[own] <= 0.0 || !run.stats.alive(own)).collect(),
            params: run.params,
            kind: of.covariance.clone(),
            missing: of.missing,
            report: run.report,
            device,
        })
    }

    /// The mixture with these parameters, which nothing was fitted to: its log-likelihood is that of no data, zero.
    ///
    /// ```
    /// use mercer::models::mixture::{Covariance, FittedGaussianMixture, GaussianParams};
    /// use ndarray::array;
    /// let (weights, means) = (array![0.5, 0.5], array![[-1.0], [1.0]]);
    /// let covariance = Covariance::Spherical(array![1.0, 1.0]);
    /// let mixture = FittedGaussianMixture::given(GaussianParams { weights, means, covariance })?;
    /// assert!((mixture.predict_proba(array![[-2.0]])?[[0, 1]] - 0.01798620996).abs() < 1e-10);
    /// assert_eq!(mixture.sample(5, 0)?.dim(), (5, 1));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for parameters that do not fit together,
    /// [`Error::Parameter`](crate::Error::Parameter) for weights that are no distribution,
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for a covariance that is none.
    pub fn given(params: GaussianParams) -> Result<Self> {
        const OP: &str = "FittedGaussianMixture::given";
        finite(OP, "the means", params.means.view())?;
        let (k, d) = params.means.dim();
        weights(OP, params.weights.view(), k)?;
        probabilities("weights", &params.weights.to_vec())?;
        params.covariance.check(OP, k, d)?;
        // Positive on the diagonal is not yet positive definite.
        Factors::new(&Device::cpu(), &params.covariance, k, d)?;
        let kind = match &params.covariance {
            Covariance::Full(_) => CovarianceKind::Full,
            Covariance::Tied(_) => CovarianceKind::Tied,
            Covariance::Diagonal(_) => CovarianceKind::Diagonal,
            Covariance::Spherical(_) => CovarianceKind::Spherical,
        };
        let dead = (0..k).filter(|&own| params.weights[own] <= 0.0).collect();
        let (report, device) = (Report::direct(0.0), Device::cpu());
        let (mass, floored, missing) = (0.0, Vec::new(), false);
        Ok(FittedGaussianMixture {
            format: Format,
            params,
            mass,
            floored,
            dead,
            kind,
            missing,
            report,
            device,
        })
    }

    /// The log-likelihood `sum_i w_i log p(x_i)` of the data of the fit.
    pub fn log_likelihood(&self) -> f64 {
        self.report.objective()
    }

    /// The log density `log p(x_i)` of each row of `x`, `m x d`.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        densities(&self.log_joint("FittedGaussianMixture::score_samples", x.inputs().view())?)
    }

    fn log_joint(&self, op: &'static str, x: ArrayView2<f64>) -> Result<Matrix> {
        let (k, d) = self.params.means.dim();
        columns(op, x, d)?;
        let flops = 2.0 * x.len() as f64 * d as f64 * k as f64;
        match Batch::new(op, &self.device, x, None, self.missing, flops)? {
            Batch::Complete(rows) => log_joint(rows.x()?, &rows.place(&self.params.means)?.0, &self.params),
            Batch::Incomplete(rows) => Ok(Matrix::from_host(rows.log_joint(&self.params)?)),
        }
    }

    /// The number of free parameters: those of the covariances, the means and the weights.
    pub fn parameters(&self) -> usize {
        let (k, d) = self.params.means.dim();
        Covariance::parameters(&self.kind, k, d) + k * d + k - 1
    }

    /// Akaike's criterion, `2 p - 2 log L`: less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.parameters() as f64 - 2.0 * self.log_likelihood()
    }

    /// The Bayesian criterion, `p log n - 2 log L`: less is better.
    pub fn bic(&self) -> f64 {
        self.parameters() as f64 * self.mass.max(1.0).ln() - 2.0 * self.log_likelihood()
    }

    /// The integrated completed likelihood, `BIC + 2 H` with H the entropy of the responsibilities of `x`, the data of the
    /// fit: it counts clusters rather than components. Less is better.
    ///
    /// # Errors
    /// As [`FittedGaussianMixture::predict`].
    pub fn icl(&self, x: impl Inputs) -> Result<f64> {
        let entropy = |r: f64| if r > 0.0 { -r * r.ln() } else { 0.0 };
        Ok(self.bic() + 2.0 * self.predict_proba(x)?.mapv(entropy).sum())
    }
}

impl Predict for FittedGaussianMixture {
    type Output = Vec<usize>;

    /// The most responsible component of each row.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        Ok(most_probable(self.predict_proba(x)?.view()))
    }
}

/// Responsibilities `p(k | x_i)`: each row sums to one, however far x lies from every component.
impl PredictProba for FittedGaussianMixture {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        shares(&self.log_joint("FittedGaussianMixture::predict_proba", x)?)
    }
}

/// The mean log density.
impl Score for FittedGaussianMixture {
    fn score(&self, x: ArrayView2<f64>, (): &()) -> Result<f64> {
        Ok(self.score_samples(x)?.mean().unwrap_or(f64::NAN))
    }
}

impl Reported for FittedGaussianMixture {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedGaussianMixture);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedGaussianMixture {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedGaussianMixture";
        finite(OP, "the means", self.params.means.view())?;
        let (k, d) = self.params.means.dim();
        weights(OP, self.params.weights.view(), k)?;
        self.params.covariance.check(OP, k, d)?;
        // Positive on the diagonal is not yet positive definite.
        Factors::new(&Device::cpu(), &self.params.covariance, k, d)?;
        // Only what was given has no data.
        let least = self.mass > 0.0 || (self.mass == 0.0 && self.report.stop == Stop::Direct);
        parameter("mass", self.mass, least && self.mass.is_finite(), "must be positive")?;
        let log_likelihood = self.log_likelihood();
        parameter("log_likelihood", log_likelihood, log_likelihood.is_finite(), "must be finite")?;
        require(OP, self.floored.iter().chain(&self.dead).all(|own| *own < k), || {
            format!("a component that is none of {k}")
        })
    }
}
