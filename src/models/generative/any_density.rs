//! Any density as that of a class. Checked in `tests/classify/densities.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::gaussians::priors;
use super::naive_bayes::possible;
use crate::check::inputs;
use crate::learn::answer::answered;
use crate::learn::classify::{Task, contrast, log_sum_exp, softmax_rows, winners};
use crate::learn::metrics::matched;
use crate::learn::{
    Classes, Decision, Fit, Inputs, Labels, LogDensity, LogJoint, Predict, PredictProba, Score, Targets,
};
use crate::models::latent::{FittedFactorAnalysis, FittedPpca, FittedPpcaMixture};
use crate::models::mixture::{FittedBayesianGaussianMixture, FittedGaussianMixture};
use crate::{Device, Progress, Result};

macro_rules! densities {
    ($($fitted:ident),+) => { $(
        impl LogDensity for $fitted {
            fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
                self.score_samples(x)
            }
        }
    )+ };
}

densities!(
    FittedPpca,
    FittedPpcaMixture,
    FittedFactorAnalysis,
    FittedGaussianMixture,
    FittedBayesianGaussianMixture
);

/// `p(k | x) ∝ p(k) p(x | k)` with a density of any kind for each class: whatever is fitted to rows and has a
/// [`LogDensity`], such as [`Ppca`](crate::models::latent::Ppca), [`GaussianMixture`](crate::models::mixture::GaussianMixture)
/// or [`IndependentDensity`](super::IndependentDensity).
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [6.0, 7.0], [7.0, 5.0], [9.0, 6.0]];
/// let poisson = IndependentDensity::new(FeatureFamily::Poisson);
/// let fit = GenerativeClassifier::new(poisson).fit(&Device::cpu(), &x, ["few", "few", "few", "many", "many", "many"])?;
/// assert_eq!(fit.predict(array![[1.0, 2.0], [5.0, 8.0]])?, ["few", "many"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GenerativeClassifier<M> {
    density: M,
    priors: Option<Vec<f64>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl<M> GenerativeClassifier<M> {
    /// With this density for each class, and priors from the data.
    pub fn new(density: M) -> Self {
        GenerativeClassifier { density, priors: None, progress: Progress::none() }
    }

    /// The probability of each class, in the order of the classes; their shares by default.
    #[must_use]
    pub fn priors(mut self, priors: impl Into<Option<Vec<f64>>>) -> Self {
        self.priors = priors.into();
        self
    }

    /// Called after the fit of each class; it can cancel.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Learns the density of each class from its rows of `x`, `n x d`; `y` are n labels of any ordered type.
    ///
    /// # Errors
    /// Those of the density; [`Error::Parameter`](crate::Error::Parameter) for fewer than two classes;
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit<L: Ord + Clone>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
    ) -> Result<FittedGenerativeClassifier<M::Fitted, L>>
    where
        M: Fit<Fitted: LogDensity>,
    {
        Fit::<[L]>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

impl<M: Fit<Fitted: LogDensity>, L: Ord + Clone> Fit<[L]> for GenerativeClassifier<M> {
    type Fitted = FittedGenerativeClassifier<M::Fitted, L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let op = "GenerativeClassifier::fit";
        let (labels, task) = Task::new(op, x, y, None)?;
        let priors = priors(op, self.priors.as_ref(), &task.mass())?;
        let mut densities = Vec::with_capacity(task.classes);
        for k in 0..task.classes {
            let rows = x.select(Axis(0), &task.rows_of(k));
            densities.push(self.density.fit(device, rows.view(), &())?);
            self.progress.report(op, k + 1, task.classes, f64::NAN)?;
        }
        Ok(FittedGenerativeClassifier { labels, densities, priors, features: x.ncols() })
    }
}

/// Fitted [`GenerativeClassifier`]: a density and a prior for each class.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedGenerativeClassifier<T, L = usize> {
    labels: Labels<L>,
    densities: Vec<T>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    priors: Array1<f64>,
    features: usize,
}

impl<T, L> FittedGenerativeClassifier<T, L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The density of each class.
    pub fn densities(&self) -> &[T] {
        &self.densities
    }

    /// The probability of each class.
    pub fn priors(&self) -> &Array1<f64> {
        &self.priors
    }
}

impl<T: LogDensity, L: Ord + Clone> FittedGenerativeClassifier<T, L> {
    /// `ln p(x, class)`, one row for each row of `x`, one column for each class.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn log_joint(&self, x: impl Inputs) -> Result<Array2<f64>> {
        LogJoint::log_joint(self, x.inputs().view())
    }

    /// `ln p(x) = ln Σ p(x, class)` of each row.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn score_samples(&self, x: impl Inputs) -> Result<Array1<f64>> {
        self.log_density(x.inputs().view())
    }

    /// The label of each row.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        Predict::predict(self, x.inputs().view())
    }

    /// Probabilities of classes, one row for each row of `x`.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered(
            "FittedGenerativeClassifier::predict_proba",
            PredictProba::predict_proba(self, x.inputs().view()),
        )
    }

    /// Log-odds of two classes as one column, else log-joints.
    ///
    /// # Errors
    /// Those of the densities.
    pub fn decision(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered("FittedGenerativeClassifier::decision", Decision::decision(self, x.inputs().view()))
    }

    /// The share of the rows of `x` whose label is predicted as in `y`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<f64> {
        Score::<[L]>::score(self, x.inputs().view(), &y.targets())
    }
}

impl<T: LogDensity, L: Ord + Clone> LogJoint for FittedGenerativeClassifier<T, L> {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedGenerativeClassifier", x, self.features)?;
        let mut out = Array2::zeros((x.nrows(), self.densities.len()));
        for ((mut column, density), p) in out.columns_mut().into_iter().zip(&self.densities).zip(&self.priors)
        {
            column.assign(&(density.log_density(x)? + p.ln()));
        }
        Ok(out)
    }
}

impl<T: LogDensity, L: Ord + Clone> LogDensity for FittedGenerativeClassifier<T, L> {
    fn log_density(&self, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(LogJoint::log_joint(self, x)?.rows().into_iter().map(log_sum_exp).collect())
    }
}

impl<T: LogDensity, L: Ord + Clone> PredictProba for FittedGenerativeClassifier<T, L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let joint = LogJoint::log_joint(self, x)?;
        possible(&joint)?;
        Ok(softmax_rows(joint))
    }
}

impl<T: LogDensity, L: Ord + Clone> Decision for FittedGenerativeClassifier<T, L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let joint = LogJoint::log_joint(self, x)?;
        possible(&joint)?;
        Ok(contrast(joint))
    }
}

impl<T: LogDensity, L: Ord + Clone> Predict for FittedGenerativeClassifier<T, L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&winners(Decision::decision(self, x)?.view()))
    }
}

impl<T: LogDensity, L: Ord + Clone> Score<[L]> for FittedGenerativeClassifier<T, L> {
    fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
        matched("FittedGenerativeClassifier::score", y, &Predict::predict(self, x)?)
    }
}

impl<T, L> Classes for FittedGenerativeClassifier<T, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedGenerativeClassifier<T, L>);

#[cfg(feature = "serde")]
impl<T, L> crate::saved::Checked for FittedGenerativeClassifier<T, L> {
    fn check(&self) -> crate::Result<()> {
        let k = self.labels.classes().len();
        crate::check::probabilities("priors", &self.priors.to_vec())?;
        crate::check::require(
            "a saved FittedGenerativeClassifier",
            k > 1 && self.densities.len() == k && self.priors.len() == k,
            || format!("{k} classes, {} densities, {} priors", self.densities.len(), self.priors.len()),
        )
    }
}
