//! Boosting of any classifier that takes weights. Checked in `tests/classify/boosting.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::answer::answered;
use super::classify::{Task, sigmoid};
use super::data::{Inputs, Targets};
use super::labels::Labels;
use super::metrics::matched;
use super::traits::{Classes, Decision, Fit, FitWeighted, Predict, PredictProba, Score};
use super::{Report, Reported, Stop};
use crate::check::{parameter, require, room};
use crate::{Device, Progress, Result};

/// `a(x) = Σ_m π_m f_m(x)` over models `f_m = ±1`, each fitted with the weights `exp(-t_i a(x_i))` that those before have
/// left; `π_m = ½ ln((1 - ε_m)/ε_m)` for the weighted error `ε_m`.
///
/// `AdaBoost` over any weak learner that takes weights; two classes alone. The share of
/// rows that are wrong is at most `Π_m 2√(ε_m(1 - ε_m))`. It ends when a model makes no error or is no better than chance.
///
/// ```
/// use mercer::prelude::*;
/// use mercer::learn::Boosting;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64);
/// let y: Vec<bool> = (0..40).map(|i| i >= 20).collect();
/// let fit = Boosting::new(LinearDiscriminant::new(), 20).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(fit.score(&x, &y)?, 1.0);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Boosting<M> {
    model: M,
    rounds: usize,
    progress: Progress,
}

impl<M> Boosting<M> {
    /// So many models of this kind at most.
    pub fn new(model: M, rounds: usize) -> Self {
        Boosting { model, rounds, progress: Progress::none() }
    }

    /// Called after the fit of each model with the bound of the training error; it can cancel.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Learns from the rows of `x`, `n x d`, and their labels, of which there are two.
    ///
    /// # Errors
    /// Those of the model; [`Error::Shape`](crate::Error::Shape) for more classes than two or if the first model is no better
    /// than chance, [`Error::Parameter`](crate::Error::Parameter) for no models, [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit<L: Ord + Clone>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
    ) -> Result<FittedBoosting<M::Fitted, L>>
    where
        M: FitWeighted<[L], Fitted: Predict<Output = Vec<L>>>,
    {
        Fit::<[L]>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

impl<M: FitWeighted<[L], Fitted: Predict<Output = Vec<L>>>, L: Ord + Clone> Fit<[L]> for Boosting<M> {
    type Fitted = FittedBoosting<M::Fitted, L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        const OP: &str = "Boosting::fit";
        parameter("rounds", self.rounds as f64, self.rounds > 0, "must be at least 1")?;
        room("rounds", self.rounds, 64)?;
        let (labels, task) = Task::new(OP, x, y, None)?;
        let k = task.classes;
        require(OP, k == 2, || format!("{k} classes; put it in OneVsRest for more than two"))?;
        let t: Array1<f64> = task.index.iter().map(|k| if *k == 1 { 1.0 } else { -1.0 }).collect();
        let mut w = Array1::from_elem(t.len(), 1.0 / t.len() as f64);
        let (mut models, mut shares, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut loss, mut stop) = (1.0, Stop::Iterations);
        let mut trace = vec![loss];
        for round in 0..self.rounds {
            // In units of one row, as models with a penalty take them.
            let model = self.model.fit_weighted(device, x, y, (&w * t.len() as f64).view())?;
            let said = signs(&labels, &model, x)?;
            let wrong = w.iter().zip(&t).zip(&said).filter(|((_, t), s)| *t * *s < 0.0);
            let error: f64 = wrong.map(|((w, _), _)| w).sum();
            if error >= 0.5 - 1e-12 {
                stop = Stop::Stalled;
                break;
            }
            // Without an error the share would be infinite; this one decides against all others.
            let least = error.max(1e-12);
            let share = 0.5 * ((1.0 - least) / least).ln();
            loss *= 2.0 * (error * (1.0 - error)).sqrt();
            w *= &(-share * &t * &said).mapv(f64::exp);
            w /= w.sum();
            models.push(model);
            shares.push(share);
            errors.push(error);
            trace.push(loss);
            self.progress.report(OP, round + 1, self.rounds, loss)?;
            if error <= 1e-12 {
                stop = Stop::Converged;
                break;
            }
        }
        require(OP, !models.is_empty(), || "the model is no better than chance".to_owned())?;
        let report = Report { iterations: models.len(), stop, trace, starts: vec![loss] };
        let (shares, errors) = (shares.into(), errors.into());
        Ok(FittedBoosting { labels, models, shares, errors, report })
    }
}

