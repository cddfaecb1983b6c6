//! A classifier and a map of its scores, learned on different rows.

use ndarray::{Array2, ArrayView2, Axis, stack};

use super::{Isotonic, Platt, Temperature};
use crate::check::{finite, parameter, require};
use crate::configure::setters;
use crate::learn::answer::answered;
use crate::learn::data::{Inputs, Targets};
use crate::learn::labels::{Labels, most_probable};
use crate::learn::metrics::matched;
use crate::learn::multiclass::{ByDecision, Confidence};
use crate::learn::split::{KFold, Split};
use crate::learn::traits::{Classes, Fit, Predict, PredictProba, Score};
use crate::{Device, Progress, Result};

/// Which map is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CalibrationMap {
    /// [`Platt`]: two parameters, for few rows.
    #[default]
    Platt,
    /// [`Isotonic`]: any shape that never falls, for a thousand rows and more.
    Isotonic,
    /// [`Temperature`]: one parameter, for any number of classes; no prediction changes.
    Temperature,
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Learned {
    Platt(Platt),
    Isotonic(Isotonic),
    Temperature(Temperature),
}

impl Learned {
    /// Probabilities of all classes by the scores of this classifier.
    fn of<T>(&self, fitted: &T, x: ArrayView2<f64>) -> Result<Array2<f64>>
    where
        ByDecision: Confidence<T>,
    {
        let second = match self {
            Learned::Platt(own) => own.map(&ByDecision::of(fitted, x)?),
            Learned::Isotonic(own) => own.map(&ByDecision::of(fitted, x)?),
            Learned::Temperature(own) => return own.map(ByDecision::logits(fitted, x)?),
        };
        Ok(stack![Axis(1), second.mapv(|p| 1.0 - p), second])
    }
}

/// A classifier of two classes whose scores become probabilities: on each of k parts of the rows the map is learned from the
/// scores of a classifier that was fitted to the others, and predictions are the mean of all k pairs.
///
/// [`CalibrationMap::Temperature`] takes more classes too: one temperature is learned from the scores of all parts, each by
/// the classifier that has not seen it, and changes the confidence of one classifier of all rows.
///
/// Any model that can be fitted to labels and has a [`Decision`](crate::learn::Decision).
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| (i as f64 / 5.0).sin() + i as f64 / 20.0);
/// let y: Vec<bool> = (0..40).map(|i| i > 18).collect();
/// let fit = Calibrated::new(Perceptron::new().max_passes(20), CalibrationMap::Platt).fit(&Device::cpu(), &x, &y)?;
/// assert!((fit.predict_proba(&x)?.row(0).sum() - 1.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Calibrated<M> {
    model: M,
    map: CalibrationMap,
    folds: usize,
    seed: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl<M> Calibrated<M> {
    /// This model and this map, by five parts of the rows, each with its share of both classes.
    pub fn new(model: M, map: CalibrationMap) -> Self {
        Calibrated { model, map, folds: 5, seed: 0, progress: Progress::none() }
    }

    /// Learns classifiers and maps from the rows of `x`, `n x d`, and their labels.
    ///
    /// # Errors
    /// Those of the model; [`Error::Parameter`](crate::Error::Parameter) for too few rows, or other than two classes unless a
    /// temperature is learned; [`Error::Separable`](crate::Error::Separable) if every row was right before, and no temperature
    /// is the likeliest.
    pub fn fit<L: Ord + Clone>(
        &self,
        device: &Device,
        x: impl Inputs,
        y: impl Targets<Of = [L]>,
    ) -> Result<FittedCalibrated<M::Fitted, L>>
    where
        M: Fit<[L]>,
        ByDecision: Confidence<M::Fitted>,
    {
        Fit::<[L]>::fit(self, device, x.inputs().view(), &y.targets())
    }
}

setters!(Calibrated<M> {
    /// How many parts there are.
    folds: usize,
    /// Seed of the parts.
    seed: u64,
    /// Called after the fit of each part; it can cancel.
    progress: Progress,
});

impl<M: Fit<[L]>, L: Ord + Clone> Fit<[L]> for Calibrated<M>
where
    ByDecision: Confidence<M::Fitted>,
{
    type Fitted = FittedCalibrated<M::Fitted, L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let op = "Calibrated::fit";
        finite(op, "x", x)?;
        require(op, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
        let (labels, index) = Labels::of_classes(y)?;
        let k = labels.classes().len();
        if self.map == CalibrationMap::Temperature {
            let pair = self.tempered(device, x, y, &index, k)?;
            return Ok(FittedCalibrated { labels, pairs: vec![pair] });
        }
        parameter("classes", k as f64, k == 2, "there must be two; put it in OneVsRest for more")?;
        let mut pairs = Vec::with_capacity(self.folds);
        for fold in KFold::new(self.folds).shuffled(self.seed).stratified(y).split(x.nrows())? {
            let (train, test) = (&fold.0, &fold.1);
            let own: Vec<L> = train.iter().map(|&i| y[i].clone()).collect();
            let fitted = self.model.fit(device, x.select(Axis(0), train).view(), &own)?;
            let scores = ByDecision::of(&fitted, x.select(Axis(0), test).view())?;
            let up: Vec<bool> = test.iter().map(|&i| index[i] == 1).collect();
            let learned = if self.map == CalibrationMap::Platt {
                Learned::Platt(Platt::learned(&scores, &up))
            } else {
                Learned::Isotonic(Isotonic::learned(&scores, &up))
            };
            pairs.push((fitted, learned));
            self.progress.report(op, pairs.len(), self.folds, f64::NAN)?;
        }
        Ok(FittedCalibrated { labels, pairs })
    }
}

