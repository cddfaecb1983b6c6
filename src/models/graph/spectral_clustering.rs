//! Spectral clustering. Checked in `tests/graph/spectral.rs`.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::laplacian::Laplacian;
use super::neighbourhood::{Neighbourhood, carried};
use super::similarity::Graph;
use super::spectrum::spectrum;
use crate::check::{components, parameter, sample};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::labels::most_probable;
use crate::learn::{Fit, Inputs, Predict, Report, Reported};
use crate::models::cluster::KMeans;
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// Neighbours of each point unless said otherwise; fewer if there are fewer points.
const NEIGHBOURS: usize = 10;

/// How many clusters to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterCount {
    /// This many.
    Given(usize),
    /// As many as there are eigenvalues before the largest jump between two of them, and at most so many.
    Eigengap(usize),
}

impl From<usize> for ClusterCount {
    fn from(count: usize) -> Self {
        ClusterCount::Given(count)
    }
}

/// `min Σ_k cut(C_k, C̄_k) / |C_k|`, relaxed: k-means on the rows of the eigenvectors of the K smallest eigenvalues of a
/// graph's Laplacian.
///
/// [`Laplacian::Unnormalised`] relaxes the ratio cut, [`Laplacian::RandomWalk`] the normalised cut;
/// [`Laplacian::Symmetric`], the default, has its rows scaled to length 1 first. The graph joins 10 nearest neighbours
/// unless another [`Neighbourhood`] is given. Clusters may have any shape; in a graph with K components they are those.
/// It runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// // Two rings, one inside the other: no two centres tell them apart.
/// let ring = |i: usize| { let t = i as f64 * 0.314159265; let r = if i < 20 { 1.0 } else { 3.0 }; [r * t.cos(), r * t.sin()] };
/// let x = ndarray::Array2::from_shape_fn((40, 2), |(i, j)| ring(i)[j]);
/// let fit = SpectralClustering::new(2).neighbourhood(Neighbourhood::nearest(3)).fit(&Device::cpu(), &x)?;
/// assert!((0..40).all(|i| (fit.labels()[i] == fit.labels()[0]) == (i < 20)));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SpectralClustering {
    clusters: ClusterCount,
    laplacian: Laplacian,
    neighbourhood: Option<Neighbourhood>,
    restarts: usize,
    seed: u64,
    progress: Progress,
}

impl SpectralClustering {
    /// So many clusters, or [`ClusterCount::Eigengap`].
    pub fn new(clusters: impl Into<ClusterCount>) -> Self {
        SpectralClustering {
            clusters: clusters.into(),
            laplacian: Laplacian::Symmetric,
            neighbourhood: None,
            restarts: 10,
            seed: 0,
            progress: Progress::none(),
        }
    }

    /// Clusters the vertices of a graph.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for fewer vertices than clusters,
    /// [`Error::NoConvergence`](crate::Error::NoConvergence) of a large graph's eigenvectors,
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_graph(&self, graph: &Graph) -> Result<FittedSpectralClustering> {
        self.run(graph.clone(), Array2::zeros((graph.order(), 0)), Neighbourhood::nearest(1))
    }

    fn run(&self, graph: Graph, x: Array2<f64>, rule: Neighbourhood) -> Result<FittedSpectralClustering> {
        let n = graph.order();
        let (k, found) = match self.clusters {
            ClusterCount::Given(k) => {
                components("clusters", k, n)?;
                (k, spectrum(&graph, self.laplacian, (k + 1).min(n))?)
            }
            ClusterCount::Eigengap(most) => {
                components("clusters", most, n)?;
                let found = spectrum(&graph, self.laplacian, (most + 1).min(n))?;
                (found.eigengap(), found)
            }
        };
        let mut embedding = found.vectors.slice(s![.., ..k]).to_owned();
        if self.laplacian == Laplacian::Symmetric {
            for mut row in embedding.rows_mut() {
                let length = row.dot(&row).sqrt();
                if length > 0.0 {
                    row /= length;
                }
            }
        }
        let means = KMeans::new(k).restarts(self.restarts).seed(self.seed).progress(self.progress.clone());
        let means = means.fit(&Device::cpu(), &embedding)?;
        Ok(FittedSpectralClustering {
            format: Format,
            labels: in_order(means.labels()),
            clusters: k,
            embedding,
            eigenvalues: found.values,
            graph,
            points: x,
            rule,
            report: means.report().clone(),
        })
    }
}

