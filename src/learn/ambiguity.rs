//! Where many classes by two disagree. Checked in `tests/classify/multiclass.rs`.

use ndarray::Array2;

use super::data::Inputs;
use super::multiclass::{Confidence, FittedOneVsOne, FittedOneVsRest};
use crate::Result;

impl<T, L: Ord + Clone, C: Confidence<T>> FittedOneVsRest<T, L, C> {
    /// How many classes claim each row: where it is not one, the region is ambiguous, and confidence alone decided.
    ///
    /// # Errors
    /// Those of the classifiers.
    pub fn claims(&self, x: impl Inputs) -> Result<Vec<usize>> {
        let scores = self.decision(x)?;
        if scores.ncols() == 1 {
            return Ok(vec![1; scores.nrows()]);
        }
        Ok(scores.rows().into_iter().map(|row| row.iter().filter(|s| **s > 0.0).count()).collect())
    }
}

impl<T, L: Ord + Clone, C: Confidence<T>> FittedOneVsOne<T, L, C> {
    /// The pairs that each class wins, one row for each row of `x`: a row sums to `K(K-1)/2`.
    ///
    /// # Errors
    /// Those of the classifiers.
    pub fn votes(&self, x: impl Inputs) -> Result<Array2<usize>> {
        let (x, k) = (x.inputs(), self.classes().len());
        let mut votes = Array2::zeros((x.nrows(), k));
        let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        for ((a, b), fitted) in pairs.zip(self.fitted()) {
            for (i, score) in C::of(fitted, x.view())?.into_iter().enumerate() {
                votes[[i, if score > 0.0 { b } else { a }]] += 1;
            }
        }
        Ok(votes)
    }

    /// Whether several classes win most pairs of each row, so that confidence alone decided.
    ///
    /// # Errors
    /// Those of the classifiers.
    pub fn ties(&self, x: impl Inputs) -> Result<Vec<bool>> {
        let tied = |row: ndarray::ArrayView1<usize>| {
            let most = row.iter().max();
            row.iter().filter(|v| Some(*v) == most).count() > 1
        };
        Ok(self.votes(x)?.rows().into_iter().map(tied).collect())
    }
}
