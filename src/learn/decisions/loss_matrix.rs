//! The decision of least expected loss.

use ndarray::{Array2, ArrayView1};

use super::probabilities;
use crate::Result;
use crate::check::{finite, parameter, require, room};
use crate::learn::data::Inputs;
use crate::learn::labels::most_probable;

/// `L[k][j]`, what it costs to decide j when k is true: the best decision is `argmin_j Σ_k p(k | x) L[k][j]`.
///
/// Decisions need not be classes: a last column of constant cost is the decision to leave it to somebody else.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// // To miss an illness (true 1, decided 0) costs ten times a false alarm.
/// let loss = LossMatrix::new(array![[0.0, 1.0], [10.0, 0.0]])?;
/// let p = array![[0.95, 0.05], [0.8, 0.2]];
/// assert_eq!(loss.decide(&p)?, [0, 1]);
/// assert!((loss.risk(&p)?[[0, 0]] - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LossMatrix {
    costs: Array2<f64>,
}

impl LossMatrix {
    /// Of these costs, one row for each class, one column for each decision.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is empty, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn new(costs: Array2<f64>) -> Result<Self> {
        finite("LossMatrix", "the costs", costs.view())?;
        Ok(LossMatrix { costs })
    }

    /// 1 for every error: the least expected loss is that of the most probable class.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no classes.
    pub fn zero_one(classes: usize) -> Result<Self> {
        room("classes", classes, classes.saturating_mul(8))?;
        Self::new(Array2::from_shape_fn((classes, classes), |(k, j)| f64::from(u8::from(k != j))))
    }

    /// The same with one more decision, the last, which costs this much whatever is true.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn with_reject(&self, cost: f64) -> Result<Self> {
        let (k, j) = self.costs.dim();
        Self::new(Array2::from_shape_fn((k, j + 1), |(a, b)| if b < j { self.costs[[a, b]] } else { cost }))
    }

    /// The costs, one row for each class, one column for each decision.
    pub fn costs(&self) -> &Array2<f64> {
        &self.costs
    }

    /// The expected loss of each decision, one row for each row of probabilities.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of classes,
    /// [`Error::Parameter`](crate::Error::Parameter) for what are no probabilities.
    pub fn risk(&self, p: impl Inputs) -> Result<Array2<f64>> {
        let p = p.inputs();
        let classes = self.costs.nrows();
        require("LossMatrix", p.ncols() == classes, || format!("{classes} classes, {} columns", p.ncols()))?;
        probabilities("LossMatrix", p.view())?;
        Ok(p.dot(&self.costs))
    }

    /// The decision of least expected loss for each row of probabilities, the first of equals.
    ///
    /// # Errors
    /// As [`LossMatrix::risk`].
    pub fn decide(&self, p: impl Inputs) -> Result<Vec<usize>> {
        Ok(most_probable((-self.risk(p)?).view()))
    }
}

/// The most probable class of each row, or none where its probability is below the threshold.
///
/// A threshold of at most 1/K never declines; one of 1 declines unless a class is certain.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for what are no probabilities, or a threshold outside of [0, 1].
pub fn most_probable_or_reject(p: impl Inputs, threshold: f64) -> Result<Vec<Option<usize>>> {
    let p = p.inputs();
    probabilities("most_probable_or_reject", p.view())?;
    parameter("threshold", threshold, (0.0..=1.0).contains(&threshold), "must lie between 0 and 1")?;
    let of = |(row, k): (ArrayView1<f64>, usize)| (row[k] >= threshold).then_some(k);
    Ok(p.rows().into_iter().zip(most_probable(p.view())).map(of).collect())
}

/// Whether the probability of the second of two classes is at least the threshold.
///
/// With 1/2 it is the most probable class; where a false alarm costs a and a miss costs b, `a/(a + b)` is the threshold of
/// least expected loss.
///
/// # Errors
/// As [`most_probable_or_reject`]; [`Error::Shape`](crate::Error::Shape) for other than two columns.
pub fn above_threshold(p: impl Inputs, threshold: f64) -> Result<Vec<bool>> {
    let p = p.inputs();
    require("above_threshold", p.ncols() == 2, || format!("{} columns, not two", p.ncols()))?;
    probabilities("above_threshold", p.view())?;
    parameter("threshold", threshold, (0.0..=1.0).contains(&threshold), "must lie between 0 and 1")?;
    Ok(p.column(1).iter().map(|p| *p >= threshold).collect())
}
