//! Scores and predictions by folds. Checked in `tests/learn/validate.rs` against scikit-learn.

use std::fmt;

use ndarray::{Array, Array2, ArrayView2, Axis};

use crate::check::{finite, require};
use crate::learn::data::{Inputs, Rows, TargetDim, Targets};
use crate::learn::split::{Fold, Split};
use crate::learn::traits::{Fit, Predict};
use crate::{Device, Error, Progress, Result};

/// The score of each fold.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scores {
    folds: Vec<f64>,
}

impl Scores {
    /// The score of each fold, in their order.
    pub fn folds(&self) -> &[f64] {
        &self.folds
    }

    /// The mean over the folds.
    pub fn mean(&self) -> f64 {
        self.folds.iter().sum::<f64>() / self.folds.len() as f64
    }

    /// The standard deviation over the folds, `√(Σ(s - s̄)² / k)`.
    pub fn std(&self) -> f64 {
        let mean = self.mean();
        (self.folds.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / self.folds.len() as f64).sqrt()
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(4);
        write!(f, "{:.digits$} ± {:.digits$} ({} folds)", self.mean(), self.std(), self.folds.len())
    }
}

/// `metric(y_test, model fitted to the rest (x_test))` for every fold.
///
/// The model is fitted anew for each. The metric is a function of [`metrics`](crate::learn::metrics), given by name, or
/// any other of the truth and what was predicted. Look at [`CrossValidation`] for progress and other predictions.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((30, 1), |(i, _)| 0.2 * i as f64);
/// let y = x.column(0).mapv(f64::sin);
/// let model = KernelRidge::new(Kernel::rbf(1.0), 1e-3);
/// let scores = cross_validate(&model, &Device::cpu(), &x, &y, &KFold::new(5).shuffled(0), r2)?;
/// assert!(scores.mean() > 0.99, "{scores}");
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// Those of the split, of a fit, of a prediction and of the metric: the first that is met.
pub fn cross_validate<M, Y, F>(
    model: &M,
    device: &Device,
    x: impl Inputs,
    y: Y,
    split: &impl Split,
    metric: F,
) -> Result<Scores>
where
    Y: Targets,
    M: Fit<Y::Of, Fitted: Predict>,
    F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
{
    CrossValidation::by(split).scores(model, device, x, y, metric)
}

/// The prediction of every row by a model that was fitted to the other folds.
///
/// # Errors
/// As [`cross_validate`], and [`Error::Shape`] if the folds do not test every row exactly once.
pub fn cross_val_predict<M, Y, P>(
    model: &M,
    device: &Device,
    x: impl Inputs,
    y: Y,
    split: &impl Split,
) -> Result<P>
where
    Y: Targets,
    M: Fit<Y::Of, Fitted: Predict<Output = P>>,
    P: Predictions,
{
    CrossValidation::by(split).predictions(model, device, x, y, Predict::predict)
}

/// [`cross_validate`] and [`cross_val_predict`] with a progress that can cancel, and with predictions of any kind.
#[derive(Debug, Clone)]
pub struct CrossValidation<S> {
    pub(super) split: S,
    pub(super) progress: Progress,
}

impl<S: Split> CrossValidation<S> {
    /// A validation by these folds.
    pub fn by(split: S) -> Self {
        CrossValidation { split, progress: Progress::none() }
    }

    /// Called after every fold with its score, which is NaN for predictions; it can cancel.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// The scores of a model on each fold, as [`cross_validate`].
    ///
    /// # Errors
    /// As [`cross_validate`], and [`Error::Cancelled`].
    pub fn scores<M, Y, F>(
        &self,
        model: &M,
        device: &Device,
        x: impl Inputs,
        y: Y,
        metric: F,
    ) -> Result<Scores>
    where
        Y: Targets,
        M: Fit<Y::Of, Fitted: Predict>,
        F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
    {
        let (x, y) = (x.inputs(), y.targets());
        let folds = prepared("cross_validate", x.view(), &*y, &self.split)?;
        scores(model, device, x.view(), &*y, &folds, &metric, |made, score| {
            self.progress.report("cross_validate", made, folds.len(), score)
        })
    }

    /// What `of` says of the test rows of each fold, in the order of the rows: `|fit, x| fit.predict_proba(x)`.
    ///
    /// # Errors
    /// As [`cross_val_predict`], and [`Error::Cancelled`].
    pub fn predictions<M, Y, P: Predictions>(
        &self,
        model: &M,
        device: &Device,
        x: impl Inputs,
        y: Y,
        of: impl Fn(&M::Fitted, ArrayView2<f64>) -> Result<P>,
    ) -> Result<P>
    where
        Y: Targets,
        M: Fit<Y::Of>,
    {
        let (x, y) = (x.inputs(), y.targets());
        let op = "cross_val_predict";
        let folds = prepared(op, x.view(), &*y, &self.split)?;
        let mut tested = vec![0usize; x.nrows()];
        folds.iter().flat_map(|fold| &fold.1).for_each(|&i| tested[i] += 1);
        require(op, tested.iter().all(|t| *t == 1), || {
            "the folds do not test every row exactly once".to_owned()
        })?;
        let mut parts = Vec::new();
        for (made, fold) in folds.iter().enumerate() {
            let fitted = fitted(model, device, x.view(), &*y, &fold.0)?;
            parts.push(of(&fitted, x.select(Axis(0), &fold.1).view())?);
            self.progress.report(op, made + 1, folds.len(), f64::NAN)?;
        }
        let order: Vec<usize> = folds.into_iter().flat_map(|fold| fold.1).collect();
        P::gathered(parts, &order)
    }
}