/// The same clusters, numbered in the order of their first members.
fn in_order(labels: &[usize]) -> Vec<usize> {
    let mut names = Vec::new();
    let mut name = |l: &usize| {
        names.iter().position(|n| n == l).unwrap_or_else(|| {
            names.push(*l);
            names.len() - 1
        })
    };
    labels.iter().map(&mut name).collect()
}

setters!(SpectralClustering {
    /// How many clusters there are.
    clusters: into ClusterCount,
    /// Which Laplacian; the symmetric one by default.
    laplacian: Laplacian,
    /// How points are joined; the 10 nearest of either by default.
    neighbourhood: into Option<Neighbourhood>,
    /// Starts of k-means, of which the best counts; 10 by default.
    restarts: usize,
    /// Seed of the starts of k-means.
    seed: u64,
    /// Called after every iteration of k-means; it can cancel the fit.
    progress: Progress,
});

fits!(SpectralClustering: Fit -> FittedSpectralClustering);

impl Fit for SpectralClustering {
    type Fitted = FittedSpectralClustering;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedSpectralClustering> {
        sample("SpectralClustering::fit", "x", x, 2)?;
        let rule = usual(self.neighbourhood, x.nrows());
        self.run(rule.build(x)?, x.to_owned(), rule)
    }
}

/// The rule that was asked for, or the nearest ten.
pub(super) fn usual(rule: Option<Neighbourhood>, n: usize) -> Neighbourhood {
    rule.unwrap_or_else(|| Neighbourhood::nearest(NEIGHBOURS.min(n.saturating_sub(1)).max(1)))
}

/// Fitted [`SpectralClustering`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedSpectralClustering {
    format: Format,
    labels: Vec<usize>,
    clusters: usize,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    embedding: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    eigenvalues: Array1<f64>,
    graph: Graph,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    rule: Neighbourhood,
    report: Report,
}

getters!(FittedSpectralClustering {
    /// The cluster of each point, numbered in the order of their first points.
    labels: &[usize],
    /// How many clusters were looked for.
    clusters: usize,
    /// The rows that k-means has seen, `n x K`.
    embedding: &Array2<f64>,
    /// The smallest eigenvalues of the Laplacian, one more than clusters if there are so many: the jump shows.
    eigenvalues: &Array1<f64>,
    /// The graph.
    graph: &Graph,
    /// How the best start of k-means went.
    report: &Report,
});

inherent!(FittedSpectralClustering: Predict -> Vec<usize>);

impl Predict for FittedSpectralClustering {
    type Output = Vec<usize>;

    /// The cluster that most of a row's neighbours among the points of the fit are in, by their weights.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<usize>> {
        const OP: &str = "FittedSpectralClustering::predict";
        parameter("features", 0.0, self.points.ncols() > 0, "a fit to a graph knows no points: use `fit`")?;
        let mut votes = Array2::zeros((self.labels.len(), self.clusters));
        self.labels.iter().enumerate().for_each(|(i, &k)| votes[[i, k]] = 1.0);
        let shares = carried(OP, &self.rule, self.points.view(), votes.view(), x.inputs().view())?;
        Ok(most_probable(shares.view()))
    }
}

impl Reported for FittedSpectralClustering {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedSpectralClustering);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedSpectralClustering {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedSpectralClustering";
        use crate::check::{numbers, require};
        let n = self.graph.order();
        let fit = self.labels.len() == n
            && self.points.nrows() == n
            && self.embedding.len_of(ndarray::Axis(0)) == n;
        require(OP, fit, || format!("{n} vertices, {} labels", self.labels.len()))?;
        require(OP, self.labels.iter().all(|k| *k < self.clusters), || {
            "a label beyond the clusters".to_owned()
        })?;
        numbers(OP, "the points", self.points.view())?;
        numbers(OP, "the embedding", self.embedding.view())
    }
}
