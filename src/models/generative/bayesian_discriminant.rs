//! Gaussian classes with a conjugate prior. Checked in `tests/classify/conjugate.rs`.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use statrs::function::gamma::ln_gamma;

use super::gaussians::Gaussians;
use super::naive_bayes::further;
use crate::check::positive;
#[cfg(feature = "serde")]
use crate::check::require;
use crate::learn::classify::{
    Body, Joint, Probable, Task, classifier_fits, contrast, fitted_classifier, softmax_rows,
};
use crate::learn::configure::{getters, setters};
use crate::learn::{Inputs, Label, Targets};
use crate::probability::distributions::NormalInverseWishart;
use crate::{Device, Result};

/// `p(x | k, data) = t(x; ν_k - d + 1, m_k, Ψ_k (κ_k + 1)/(κ_k (ν_k - d + 1)))`: normal classes whose mean and covariance are
/// integrated out over `μ_k | Σ_k ~ N(m, Σ_k/κ)`, `Σ_k ~ InverseWishart(ν, Ψ)`.
///
/// After the `N_k` rows of a class of mean x̄ and scatter S: `κ_k = κ + N_k`, `ν_k = ν + N_k`, `m_k = (κm + N_k x̄)/κ_k`,
/// `Ψ_k = Ψ + S + κN_k/κ_k (x̄ - m)(x̄ - m)ᵀ`. Shares of classes have a Dirichlet prior, one observation of each unless said
/// otherwise: `p(k) = (N_k + α)/(N + Kα)`. Many rows make it [`QuadraticDiscriminant`](super::QuadraticDiscriminant). It is
/// computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::{Array1, Array2, array};
/// let x = array![[1.0], [2.0], [3.0], [7.0]];
/// let (mean, scale) = (Array1::zeros(1), Array2::eye(1));
/// let model = BayesianDiscriminant::new(mean.view(), 0.1, 2.0, scale.view());
/// let fit = model.fit(&Device::cpu(), &x, ["low", "low", "low", "high"])?;
/// assert_eq!(fit.predict(array![[2.5], [6.5]])?, ["low", "high"]);
/// assert_eq!(fit.degrees().to_vec(), [3.0, 5.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) unless κ and α are positive and ν exceeds d - 1,
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for Ψ.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianDiscriminant {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    strength: f64,
    degrees: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scale: Array2<f64>,
    concentration: f64,
}

impl BayesianDiscriminant {
    /// With the prior mean m, worth κ rows, and the covariance `InverseWishart(degrees, scale)`.
    pub fn new(mean: ArrayView1<f64>, strength: f64, degrees: f64, scale: ArrayView2<f64>) -> Self {
        let (mean, scale) = (mean.to_owned(), scale.to_owned());
        BayesianDiscriminant { mean, strength, degrees, scale, concentration: 1.0 }
    }
}

setters!(BayesianDiscriminant {
    /// How many rows the prior mean is worth: κ.
    strength: f64,
    /// Degrees of freedom of the prior covariance: ν.
    degrees: f64,
    /// How many rows of each class the prior shares are worth: α, 1 by default.
    concentration: f64,
});

classifier_fits!(BayesianDiscriminant: FittedBayesianDiscriminant);

impl BayesianDiscriminant {
    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        positive("concentration", self.concentration)?;
        let prior =
            NormalInverseWishart::new(self.mean.view(), self.strength, self.degrees, self.scale.view())?;
        let posterior = |class: usize| {
            let rows = task.rows_of(class);
            let (x, w) = (task.x.select(Axis(0), &rows), task.weights.select(Axis(0), &rows));
            prior.posterior_weighted(x.view(), w.view())
        };
        let posteriors = (0..task.classes).map(posterior).collect::<Result<_>>()?;
        Found::new(posteriors, task.mass() + self.concentration)
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    /// Locations and scales of Student's t, in place of means and covariances.
    gaussians: Gaussians,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    degrees: Array1<f64>,
    posteriors: Vec<NormalInverseWishart>,
    /// `N_k + α`.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    counts: Array1<f64>,
}

