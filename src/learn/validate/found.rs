//! What a search finds: the best model, fitted, and how every candidate did. Checked in `tests/learn/search.rs`.

use std::fmt;

use ndarray::{Array2, ArrayView2};

use super::cross::Scores;
use crate::learn::data::{Inputs, Rows, Targets};
use crate::learn::traits::{Classes, Decision, Predict, PredictDistribution, PredictProba, Score, Transform};
use crate::{Error, Result};

/// How a candidate did: the scores of its folds, or why it failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub(super) scores: Result<Scores>,
    pub(super) point: Vec<f64>,
}

impl Candidate {
    /// The score of each fold; none if a fold has failed.
    pub fn scores(&self) -> Option<&Scores> {
        self.scores.as_ref().ok()
    }

    /// Why it failed, if it did.
    pub fn error(&self) -> Option<&Error> {
        self.scores.as_ref().err()
    }

    /// The mean score; none if a fold has failed.
    pub fn mean(&self) -> Option<f64> {
        self.scores().map(Scores::mean)
    }

    /// The point that it was made of, in a [`Guided`](super::Guided) search; else empty.
    pub fn point(&self) -> &[f64] {
        &self.point
    }
}

/// What a search has found: the best model, fitted to all rows, and the scores of all.
///
/// It predicts, and does whatever else the fitted model can.
#[derive(Debug, Clone)]
pub struct Found<M, T> {
    pub(super) model: M,
    pub(super) fitted: T,
    pub(super) table: Vec<Candidate>,
    pub(super) index: usize,
}

impl<M, T> Found<M, T> {
    /// The best model, as it was configured.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The best model, fitted to all rows.
    pub fn fitted(&self) -> &T {
        &self.fitted
    }

    /// The fitted model by itself.
    pub fn into_fitted(self) -> T {
        self.fitted
    }

    /// How every candidate did, in their order.
    pub fn table(&self) -> &[Candidate] {
        &self.table
    }

    /// The place of the best among the candidates.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The mean score of the best: flattering, because it was chosen for it. Nest a
    /// [`cross_validate`](super::cross_validate) for one that is not.
    pub fn best_score(&self) -> f64 {
        self.table[self.index].mean().unwrap_or(f64::NAN)
    }

    /// How well the rows of `x` and their targets are met, as the model scores itself.
    ///
    /// # Errors
    /// Those of the model.
    pub fn score<Y: Targets>(&self, x: impl Inputs, y: Y) -> Result<f64>
    where
        T: Score<Y::Of>,
    {
        self.fitted.score(x.inputs().view(), &y.targets())
    }
}

impl<M, T> fmt::Display for Found<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, candidate) in self.table.iter().enumerate() {
            let mark = if i == self.index { '*' } else { ' ' };
            match &candidate.scores {
                Ok(scores) => writeln!(f, "{mark} {i:>3}  {scores}")?,
                Err(e) => writeln!(f, "{mark} {i:>3}  failed: {e}")?,
            }
        }
        write!(f, "best of {}: number {}", self.table.len(), self.index)
    }
}

/// The traits of the fitted model, and the methods that take any inputs.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $trait:ident::$name:ident -> $(type $output:ident,)? $result:ty;)+) => { $(
        impl<M, T: $trait> $trait for Found<M, T> {
            $(type $output = T::$output;)?

            fn $name(&self, x: ArrayView2<f64>) -> Result<$result> {
                self.fitted.$name(x)
            }
        }

        impl<M, T: $trait> Found<M, T> {
            $(#[$doc])*
            ///
            /// # Errors
            /// Those of the model.
            pub fn $name(&self, x: impl Inputs) -> Result<$result> {
                self.fitted.$name(x.inputs().view())
            }
        }
    )+ };
}

forwarded! {
    /// The prediction of the best model at each row of `x`, `m x d`.
    Predict::predict -> type Output, T::Output;
    /// Probabilities, one row for each row of `x`, one column for each class.
    PredictProba::predict_proba -> Array2<f64>;
    /// Scores of classes, one row for each row of `x`.
    Decision::decision -> Array2<f64>;
    /// The distribution of a new observation at each row of `x`.
    PredictDistribution::predict_distribution -> type Distribution, T::Distribution;
    /// The features of each row of `x`.
    Transform::transform -> Array2<f64>;
}

impl<M, T: Score<Y>, Y: Rows + ?Sized> Score<Y> for Found<M, T> {
    fn score(&self, x: ArrayView2<f64>, y: &Y) -> Result<f64> {
        self.fitted.score(x, y)
    }
}

impl<M, T: Classes> Classes for Found<M, T> {
    type Label = T::Label;

    fn classes(&self) -> &[T::Label] {
        self.fitted.classes()
    }
}
