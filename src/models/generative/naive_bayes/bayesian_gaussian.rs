//! Features that are Gaussian, with means and variances integrated out.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use statrs::function::gamma::ln_gamma;

use super::{class_log_priors, further, log_dirichlet_sequence};
use crate::check::positive;
#[cfg(feature = "serde")]
use crate::check::{finite, not_negative, require};
use crate::learn::classify::{
    Body, Joint, Probable, Task, classifier_fits, contrast, fitted_classifier, softmax_rows,
};
use crate::learn::configure::{getters, setters};
use crate::learn::{Inputs, Label, Targets};
use crate::models::generative::gaussians::LN_2PI;
use crate::probability::distributions::NormalInverseGamma;
use crate::{Device, Result};

/// `p(x | k, data) = Π_j t(x_j; 2a_k, m_kj, b_kj (κ_k + 1)/(a_k κ_k))`: normal features whose means and variances are integrated
/// out over `μ | σ² ~ N(m, σ²/κ)`, `σ² ~ InverseGamma(a, b)`.
///
/// After the `N_k` rows of a class, of mean x̄ and sum of squares s about it: `κ_k = κ + N_k`, `a_k = a + N_k/2`,
/// `m_k = (κm + N_k x̄)/κ_k`, `b_k = b + s/2 + κN_k (x̄ - m)²/2κ_k`. The prior is the same for all features: standardise them.
/// Shares of classes have a Dirichlet prior, one row of each unless said otherwise: `p(k) = (N_k + α)/(N + Kα)`. Many rows
/// make it [`GaussianNaiveBayes`](super::GaussianNaiveBayes). It is computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let model = BayesianGaussianNaiveBayes::new(0.0, 0.1, 1.0, 1.0);
/// let mut fit = model.fit(&Device::cpu(), array![[1.0], [2.0], [7.0]], ["low", "low", "high"])?;
/// fit.update(array![[3.0]], ["low"])?;
/// assert_eq!(fit.predict(array![[2.5], [6.5]])?, ["low", "high"]);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors of a fit
/// [`Error::Parameter`](crate::Error::Parameter) unless κ, a, b and α are positive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BayesianGaussianNaiveBayes {
    mean: f64,
    strength: f64,
    shape: f64,
    scale: f64,
    concentration: f64,
}

impl BayesianGaussianNaiveBayes {
    /// With the prior mean m, worth κ rows, and variances of `InverseGamma(shape, scale)`.
    pub fn new(mean: f64, strength: f64, shape: f64, scale: f64) -> Self {
        BayesianGaussianNaiveBayes { mean, strength, shape, scale, concentration: 1.0 }
    }
}

setters!(BayesianGaussianNaiveBayes {
    /// How many rows the prior mean is worth: κ.
    strength: f64,
    /// The shape a of the prior of variances.
    shape: f64,
    /// The scale b of the prior of variances.
    scale: f64,
    /// How many rows of each class the prior shares are worth: α, 1 by default.
    concentration: f64,
});

classifier_fits!(BayesianGaussianNaiveBayes: FittedBayesianGaussianNaiveBayes);

impl BayesianGaussianNaiveBayes {
    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        positive("concentration", self.concentration)?;
        let (k, d) = (task.classes, task.x.ncols());
        let (means, scales) = (Array2::from_elem((k, d), self.mean), Array2::from_elem((k, d), self.scale));
        let mut found = Found { prior: *self, means, scales, mass: Array1::zeros(k) };
        for class in 0..k {
            let rows = task.rows_of(class);
            let (x, w) = (task.x.select(Axis(0), &rows), task.weights.select(Axis(0), &rows));
            found.learn(class, x.view(), &w.to_vec())?;
        }
        Ok(found)
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    prior: BayesianGaussianNaiveBayes,
    /// `m_k` and `b_k` of each feature.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    means: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    scales: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
}

impl Found {
    /// `κ_k` and `a_k`.
    fn evidence_of(&self, k: usize) -> (f64, f64) {
        (self.prior.strength + self.mass[k], self.prior.shape + 0.5 * self.mass[k])
    }