/// `±1` of each row.
fn signs<T: Predict<Output = Vec<L>>, L: Ord + Clone>(
    labels: &Labels<L>,
    model: &T,
    x: ArrayView2<f64>,
) -> Result<Array1<f64>> {
    let said = labels.indices(&model.predict(x)?)?;
    Ok(said.into_iter().map(|k| if k == 1 { 1.0 } else { -1.0 }).collect())
}

/// Fitted [`Boosting`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedBoosting<T, L> {
    labels: Labels<L>,
    models: Vec<T>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    shares: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    errors: Array1<f64>,
    report: Report,
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedBoosting<T, L>);

#[cfg(feature = "serde")]
impl<T, L> crate::saved::Checked for FittedBoosting<T, L> {
    fn check(&self) -> Result<()> {
        let count = self.models.len();
        let fit = count > 0 && [self.shares.len(), self.errors.len()] == [count; 2];
        require("a saved FittedBoosting", fit && self.labels.classes().len() == 2, || {
            format!("{count} models, {} shares, {} classes", self.shares.len(), self.labels.classes().len())
        })
    }
}

impl<T, L> FittedBoosting<T, L> {
    /// The models, in the order in which they were fitted.
    pub fn models(&self) -> &[T] {
        &self.models
    }

    /// The share `π_m` of each model.
    pub fn shares(&self) -> &Array1<f64> {
        &self.shares
    }

    /// The weighted error `ε_m` of each model.
    pub fn errors(&self) -> &Array1<f64> {
        &self.errors
    }

    /// How the fit went; its objectives are bounds `Π 2√(ε(1 - ε))` of the training error.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> FittedBoosting<T, L> {
    /// The two labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }

    /// The label of each row of `x`: the second where `a(x)` is positive.
    ///
    /// # Errors
    /// Those of the models.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        answered("FittedBoosting::predict", Predict::predict(self, x.inputs().view()))
    }

    /// `a(x)` of each row, `n x 1`.
    ///
    /// # Errors
    /// Those of the models.
    pub fn decision(&self, x: impl Inputs) -> Result<Array2<f64>> {
        Decision::decision(self, x.inputs().view())
    }

    /// `σ(2a(x))` for the second class, `n x 2`.
    ///
    /// # Errors
    /// Those of the models.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        PredictProba::predict_proba(self, x.inputs().view())
    }

    /// The share of rows whose label is predicted.
    ///
    /// # Errors
    /// As `predict`, and [`Error::Shape`](crate::Error::Shape) unless there is a label for each row.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<f64> {
        Score::score(self, x.inputs().view(), &*y.targets())
    }
}

impl<T, L> Reported for FittedBoosting<T, L> {
    fn report(&self) -> &Report {
        &self.report
    }
}

impl<T, L> Classes for FittedBoosting<T, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Decision for FittedBoosting<T, L> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut a = Array1::zeros(x.nrows());
        for (model, share) in self.models.iter().zip(&self.shares) {
            a.scaled_add(*share, &signs(&self.labels, model, x)?);
        }
        Ok(a.insert_axis(Axis(1)))
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Predict for FittedBoosting<T, L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        let a = Decision::decision(self, x)?;
        self.labels.names(&a.iter().map(|a| usize::from(*a > 0.0)).collect::<Vec<_>>())
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> PredictProba for FittedBoosting<T, L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let second = Decision::decision(self, x)?.column(0).mapv(|a| sigmoid(2.0 * a));
        Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second])
    }
}

impl<T: Predict<Output = Vec<L>>, L: Ord + Clone> Score<[L]> for FittedBoosting<T, L> {
    fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
        matched("FittedBoosting::score", &Predict::predict(self, x)?, y)
    }
}
