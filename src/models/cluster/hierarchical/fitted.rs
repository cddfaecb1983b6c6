//! The tree, and the clusters that it was cut into.

use ndarray::{Array2, ArrayView2};

use super::dendrogram::Dendrogram;
use crate::Result;
use crate::check::{inputs, require};
use crate::learn::Predict;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::models::cluster::seeding::closest;
use crate::saved::Format;

/// Fitted [`Hierarchical`](super::Hierarchical).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedHierarchical {
    format: Format,
    dendrogram: Dendrogram,
    labels: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
}

getters!(FittedHierarchical {
    /// The tree of all merges.
    dendrogram: &Dendrogram,
    /// The cluster of each observation, numbered in the order of their first members.
    labels: &[usize],
});

inherent!(FittedHierarchical: Predict -> Vec<usize>);

impl FittedHierarchical {
    pub(super) fn new(dendrogram: Dendrogram, labels: Vec<usize>, points: Array2<f64>) -> Self {
        FittedHierarchical { format: Format, dendrogram, labels, points }
    }
}

impl Predict for FittedHierarchical {
    type Output = Vec<usize>;

    /// The cluster of the nearest observation; an error if the fit was to dissimilarities.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        const OP: &str = "FittedHierarchical::predict";
        require(OP, self.points.ncols() > 0, || {
            "a fit to dissimilarities knows no points: use `fit` to predict".to_owned()
        })?;
        inputs(OP, x, self.points.ncols())?;
        let nearest = x.rows().into_iter().filter_map(|row| closest(row, self.points.view()));
        Ok(nearest.map(|(i, _)| self.labels[i]).collect())
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedHierarchical);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedHierarchical {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedHierarchical";
        self.dendrogram.check(OP)?;
        let n = self.dendrogram.observations();
        let fit = self.labels.len() == n && self.points.nrows() == n;
        require(OP, fit, || format!("{n} observations, {} labels", self.labels.len()))?;
        crate::check::numbers(OP, "the points", self.points.view())
    }
}
