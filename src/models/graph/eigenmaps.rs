//! Laplacian eigenmaps and spectral ranking. Checked in `tests/graph/eigenmaps.rs`.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::laplacian::Laplacian;
use super::neighbourhood::{Neighbourhood, carried};
use super::similarity::Graph;
use super::spectral_clustering::usual;
use super::spectrum::spectrum;
use crate::check::{parameter, sample};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// `L u = λ D u`: the eigenvectors after the constant one as coordinates, which keep neighbours near:
/// `min ½ Σ_ij w_ij |z_i - z_j|²` with `Zᵀ D Z = I` and `Zᵀ D 1 = 0`.
///
/// The graph joins the 10 nearest neighbours unless another [`Neighbourhood`] is given. Each further component of a graph
/// that is not connected takes one coordinate, which tells it from the others and nothing else;
/// [`FittedLaplacianEigenmaps::components`] says how many there are. It runs on the CPU in f64, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// let x = ndarray::Array2::from_shape_fn((12, 1), |(i, _)| i as f64);
/// let fit = LaplacianEigenmaps::new(1).neighbourhood(Neighbourhood::nearest(1)).fit(&Device::cpu(), &x)?;
/// let z = fit.embedding().column(0);
/// assert!((1..12).all(|i| z[i] > z[i - 1]) || (1..12).all(|i| z[i] < z[i - 1])); // a path stays one
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LaplacianEigenmaps {
    dimensions: usize,
    neighbourhood: Option<Neighbourhood>,
}

impl LaplacianEigenmaps {
    /// So many coordinates.
    pub fn new(dimensions: usize) -> Self {
        LaplacianEigenmaps { dimensions, neighbourhood: None }
    }

    /// Coordinates of the vertices of a graph.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless there are more vertices than coordinates, and at least one of
    /// these; [`Error::NoConvergence`](crate::Error::NoConvergence) of a large graph's eigenvectors.
    pub fn fit_graph(&self, graph: &Graph) -> Result<FittedLaplacianEigenmaps> {
        self.run(graph, Array2::zeros((graph.order(), 0)), Neighbourhood::nearest(1))
    }

    fn run(&self, graph: &Graph, x: Array2<f64>, rule: Neighbourhood) -> Result<FittedLaplacianEigenmaps> {
        let (n, k) = (graph.order(), self.dimensions);
        parameter(
            "dimensions",
            k as f64,
            k >= 1 && k < n,
            "must be at least 1 and below the number of points",
        )?;
        let found = spectrum(graph, Laplacian::RandomWalk, k + 1)?;
        Ok(FittedLaplacianEigenmaps {
            format: Format,
            embedding: found.vectors.slice(s![.., 1..]).to_owned(),
            eigenvalues: found.values.slice(s![1..]).to_owned(),
            components: graph.component_count(),
            isolated: graph.isolated(),
            points: x,
            rule,
        })
    }
}

setters!(LaplacianEigenmaps {
    /// How many coordinates.
    dimensions: usize,
    /// How points are joined; the 10 nearest of either by default.
    neighbourhood: into Option<Neighbourhood>,
});

fits!(LaplacianEigenmaps: Fit -> FittedLaplacianEigenmaps);

impl Fit for LaplacianEigenmaps {
    type Fitted = FittedLaplacianEigenmaps;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedLaplacianEigenmaps> {
        sample("LaplacianEigenmaps::fit", "x", x, 2)?;
        let rule = usual(self.neighbourhood, x.nrows());
        self.run(&rule.build(x)?, x.to_owned(), rule)
    }
}

/// Fitted [`LaplacianEigenmaps`].
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedLaplacianEigenmaps {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    embedding: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    eigenvalues: Array1<f64>,
    components: usize,
    isolated: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    points: Array2<f64>,
    rule: Neighbourhood,
}

getters!(FittedLaplacianEigenmaps {
    /// The coordinates of the points of the fit, `n x k`.
    embedding: &Array2<f64>,
    /// The eigenvalue of each coordinate, ascending.
    eigenvalues: &Array1<f64>,
    /// Connected components of the graph: more than one, and the first coordinates only tell them apart.
    components: usize,
    /// The points without a neighbour.
    isolated: &[usize],
});

inherent!(FittedLaplacianEigenmaps: Transform);

/// The mean of the coordinates of a row's neighbours among the points of the fit, by their weights: what the penalty of the
/// fit would choose for one more point. A row that equals a point has its coordinates.
impl Transform for FittedLaplacianEigenmaps {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        parameter("features", 0.0, self.points.ncols() > 0, "a fit to a graph knows no points: use `fit`")?;
        carried(
            "FittedLaplacianEigenmaps::transform",
            &self.rule,
            self.points.view(),
            self.embedding.view(),
            x,
        )
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedLaplacianEigenmaps);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedLaplacianEigenmaps {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedLaplacianEigenmaps";
        let (n, m) = (self.embedding.nrows(), self.points.nrows());
        crate::check::require(OP, n == m, || format!("{m} points, {n} rows of coordinates"))?;
        crate::check::finite(OP, "the embedding", self.embedding.view())?;
        crate::check::numbers(OP, "the points", self.points.view())
    }
}

/// Vertices in the order of the second eigenvector of the Laplacian: [`spectral_ranking`].
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralRanking {
    order: Vec<usize>,
    scores: Array1<f64>,
    connectivity: f64,
}

getters!(SpectralRanking {
    /// The vertices by ascending score; either end may be the first.
    order: &[usize],
    /// The Fiedler vector: the score of each vertex.
    scores: &Array1<f64>,
    /// The second smallest eigenvalue: how hard the graph is to cut.
    connectivity: f64,
});

/// `argmin ½ Σ_ij w_ij (f_i - f_j)²` with `|f| = 1` and `Σ f_i = 0`, which is the Fiedler vector, and the order that it
/// puts the vertices in: similar ones stand near each other (seriation).
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for fewer than two vertices, or a graph that is not connected: nothing then
/// says how its components are to be ordered.
///
/// ```
/// use mercer::prelude::*;
/// let path = Graph::from_edges(4, &[(2, 0, 1.0), (0, 3, 1.0), (3, 1, 1.0)])?;
/// let order = spectral_ranking(&path)?.order().to_vec();
/// assert!(order == [2, 0, 3, 1] || order == [1, 3, 0, 2]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn spectral_ranking(graph: &Graph) -> Result<SpectralRanking> {
    let n = graph.order();
    parameter("vertices", n as f64, n >= 2, "there must be two to be ordered")?;
    let parts = graph.component_count();
    parameter("connected components", parts as f64, parts == 1, "the graph must be connected")?;
    let found = spectrum(graph, Laplacian::Unnormalised, 2)?;
    let scores = found.vectors.column(1).to_owned();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    Ok(SpectralRanking { order, scores, connectivity: found.values[1] })
}
