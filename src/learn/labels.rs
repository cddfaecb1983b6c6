//! Classes of any ordered type, and their indices. Checked in `tests/learn/labels.rs`.

use ndarray::{ArrayView1, ArrayView2};

use crate::check::parameter;
use crate::{Error, Result};

/// What a class may be called: anything that can be ordered and cloned.
pub trait Label: Ord + Clone {}

impl<L: Ord + Clone> Label for L {}

/// Distinct labels in ascending order; a label's index is its place in it.
///
/// ```
/// use mercer::learn::Labels;
/// let (labels, index) = Labels::of(&["merlot", "barolo", "merlot"])?;
/// assert_eq!(labels.classes(), ["barolo", "merlot"]);
/// assert_eq!(index, [1, 0, 1]);
/// assert_eq!(labels.names(&[0, 1])?, ["barolo", "merlot"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Labels<L> {
    classes: Vec<L>,
}

impl<L: Ord + Clone> Labels<L> {
    /// The distinct labels of `y`, and the index of each entry.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are none.
    pub fn of(y: &[L]) -> Result<(Self, Vec<usize>)> {
        if y.is_empty() {
            return Err(Error::Shape { op: "labels", what: "there are no labels".to_owned() });
        }
        let mut classes = y.to_vec();
        classes.sort();
        classes.dedup();
        let labels = Labels { classes };
        let index = labels.indices(y)?;
        Ok((labels, index))
    }

    /// [`Labels::of`], if there are at least two.
    ///
    /// # Errors
    /// [`Error::Parameter`] if all labels are the same, [`Error::Shape`] if there are none.
    pub fn of_classes(y: &[L]) -> Result<(Self, Vec<usize>)> {
        let found = Self::of(y)?;
        let count = found.0.classes.len();
        parameter("classes", count as f64, count > 1, "there must be at least two different labels")?;
        Ok(found)
    }

    /// The rows of positive weight, and [`Labels::of_classes`] of these.
    pub(crate) fn of_weighed(y: &[L], w: ArrayView1<f64>) -> Result<(Vec<usize>, Self, Vec<usize>)> {
        let rows: Vec<usize> = (0..y.len()).filter(|&i| w[i] > 0.0).collect();
        let some: Vec<L> = rows.iter().map(|&i| y[i].clone()).collect();
        let (labels, index) = Self::of_classes(&some)?;
        Ok((rows, labels, index))
    }

    /// The index of each entry of `y`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a label that is none of the classes.
    pub fn indices(&self, y: &[L]) -> Result<Vec<usize>> {
        let find = |(at, label)| {
            self.classes.binary_search(label).map_err(|_| Error::Parameter {
                name: format!("label {at}"),
                value: at as f64,
                requirement: "must be one of the classes that the model was fitted to",
            })
        };
        y.iter().enumerate().map(find).collect()
    }

    /// The label of each index.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an index beyond the classes.
    pub fn names(&self, indices: &[usize]) -> Result<Vec<L>> {
        let name = |&i: &usize| {
            self.classes.get(i).cloned().ok_or_else(|| Error::Parameter {
                name: "class index".to_owned(),
                value: i as f64,
                requirement: "must be below the number of classes",
            })
        };
        indices.iter().map(name).collect()
    }
}

impl<L> Labels<L> {
    /// The distinct labels in ascending order.
    pub fn classes(&self) -> &[L] {
        &self.classes
    }
}

/// The column of the largest entry of each row, the first of equals: the class that probabilities speak for.
pub(crate) fn most_probable(p: ArrayView2<f64>) -> Vec<usize> {
    let largest = |row: ArrayView1<f64>| {
        row.iter().enumerate().fold((0, f64::NEG_INFINITY), |a, (k, &v)| if v > a.1 { (k, v) } else { a }).0
    };
    p.rows().into_iter().map(largest).collect()
}

/// The class that decisions speak for: of one column the second class where it is zero or more, else [`most_probable`].
pub(crate) fn decided(scores: ArrayView2<f64>) -> Vec<usize> {
    if scores.ncols() == 1 {
        scores.column(0).iter().map(|f| usize::from(*f >= 0.0)).collect()
    } else {
        most_probable(scores)
    }
}
