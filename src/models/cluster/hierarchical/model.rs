//! What is to be merged, and by which distance.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::chain::merges;
use super::fitted::FittedHierarchical;
use crate::check::{finite, not_negative, parameter, room, symmetric};
use crate::learn::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, Inputs};
use crate::models::cluster::seeding::squared_distance;
use crate::{Device, Progress, Result};

/// The distance between two clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Linkage {
    /// Of their two nearest members: merges follow the minimum spanning tree.
    Single,
    /// Of their two farthest members.
    Complete,
    /// The mean over all pairs of members.
    Average,
    /// `√(2 |A| |B| / (|A| + |B|)) |mean A - mean B|`: half its square is what the sum of squares grows by.
    #[default]
    Ward,
}

/// Where the tree is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DendrogramCut {
    /// Into this many clusters.
    Clusters(usize),
    /// So that no cluster was merged above this height.
    Height(f64),
}

impl From<usize> for DendrogramCut {
    fn from(clusters: usize) -> Self {
        DendrogramCut::Clusters(clusters)
    }
}

/// Merges the two nearest clusters, again and again, from n single points to one cluster: n - 1 nested partitions.
///
/// By chains of nearest neighbours: `O(n²)` operations on `n² / 2` distances, on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::array![[0.0], [1.0], [5.0], [5.5], [20.0]];
/// let fit = Hierarchical::new(3).linkage(Linkage::Single).fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.labels(), [0, 0, 1, 1, 2]);
/// let heights: Vec<f64> = fit.dendrogram().merges().iter().map(|m| m.height()).collect();
/// assert_eq!(heights, [0.5, 1.0, 4.0, 14.5]);
/// assert_eq!(fit.dendrogram().cut_at(4.0)?, [0, 0, 0, 0, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Hierarchical {
    cut: DendrogramCut,
    linkage: Linkage,
    progress: Progress,
}

impl Hierarchical {
    /// By Ward's distance, cut into so many clusters or at a [`DendrogramCut::Height`].
    pub fn new(cut: impl Into<DendrogramCut>) -> Self {
        Hierarchical { cut: cut.into(), linkage: Linkage::Ward, progress: Progress::none() }
    }

    /// Merges n observations by their dissimilarities, `n x n`, symmetric, not negative and with zeros on its diagonal. Ward's
    /// distance takes them for Euclidean ones.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if the matrix is empty or not square;
    /// [`Error::NotFinite`](crate::Error::NotFinite); [`Error::Parameter`](crate::Error::Parameter) if it is not as it should be,
    /// or there are more clusters than observations; [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_dissimilarity(&self, dissimilarity: impl Inputs) -> Result<FittedHierarchical> {
        let v = symmetric("Hierarchical::fit_dissimilarity", dissimilarity.inputs().view())?;
        for ((i, j), &d) in v.indexed_iter() {
            let holds = if i == j { d == 0.0 } else { d >= 0.0 };
            let requirement = "must not be negative, and zero from an observation to itself";
            parameter(&format!("V({i}, {j})"), d, holds, requirement)?;
        }
        let n = v.nrows();
        let below = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| v[[i, j]]).collect();
        self.run(n, below, Array2::zeros((n, 0)))
    }

    fn run(&self, n: usize, distances: Vec<f64>, x: Array2<f64>) -> Result<FittedHierarchical> {
        if let DendrogramCut::Height(height) = self.cut {
            not_negative("height", height)?;
        }
        let tree = merges(n, distances, self.linkage, &self.progress)?;
        let labels = match self.cut {
            DendrogramCut::Clusters(k) => tree.cut(k)?,
            DendrogramCut::Height(height) => tree.cut_at(height)?,
        };
        Ok(FittedHierarchical::new(tree, labels, x))
    }
}

setters!(Hierarchical {
    /// Where the tree is cut: into so many clusters, or at a height.
    cut: into DendrogramCut,
    /// The distance between clusters; Ward's by default.
    linkage: Linkage,
    /// Called after every merge; it can cancel the fit.
    progress: Progress,
});

fits!(Hierarchical: Fit -> FittedHierarchical);

impl Fit for Hierarchical {
    type Fitted = FittedHierarchical;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedHierarchical> {
        finite("Hierarchical::fit", "x", x)?;
        let n = x.nrows();
        room("observations", n, n.saturating_mul(size_of::<f64>()))?;
        let rows: Vec<Vec<f64>> = (0..n)
            .into_par_iter()
            .map(|i| (0..i).map(|j| squared_distance(x.row(i), x.row(j)).sqrt()).collect())
            .collect();
        let distances = rows.concat();
        if distances.iter().any(|d| !(d * d * n as f64).is_finite()) {
            return Err(crate::check::blame("Hierarchical::fit", x));
        }
        self.run(n, distances, x.to_owned())
    }
}
