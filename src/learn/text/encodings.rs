//! Labels and categories as numbers, and back.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayRef, Ix1};

use crate::Result;
use crate::check::{finite, not_negative, parameter, require};
use crate::learn::classify::winners;
use crate::learn::data::{Inputs, Targets};
use crate::learn::labels::Labels;

/// How classes become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TargetCode {
    /// Two classes as 0 and 1, in one column.
    ZeroOne,
    /// Two classes as -1 and +1, in one column.
    PlusMinus,
    /// A column for each class, 1 in its own and 0 elsewhere.
    OneHot,
}

impl TargetCode {
    /// The labels, and the code of each entry of `y`.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let (labels, t) = TargetCode::PlusMinus.encode(&["no", "yes", "no"])?;
    /// assert_eq!(t, ndarray::array![[-1.0], [1.0], [-1.0]]);
    /// assert_eq!(TargetCode::PlusMinus.decode(&labels, &t)?, ["no", "yes", "no"]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for no labels, [`Error::Parameter`](crate::Error::Parameter) for other than
    /// two classes where there is one column.
    pub fn encode<L: Ord + Clone>(
        self,
        y: &(impl Targets<Of = [L]> + ?Sized),
    ) -> Result<(Labels<L>, Array2<f64>)> {
        let (labels, index) = Labels::of_classes(&y.targets())?;
        let k = labels.classes().len();
        parameter(
            "classes",
            k as f64,
            self == TargetCode::OneHot || k == 2,
            "there must be two for one column",
        )?;
        let columns = if self == TargetCode::OneHot { k } else { 1 };
        let low = if self == TargetCode::PlusMinus { -1.0 } else { 0.0 };
        let code = |(i, c): (usize, usize)| {
            let own = if columns == 1 { index[i] == 1 } else { index[i] == c };
            if own { 1.0 } else { low }
        };
        let t = Array2::from_shape_fn((index.len(), columns), code);
        Ok((labels, t))
    }

    /// The label whose code is nearest to each row: the largest column, or the side of the middle.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other columns than the code has, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn decode<L: Ord + Clone>(self, labels: &Labels<L>, t: impl Inputs) -> Result<Vec<L>> {
        let t = t.inputs();
        let op = "TargetCode::decode";
        finite(op, "the codes", t.view())?;
        let columns = if self == TargetCode::OneHot { labels.classes().len() } else { 1 };
        require(op, t.ncols() == columns, || format!("{columns} columns, not {}", t.ncols()))?;
        let middle = if self == TargetCode::ZeroOne { 0.5 } else { 0.0 };
        labels.names(&winners((&t - middle).view()))
    }
}

/// Categories as columns: 1 in the column of its category, 0 elsewhere; all zero for one that was not seen.
///
/// ```
/// use mercer::prelude::*;
/// let colours = OneHot::of(&["red", "blue", "red"])?;
/// assert_eq!(colours.encode(&["blue", "green"]), ndarray::array![[1.0, 0.0], [0.0, 0.0]]);
/// assert_eq!(colours.decode(ndarray::array![[0.0, 1.0], [0.0, 0.0]])?, [Some("red"), None]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OneHot<L> {
    labels: Labels<L>,
}

impl<L: Ord + Clone> OneHot<L> {
    /// The categories of these.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if there are none.
    pub fn of(categories: &(impl Targets<Of = [L]> + ?Sized)) -> Result<Self> {
        Ok(OneHot { labels: Labels::of(&categories.targets())?.0 })
    }

    /// The categories in ascending order: the columns.
    pub fn categories(&self) -> &[L] {
        self.labels.classes()
    }

    /// One row for each.
    pub fn encode(&self, categories: &(impl Targets<Of = [L]> + ?Sized)) -> Array2<f64> {
        let all = categories.targets();
        let mut out = Array2::zeros((all.len(), self.categories().len()));
        for (mut row, category) in out.rows_mut().into_iter().zip(all.iter()) {
            if let Ok(j) = self.categories().binary_search(category) {
                row[j] = 1.0;
            }
        }
        out
    }

    /// The category of the largest entry of each row; none of a row without a positive one.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other columns, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn decode(&self, codes: impl Inputs) -> Result<Vec<Option<L>>> {
        let codes = codes.inputs();
        let k = self.categories().len();
        finite("OneHot::decode", "the codes", codes.view())?;
        require("OneHot::decode", codes.ncols() == k, || {
            format!("{k} categories, {} columns", codes.ncols())
        })?;
        let largest = crate::learn::labels::most_probable(codes.view());
        let name = |(row, j): (ndarray::ArrayView1<f64>, usize)| {
            (row[j] > 0.0).then(|| self.categories()[j].clone())
        };
        Ok(codes.rows().into_iter().zip(largest).map(name).collect())
    }
}

/// A category as the mean of the target in it, drawn towards the mean of all: `(Σ y + m ȳ) / (n + m)`.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let means = TargetMeans::of(&["a", "a", "b"], &array![1.0, 3.0, 8.0], 1.0)?;
/// assert_eq!(means.encode(&["a", "b", "c"]), array![[8.0 / 3.0], [6.0], [4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TargetMeans<L: Ord> {
    means: BTreeMap<L, f64>,
    overall: f64,
}

impl<L: Ord + Clone> TargetMeans<L> {
    /// Of these categories and targets, with the prior count m ≥ 0 of the overall mean.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for other numbers of both or none, [`Error::NotFinite`](crate::Error::NotFinite),
    /// [`Error::Parameter`](crate::Error::Parameter) for a negative m.
    pub fn of(
        categories: &(impl Targets<Of = [L]> + ?Sized),
        y: &(impl Targets<Of = ArrayRef<f64, Ix1>> + ?Sized),
        prior_count: f64,
    ) -> Result<Self> {
        let (op, all, y) = ("TargetMeans", categories.targets(), y.targets().into_owned());
        not_negative("prior_count", prior_count)?;
        finite(op, "the targets", y.view().insert_axis(ndarray::Axis(1)))?;
        require(op, all.len() == y.len(), || format!("{} categories, {} targets", all.len(), y.len()))?;
        let overall = y.sum() / y.len() as f64;
        let mut sums: BTreeMap<L, (f64, f64)> = BTreeMap::new();
        for (category, y) in all.iter().zip(&y) {
            let entry = sums.entry(category.clone()).or_default();
            (entry.0, entry.1) = (entry.0 + y, entry.1 + 1.0);
        }
        let mean = |(category, (sum, n)): (L, (f64, f64))| {
            (category, (sum + prior_count * overall) / (n + prior_count))
        };
        Ok(TargetMeans { means: sums.into_iter().map(mean).collect(), overall })
    }

    /// The mean of each category, one column; the overall mean of one that was not seen.
    pub fn encode(&self, categories: &(impl Targets<Of = [L]> + ?Sized)) -> Array2<f64> {
        let of = |category: &L| self.means.get(category).copied().unwrap_or(self.overall);
        categories.targets().iter().map(of).collect::<Array1<f64>>().insert_axis(ndarray::Axis(1))
    }
}