impl<M> Calibrated<M> {
    /// A classifier of all rows, and the temperature of scores that were held out.
    fn tempered<L: Ord + Clone>(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &[L],
        index: &[usize],
        k: usize,
    ) -> Result<(M::Fitted, Learned)>
    where
        M: Fit<[L]>,
        ByDecision: Confidence<M::Fitted>,
    {
        let op = "Calibrated::fit";
        let mut scores = Array2::zeros((x.nrows(), k));
        for (part, fold) in
            KFold::new(self.folds).shuffled(self.seed).stratified(y).split(x.nrows())?.iter().enumerate()
        {
            let (train, test) = (&fold.0, &fold.1);
            let own: Vec<L> = train.iter().map(|&i| y[i].clone()).collect();
            let fitted = self.model.fit(device, x.select(Axis(0), train).view(), &own)?;
            let found = ByDecision::logits(&fitted, x.select(Axis(0), test).view())?;
            require(op, found.ncols() == k, || format!("a part has {} of {k} classes", found.ncols()))?;
            test.iter().zip(found.rows()).for_each(|(&i, row)| scores.row_mut(i).assign(&row));
            self.progress.report(op, part + 1, self.folds, f64::NAN)?;
        }
        let temperature = Temperature::of(&scores, index)?;
        Ok((self.model.fit(device, x, y)?, Learned::Temperature(temperature)))
    }
}

/// Fitted [`Calibrated`]: a classifier and a map for each part, or one of both.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedCalibrated<T, L> {
    labels: Labels<L>,
    pairs: Vec<(T, Learned)>,
}

impl<T, L> FittedCalibrated<T, L> {
    /// The labels in ascending order.
    pub fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<T, L: Ord + Clone> FittedCalibrated<T, L>
where
    ByDecision: Confidence<T>,
{
    /// Probabilities of all classes, one row for each row of `x`.
    ///
    /// # Errors
    /// Those of the classifiers.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered("FittedCalibrated::predict_proba", PredictProba::predict_proba(self, x.inputs().view()))
    }

    /// The most probable label of each row.
    ///
    /// # Errors
    /// Those of the classifiers.
    pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
        Predict::predict(self, x.inputs().view())
    }

    /// The share of the rows of `x` whose label is predicted as in `y`.
    ///
    /// # Errors
    /// As `predict`, and for a `y` that does not fit.
    pub fn score(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<f64> {
        Score::<[L]>::score(self, x.inputs().view(), &y.targets())
    }
}

impl<T, L> PredictProba for FittedCalibrated<T, L>
where
    ByDecision: Confidence<T>,
{
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut p = Array2::zeros((x.nrows(), self.labels.classes().len()));
        for (fitted, map) in &self.pairs {
            p += &map.of(fitted, x)?;
        }
        Ok(p / self.pairs.len() as f64)
    }
}

impl<T, L: Ord + Clone> Predict for FittedCalibrated<T, L>
where
    ByDecision: Confidence<T>,
{
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        self.labels.names(&most_probable(PredictProba::predict_proba(self, x)?.view()))
    }
}

impl<T, L: Ord + Clone> Score<[L]> for FittedCalibrated<T, L>
where
    ByDecision: Confidence<T>,
{
    fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
        matched("FittedCalibrated::score", y, &Predict::predict(self, x)?)
    }
}

impl<T, L> Classes for FittedCalibrated<T, L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedCalibrated<T, L>);

#[cfg(feature = "serde")]
impl<T, L> crate::saved::Checked for FittedCalibrated<T, L> {
    fn check(&self) -> crate::Result<()> {
        let two = self.labels.classes().len() == 2;
        let sound = |(_, map): &(T, Learned)| match map {
            Learned::Platt(own) => two && own.slope().is_finite() && own.offset().is_finite(),
            Learned::Isotonic(own) => two && own.sound(),
            Learned::Temperature(own) => own.temperature() > 0.0 && own.temperature().is_finite(),
        };
        let fits = self.labels.classes().len() > 1 && !self.pairs.is_empty() && self.pairs.iter().all(sound);
        crate::check::require("a saved FittedCalibrated", fits, || "classes or maps that are none".to_owned())
    }
}
