//! Many classes by classifiers of two. Checked in `tests/learn/multiclass.rs` against scikit-learn.

use std::marker::PhantomData;

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::data::{Inputs, Targets};
use super::labels::Labels;
use super::metrics::matched;
use super::traits::{Classes, Decision, Fit, Predict, PredictProba, Score};
use crate::check::{finite, require};
use crate::learn::answer::answered;
use crate::{Device, Progress, Result};

/// How sure a classifier of two classes is of the second, row by row.
pub trait Confidence<T> {
    /// One number for each row of `x`: larger for the second class, and 0 between the two.
    ///
    /// # Errors
    /// Those of the classifier.
    fn of(fitted: &T, x: ArrayView2<f64>) -> Result<Array1<f64>>;

    /// One column for each class: differences are log-odds, or what stands for them.
    ///
    /// # Errors
    /// Those of the classifier.
    fn logits(fitted: &T, x: ArrayView2<f64>) -> Result<Array2<f64>>;
}

/// Confidence by [`Decision`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByDecision;

/// Confidence by [`PredictProba`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByProba;

impl<T: Decision> Confidence<T> for ByDecision {
    fn of(fitted: &T, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        last_column(fitted.decision(x)?, 1)
    }

    fn logits(fitted: &T, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let scores = fitted.decision(x)?;
        let first = Array2::zeros((scores.nrows(), usize::from(scores.ncols() == 1)));
        Ok(ndarray::concatenate![Axis(1), first, scores])
    }
}

impl<T: PredictProba> Confidence<T> for ByProba {
    fn of(fitted: &T, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        Ok(last_column(fitted.predict_proba(x)?, 2)? - 0.5)
    }

    fn logits(fitted: &T, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(fitted.predict_proba(x)?.mapv(|p| p.max(f64::MIN_POSITIVE).ln()))
    }
}