    /// The posterior of a class after these rows.
    fn learn(&mut self, k: usize, x: ArrayView2<f64>, w: &[f64]) -> Result<()> {
        let (strength, shape) = self.evidence_of(k);
        for (j, column) in x.columns().into_iter().enumerate() {
            let before = NormalInverseGamma::new(self.means[[k, j]], strength, shape, self.scales[[k, j]])?;
            let after = before.posterior_weighted(&column.to_vec(), w)?;
            (self.means[[k, j]], self.scales[[k, j]]) = (after.mean(), after.scale());
        }
        self.mass[k] += w.iter().sum::<f64>();
        Ok(())
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.means.ncols()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.log_joint(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits = self.means.nrows() == classes && self.means.dim() == self.scales.dim();
        require(op, fits && self.mass.len() == classes, || "posteriors that do not fit".to_owned())?;
        finite(op, "the means", self.means.view())?;
        let BayesianGaussianNaiveBayes { strength, shape, scale, concentration, .. } = self.prior;
        let priors = [strength, shape, scale, concentration];
        priors.iter().chain(&self.scales).try_for_each(|v| positive("a prior or a scale", *v))?;
        self.mass.iter().try_for_each(|m| not_negative("class count", *m))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((x.nrows(), self.mass.len()));
        let priors = class_log_priors(&self.mass, self.prior.concentration);
        for (k, mut column) in out.columns_mut().into_iter().enumerate() {
            let (strength, shape) = self.evidence_of(k);
            // 2a s², s the scale of Student's t.
            let wide = self.scales.row(k).mapv(|b| 2.0 * b * (strength + 1.0) / strength);
            let each = ln_gamma(shape + 0.5) - ln_gamma(shape) - 0.5 * std::f64::consts::PI.ln();
            let constant = priors[k] + each * wide.len() as f64 - 0.5 * wide.mapv(f64::ln).sum();
            for (out, row) in column.iter_mut().zip(x.rows()) {
                let away = row.iter().zip(self.means.row(k)).zip(&wide);
                *out = constant
                    - (shape + 0.5) * away.map(|((x, m), s)| ((x - m) * (x - m) / s).ln_1p()).sum::<f64>();
            }
        }
        Ok(out)
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(softmax_rows(self.log_joint(x)?))
    }
}

fitted_classifier! {
    /// Fitted [`BayesianGaussianNaiveBayes`].
    FittedBayesianGaussianNaiveBayes(Found): Probable, Joint
}

getters!(FittedBayesianGaussianNaiveBayes<L> {
    /// The posterior mean `m_k` of each feature in each class, `K x d`.
    means => found.means: &Array2<f64>,
    /// The posterior scale `b_k` of the variance of each feature in each class, `K x d`.
    scales => found.scales: &Array2<f64>,
    /// The weight of each class.
    mass => found.mass: &Array1<f64>,
});

impl<L: Label> FittedBayesianGaussianNaiveBayes<L> {
    /// Learns from further rows of known classes: the same as if all had been there from the start, but for rounding.
    ///
    /// # Errors
    /// As `fit`; [`Error::Parameter`](crate::Error::Parameter) for a label that was never seen. Nothing is learned then.
    pub fn update(&mut self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<()> {
        let d = self.found.features();
        let (x, classes) = further("FittedBayesianGaussianNaiveBayes::update", &self.labels, d, x, y)?;
        let mut next = self.found.clone();
        for k in 0..self.found.mass.len() {
            let rows: Vec<usize> = (0..classes.len()).filter(|&i| classes[i] == k).collect();
            if !rows.is_empty() {
                next.learn(k, x.select(Axis(0), &rows).view(), &vec![1.0; rows.len()])?;
            }
        }
        self.found = next;
        Ok(())
    }

    /// `ln p(x, y)` of the rows of the fit, with means, variances and shares integrated out under their priors:
    /// `ln Γ(a_k) - ln Γ(a) + a ln b - a_k ln b_kj + ½ ln(κ/κ_k) - N_k/2 ln 2π` of each class and feature.
    pub fn log_evidence(&self) -> f64 {
        let Found { prior, scales, mass, .. } = &self.found;
        let alphas = mass.iter().map(|_| prior.concentration);
        let classes = log_dirichlet_sequence(mass.iter().copied(), alphas);
        let feature = |((k, _), after): ((usize, usize), &f64)| {
            let (strength, shape) = self.found.evidence_of(k);
            ln_gamma(shape) - ln_gamma(prior.shape) + prior.shape * prior.scale.ln() - shape * after.ln()
                + 0.5 * (prior.strength / strength).ln()
                - 0.5 * mass[k] * LN_2PI
        };
        classes + scales.indexed_iter().map(feature).sum::<f64>()
    }
}