impl Found {
    /// The predictive densities of these posteriors, and shares of these counts.
    fn new(posteriors: Vec<NormalInverseWishart>, counts: Array1<f64>) -> Result<Self> {
        let (k, d) = (posteriors.len(), posteriors.first().map_or(0, |p| p.mean().len()));
        let (mut means, mut scales, mut degrees) = (Array2::zeros((k, d)), Vec::new(), Array1::zeros(k));
        for (class, after) in posteriors.iter().enumerate() {
            let free = after.degrees() - d as f64 + 1.0;
            means.row_mut(class).assign(after.mean());
            scales.push(after.scale() * ((after.strength() + 1.0) / (after.strength() * free)));
            degrees[class] = free;
        }
        let shares = &counts / counts.sum();
        let gaussians = Gaussians::new("BayesianDiscriminant::fit", &Device::cpu(), means, scales, shares)?;
        Ok(Found { gaussians, degrees, posteriors, counts })
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.gaussians.means.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.log_joint(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        self.gaussians.check(op, classes)?;
        let lengths = [self.degrees.len(), self.posteriors.len(), self.counts.len()];
        let wide = |p: &NormalInverseWishart| p.mean().len() == self.features();
        require(op, lengths == [classes; 3] && self.posteriors.iter().all(wide), || {
            "posteriors that do not fit".to_owned()
        })?;
        self.counts.iter().try_for_each(|v| positive("counts", *v))?;
        self.degrees.iter().try_for_each(|v| positive("degrees", *v))
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(softmax_rows(self.log_joint(x)?))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (mut out, d) = (self.gaussians.squares(x), x.ncols() as f64);
        for (class, mut column) in out.columns_mut().into_iter().enumerate() {
            let (free, prior) = (self.degrees[class], self.gaussians.priors[class]);
            let constant = prior.ln() + ln_gamma(0.5 * (free + d))
                - ln_gamma(0.5 * free)
                - 0.5 * (d * (free * std::f64::consts::PI).ln() + self.gaussians.log_det(class));
            column.mapv_inplace(|square| constant - 0.5 * (free + d) * (square / free).ln_1p());
        }
        Ok(out)
    }
}

fitted_classifier! {
    /// Fitted [`BayesianDiscriminant`].
    FittedBayesianDiscriminant(Found): Probable, Joint
}

getters!(FittedBayesianDiscriminant<L> {
    /// The posterior mean `m_k` of each class, `K x d`.
    means => found.gaussians.means: &Array2<f64>,
    /// The probabilities of classes.
    priors => found.gaussians.priors: &Array1<f64>,
    /// The degrees of freedom `ν_k - d + 1` of each class.
    degrees => found.degrees: &Array1<f64>,
});

impl<L: Label> FittedBayesianDiscriminant<L> {
    /// Learns from further rows of known classes: the same as if all had been there from the start, but for rounding.
    ///
    /// # Errors
    /// As `fit`; [`Error::Parameter`](crate::Error::Parameter) for a label that was never seen. Nothing is learned then.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<()> {
        let d = self.found.features();
        let (x, classes) = further("FittedBayesianDiscriminant::update", &self.labels, d, x, y)?;
        let (mut posteriors, mut counts) = (self.found.posteriors.clone(), self.found.counts.clone());
        for (k, posterior) in posteriors.iter_mut().enumerate() {
            let rows: Vec<usize> = (0..classes.len()).filter(|&i| classes[i] == k).collect();
            if !rows.is_empty() {
                *posterior = posterior.posterior(x.select(Axis(0), &rows).view())?;
                counts[k] += rows.len() as f64;
            }
        }
        self.found = Found::new(posteriors, counts)?;
        Ok(())
    }
}