fn last_column(scores: Array2<f64>, columns: usize) -> Result<Array1<f64>> {
    require("a classifier of two classes", scores.ncols() == columns, || {
        format!("it gave {} columns, not {columns}", scores.ncols())
    })?;
    Ok(scores.index_axis_move(Axis(1), columns - 1))
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident -> $(#[$fitted_doc:meta])* $fitted:ident, $count:expr;)+) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name<M, C = ByDecision> {
            model: M,
            progress: Progress,
            confidence: PhantomData<C>,
        }

        impl<M> $name<M> {
            /// By the [`Decision`] of this classifier of two classes.
            pub fn new(model: M) -> Self {
                $name { model, progress: Progress::none(), confidence: PhantomData }
            }
        }

        impl<M> $name<M, ByProba> {
            /// By the [`PredictProba`] of this classifier of two classes.
            pub fn by_proba(model: M) -> Self {
                $name { model, progress: Progress::none(), confidence: PhantomData }
            }
        }

        impl<M: Fit<[bool]>, C> $name<M, C> {
            /// Called after every fit of a classifier of two classes; it can cancel.
            #[must_use]
            pub fn progress(mut self, progress: Progress) -> Self {
                self.progress = progress;
                self
            }

            /// Learns to predict the labels `y`, n of any ordered type, from the rows of `x`, `n x d`.
            ///
            /// # Errors
            /// Those of the classifier; [`Error::Parameter`](crate::Error::Parameter) for fewer than two classes;
            /// [`Error::Cancelled`](crate::Error::Cancelled).
            pub fn fit<L: Ord + Clone>(
                &self,
                device: &Device,
                x: impl Inputs,
                y: impl Targets<Of = [L]>,
            ) -> Result<$fitted<M::Fitted, L, C>> {
                Fit::<[L]>::fit(self, device, x.inputs().view(), &y.targets())
            }
        }

        $(#[$fitted_doc])*
        #[derive(Debug, Clone)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
        pub struct $fitted<T, L, C = ByDecision> {
            labels: Labels<L>,
            fitted: Vec<T>,
            #[cfg_attr(feature = "serde", serde(skip))]
            confidence: PhantomData<C>,
        }

        #[cfg(feature = "serde")]
        crate::saved::saved!($fitted<T, L, C>);

        #[cfg(feature = "serde")]
        impl<T, L, C> crate::saved::Checked for $fitted<T, L, C> {
            fn check(&self) -> Result<()> {
                let (k, count) = (self.labels.classes().len(), self.fitted.len());
                let wanted: fn(usize) -> usize = $count;
                require(concat!("a saved ", stringify!($fitted)), k > 1 && count == wanted(k), || {
                    format!("{count} classifiers of {k} classes")
                })
            }
        }

        impl<T, L, C> $fitted<T, L, C> {
            /// The distinct labels in ascending order.
            pub fn classes(&self) -> &[L] {
                self.labels.classes()
            }

            /// The classifiers of two classes.
            pub fn fitted(&self) -> &[T] {
                &self.fitted
            }
        }

        impl<T, L, C> Classes for $fitted<T, L, C> {
            type Label = L;

            fn classes(&self) -> &[L] {
                self.labels.classes()
            }
        }

        impl<T, L: Ord + Clone, C: Confidence<T>> $fitted<T, L, C> {
            /// The label of each row of `x`, `m x d`.
            ///
            /// # Errors
            /// Those of the classifiers.
            pub fn predict(&self, x: impl Inputs) -> Result<Vec<L>> {
                Predict::predict(self, x.inputs().view())
            }

            /// Scores of classes, one row for each row of `x`: one column, positive for the second class, if there are
            /// two, else one for each.
            ///
            /// # Errors
            /// As `predict`.
            pub fn decision(&self, x: impl Inputs) -> Result<Array2<f64>> {
                answered("fitted::decision", Decision::decision(self, x.inputs().view()))
            }

            /// The share of the rows of `x` whose label is predicted as in `y`.
            ///
            /// # Errors
            /// As `predict`, and [`Error::Shape`](crate::Error::Shape) for a `y` that does not fit.
            pub fn score(&self, x: impl Inputs, y: impl Targets<Of = [L]>) -> Result<f64> {
                Score::<[L]>::score(self, x.inputs().view(), &y.targets())
            }
        }

        impl<T, L: Ord + Clone, C: Confidence<T>> Predict for $fitted<T, L, C> {
            type Output = Vec<L>;

            fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
                let scores = Decision::decision(self, x)?;
                let first_largest = |row: ndarray::ArrayView1<f64>| {
                    (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
                };
                let two = scores.ncols() == 1;
                let of = |row: ndarray::ArrayView1<f64>| {
                    if two { usize::from(row[0] > 0.0) } else { first_largest(row) }
                };
                self.labels.names(&scores.rows().into_iter().map(of).collect::<Vec<_>>())
            }
        }

        impl<T, L: Ord + Clone, C: Confidence<T>> Score<[L]> for $fitted<T, L, C> {
            fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
                matched(concat!(stringify!($fitted), "::score"), y, &Predict::predict(self, x)?)
            }
        }
    )+ };
}

reductions! {
    /// k classifiers, each of one class against all others; the surest wins. One will do for two classes.
    ///
    /// Any model that can be fitted to `bool` labels and has a [`Decision`], or a [`PredictProba`] by
    /// [`OneVsRest::by_proba`]; labels are of any ordered type.
    OneVsRest ->
    /// A classifier for each class against all others.
    FittedOneVsRest, |k| if k == 2 { 1 } else { k };
    /// `k(k-1)/2` classifiers, one for each pair of classes; the class that wins most pairs wins, and confidences decide
    /// where several win as many.
    ///
    /// Any model that can be fitted to `bool` labels and has a [`Decision`], or a [`PredictProba`] by
    /// [`OneVsOne::by_proba`]; labels are of any ordered type. Each fit sees the rows of its two classes alone.
    OneVsOne ->
    /// A classifier for each pair of classes `(0, 1), (0, 2), ..., (1, 2), ...`; true is the second of the pair.
    FittedOneVsOne, |k| k * (k - 1) / 2;
}

/// Labels and their indices of data that fit together.
fn checked<L: Ord + Clone>(op: &'static str, x: ArrayView2<f64>, y: &[L]) -> Result<(Labels<L>, Vec<usize>)> {
    finite(op, "x", x)?;
    require(op, x.nrows() == y.len(), || format!("x has {} rows, y has {}", x.nrows(), y.len()))?;
    Labels::of_classes(y)
}