/// The folds of data that fit together.
pub(super) fn prepared<Y: Rows + ?Sized>(
    op: &'static str,
    x: ArrayView2<f64>,
    y: &Y,
    split: &impl Split,
) -> Result<Vec<Fold>> {
    finite(op, "x", x)?;
    let (n, targets) = (x.nrows(), y.count().unwrap_or(x.nrows()));
    require(op, targets == n, || format!("x has {n} rows, y has {targets}"))?;
    let folds = split.split(n)?;
    require(op, !folds.is_empty(), || "there are no folds".to_owned())?;
    Ok(folds)
}

/// The model, fitted to these rows.
pub(super) fn fitted<M: Fit<Y>, Y: Rows + ?Sized>(
    model: &M,
    device: &Device,
    x: ArrayView2<f64>,
    y: &Y,
    rows: &[usize],
) -> Result<M::Fitted> {
    model.fit(device, x.select(Axis(0), rows).view(), std::borrow::Borrow::borrow(&y.select(rows)))
}

/// The score of what was fitted on these rows.
pub(super) fn scored<T: Predict, Y: Rows + ?Sized>(
    fitted: &T,
    x: ArrayView2<f64>,
    y: &Y,
    rows: &[usize],
    metric: &impl Fn(&Y, &T::Output) -> Result<f64>,
) -> Result<f64> {
    let predicted = fitted.predict(x.select(Axis(0), rows).view())?;
    let score = metric(std::borrow::Borrow::borrow(&y.select(rows)), &predicted)?;
    let (op, what) = ("cross_validate", "the score");
    if score.is_finite() {
        Ok(score)
    } else {
        Err(Error::NotFinite { op, what, value: score, row: 0, col: 0 })
    }
}

/// The score of every fold; `tell` hears of each and can end it.
pub(super) fn scores<M, Y>(
    model: &M,
    device: &Device,
    x: ArrayView2<f64>,
    y: &Y,
    folds: &[Fold],
    metric: &impl Fn(&Y, &<M::Fitted as Predict>::Output) -> Result<f64>,
    mut tell: impl FnMut(usize, f64) -> Result<()>,
) -> Result<Scores>
where
    Y: Rows + ?Sized,
    M: Fit<Y, Fitted: Predict>,
{
    let mut all = Vec::with_capacity(folds.len());
    for (train, test) in folds {
        let fit = fitted(model, device, x, y, train)?;
        all.push(scored(&fit, x, y, test, metric)?);
        tell(all.len(), all[all.len() - 1])?;
    }
    Ok(Scores { folds: all })
}

impl From<Vec<f64>> for Scores {
    fn from(folds: Vec<f64>) -> Self {
        Scores { folds }
    }
}

/// Predictions of several sets of rows that can be put together: numbers, probabilities, labels.
pub trait Predictions: Sized {
    /// All parts as one; `order` has the row of each prediction, in the order of the parts.
    ///
    /// # Errors
    /// [`Error::Shape`] for parts that do not fit together.
    fn gathered(parts: Vec<Self>, order: &[usize]) -> Result<Self>;
}

impl<D: TargetDim> Predictions for Array<f64, D> {
    fn gathered(parts: Vec<Self>, order: &[usize]) -> Result<Self> {
        let width = parts.first().map_or(0, |part| D::columns(part).ncols());
        let mut all = Array2::zeros((order.len(), width));
        let op = "cross_val_predict";
        let mut rows = order.iter();
        for part in &parts {
            let part = D::columns(part);
            require(op, part.ncols() == width, || {
                format!(
                    "one fold predicts {width} columns, another {}: a class is missing from its training rows",
                    part.ncols()
                )
            })?;
            part.rows().into_iter().zip(rows.by_ref()).for_each(|(row, &i)| all.row_mut(i).assign(&row));
        }
        Ok(D::shaped(all))
    }
}

impl<L: Clone> Predictions for Vec<L> {
    fn gathered(parts: Vec<Self>, order: &[usize]) -> Result<Self> {
        let all: Vec<L> = parts.into_iter().flatten().collect();
        let (made, wanted) = (all.len(), order.len());
        require("cross_val_predict", made == wanted, || format!("{made} predictions of {wanted} rows"))?;
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        Ok(place.into_iter().map(|at| all[at].clone()).collect())
    }
}