impl<M: Fit<[bool]>, L: Ord + Clone, C> Fit<[L]> for OneVsRest<M, C> {
    type Fitted = FittedOneVsRest<M::Fitted, L, C>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let op = "OneVsRest::fit";
        let (labels, index) = checked(op, x, y)?;
        let k = labels.classes().len();
        let ones = if k == 2 { 1..2 } else { 0..k };
        let (total, mut fitted) = (ones.len(), Vec::new());
        for one in ones {
            let is: Vec<bool> = index.iter().map(|&i| i == one).collect();
            fitted.push(self.model.fit(device, x, &is)?);
            self.progress.report(op, fitted.len(), total, f64::NAN)?;
        }
        Ok(FittedOneVsRest { labels, fitted, confidence: PhantomData })
    }
}

impl<T, L: Ord + Clone, C: Confidence<T>> Decision for FittedOneVsRest<T, L, C> {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut scores = Array2::zeros((x.nrows(), self.fitted.len()));
        for (mut column, fitted) in scores.columns_mut().into_iter().zip(&self.fitted) {
            column.assign(&C::of(fitted, x)?);
        }
        Ok(scores)
    }
}

/// Each class's probability against the others, divided by their sum; all the same where that is zero.
impl<T: PredictProba, L: Ord + Clone> PredictProba for FittedOneVsRest<T, L, ByProba> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let p = Decision::decision(self, x)? + 0.5;
        if p.ncols() == 1 {
            let second = p.column(0);
            return Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second]);
        }
        let share = 1.0 / p.ncols() as f64;
        let mut p = p;
        for mut row in p.rows_mut() {
            let sum = row.sum();
            row.mapv_inplace(|v| if sum > 0.0 { v / sum } else { share });
        }
        Ok(p)
    }
}

impl<T: PredictProba, L: Ord + Clone> FittedOneVsRest<T, L, ByProba> {
    /// Probabilities, one row for each row of `x`, one column for each class; rows sum to one.
    ///
    /// # Errors
    /// As `predict`.
    pub fn predict_proba(&self, x: impl Inputs) -> Result<Array2<f64>> {
        answered("fitted::predict_proba", PredictProba::predict_proba(self, x.inputs().view()))
    }
}

impl<M: Fit<[bool]>, L: Ord + Clone, C> Fit<[L]> for OneVsOne<M, C> {
    type Fitted = FittedOneVsOne<M::Fitted, L, C>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<Self::Fitted> {
        let op = "OneVsOne::fit";
        let (labels, index) = checked(op, x, y)?;
        let mut fitted = Vec::new();
        let k = labels.classes().len();
        for (a, b) in pairs(k) {
            let rows: Vec<usize> = (0..index.len()).filter(|&i| index[i] == a || index[i] == b).collect();
            let second: Vec<bool> = rows.iter().map(|&i| index[i] == b).collect();
            fitted.push(self.model.fit(device, x.select(Axis(0), &rows).view(), &second)?);
            self.progress.report(op, fitted.len(), k * (k - 1) / 2, f64::NAN)?;
        }
        Ok(FittedOneVsOne { labels, fitted, confidence: PhantomData })
    }
}

/// All pairs of k classes.
fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

impl<T, L: Ord + Clone, C: Confidence<T>> Decision for FittedOneVsOne<T, L, C> {
    /// The number of pairs that a class wins, and less than half as much again by how surely: `votes + s / 3(|s| + 1)`.
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.labels.classes().len();
        if k == 2 {
            return Ok(C::of(&self.fitted[0], x)?.insert_axis(Axis(1)));
        }
        let mut votes = Array2::<f64>::zeros((x.nrows(), k));
        let mut sure = votes.clone();
        for ((a, b), fitted) in pairs(k).zip(&self.fitted) {
            for (i, score) in C::of(fitted, x)?.into_iter().enumerate() {
                votes[[i, if score > 0.0 { b } else { a }]] += 1.0;
                sure[[i, a]] -= score;
                sure[[i, b]] += score;
            }
        }
        Ok(votes + sure.mapv(|s| s / (3.0 * (s.abs() + 1.0))))
    }
}
