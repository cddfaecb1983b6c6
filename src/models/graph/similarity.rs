//! Weighted graphs without direction. Checked in `tests/graph/similarity.rs`.

use ndarray::{Array1, ArrayView1};

use crate::check::{parameter, require};
use crate::learn::Inputs;
use crate::matrix::SparseMatrix;
use crate::{Error, Result};

/// Vertices and symmetric weights `w_ij >= 0`; a weight of zero is no edge. Weights `w_ii` are left out: they change
/// nothing in `D - W`, and the normalised forms are meant without them.
///
/// ```
/// use mercer::prelude::*;
/// // Two triangles and a bridge.
/// let edges = [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (3, 4, 1.0), (3, 5, 1.0), (4, 5, 1.0), (2, 3, 0.1)];
/// let graph = Graph::from_edges(6, &edges)?;
/// assert_eq!(graph.component_count(), 1);
/// assert!((graph.ratio_cut(&[0, 0, 0, 1, 1, 1])? - 0.2 / 3.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SparseMatrix", into = "SparseMatrix")
)]
pub struct Graph {
    weights: SparseMatrix,
    degrees: Array1<f64>,
}

impl From<Graph> for SparseMatrix {
    fn from(graph: Graph) -> SparseMatrix {
        graph.weights
    }
}

impl TryFrom<SparseMatrix> for Graph {
    type Error = Error;

    fn try_from(weights: SparseMatrix) -> Result<Graph> {
        Graph::from_sparse(&weights)
    }
}

impl Graph {
    /// n vertices and the edges (i, j, weight), each named once in either direction; weights of the same edge add up.
    ///
    /// # Errors
    /// [`Error::Shape`] for a vertex that does not exist, [`Error::Parameter`] for a negative weight,
    /// [`Error::NotFinite`].
    pub fn from_edges(n: usize, edges: &[(usize, usize, f64)]) -> Result<Self> {
        let both = edges.iter().filter(|(i, j, _)| i != j).flat_map(|&(i, j, w)| [(i, j, w), (j, i, w)]);
        let own = edges.iter().filter(|(i, j, _)| i == j).copied();
        Self::from_sparse(&SparseMatrix::from_triplets(n, n, &both.chain(own).collect::<Vec<_>>())?)
    }

    /// From a dense matrix of similarities, `n x n`: any that are not negative will do, positive definite or not.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is empty or not square, [`Error::Parameter`] if it is not symmetric or negative somewhere,
    /// [`Error::NotFinite`].
    pub fn from_similarities(w: impl Inputs) -> Result<Self> {
        let w = crate::check::symmetric("Graph::from_similarities", w.inputs().view())?;
        Self::from_sparse(&SparseMatrix::from_dense(w.view())?)
    }

    /// The graph of a sparse symmetric matrix of weights.
    ///
    /// # Errors
    /// As [`Graph::from_similarities`].
    pub fn from_sparse(w: &SparseMatrix) -> Result<Self> {
        // An operator asks for symmetry.
        crate::linalg::SparseOperator::new(w)?;
        for (i, j, v) in w.entries() {
            parameter(&format!("weight of the edge ({i}, {j})"), v, v >= 0.0, "must not be negative")?;
        }
        let kept: Vec<_> = w.entries().filter(|(i, j, v)| i != j && *v > 0.0).collect();
        let weights = SparseMatrix::from_triplets(w.rows(), w.cols(), &kept)?;
        let degrees = weights.row_sums();
        let largest = degrees.iter().copied().fold(0.0, f64::max);
        parameter("the largest degree", largest, largest.is_finite(), "must be finite")?;
        Ok(Graph { weights, degrees })
    }

    /// Number of vertices.
    pub fn order(&self) -> usize {
        self.weights.rows()
    }

    /// The weights W: symmetric, with an empty diagonal.
    pub fn weights(&self) -> &SparseMatrix {
        &self.weights
    }

    /// The edges (i, j, weight) with i < j.
    pub fn edges(&self) -> Vec<(usize, usize, f64)> {
        self.weights.entries().filter(|(i, j, _)| i < j).collect()
    }

    /// The degree `d_i = Σ_j w_ij` of each vertex.
    pub fn degrees(&self) -> &Array1<f64> {
        &self.degrees
    }

    /// The vertices without an edge.
    pub fn isolated(&self) -> Vec<usize> {
        (0..self.order()).filter(|&i| self.degrees[i] == 0.0).collect()
    }

    /// The connected component of each vertex, numbered in the order of their first vertices.
    pub fn components(&self) -> Vec<usize> {
        let n = self.order();
        let (mut of, mut count) = (vec![usize::MAX; n], 0);
        for start in 0..n {
            if of[start] < usize::MAX {
                continue;
            }
            of[start] = count;
            let mut next = vec![start];
            while let Some(i) = next.pop() {
                for (j, _) in self.weights.row(i) {
                    if of[j] == usize::MAX {
                        of[j] = count;
                        next.push(j);
                    }
                }
            }
            count += 1;
        }
        of
    }

    /// How many connected components there are: the multiplicity of the eigenvalue 0 of each Laplacian.
    pub fn component_count(&self) -> usize {
        self.components().into_iter().max().map_or(0, |last| last + 1)
    }

    /// `fᵀLf = ½ Σ_ij w_ij (f_i - f_j)²`: the penalty of a function on the vertices that changes along edges.
    ///
    /// # Errors
    /// [`Error::Shape`] if f has not a value for each vertex.
    pub fn smoothness(&self, f: ArrayView1<f64>) -> Result<f64> {
        self.values("Graph::smoothness", f)?;
        let each = self.weights.entries().map(|(i, j, w)| 0.5 * w * (f[i] - f[j]) * (f[i] - f[j]));
        Ok(each.sum())
    }

    /// `2 L f`: the gradient of [`Graph::smoothness`].
    ///
    /// # Errors
    /// As [`Graph::smoothness`].
    pub fn smoothness_gradient(&self, f: ArrayView1<f64>) -> Result<Array1<f64>> {
        self.values("Graph::smoothness_gradient", f)?;
        let at = |i: usize| 2.0 * self.weights.row(i).map(|(j, w)| w * (f[i] - f[j])).sum::<f64>();
        Ok((0..self.order()).map(at).collect())
    }

    pub(super) fn values(&self, op: &'static str, f: ArrayView1<f64>) -> Result<()> {
        let n = self.order();
        require(op, f.len() == n, || format!("{n} vertices, {} values", f.len()))?;
        crate::check::numbers(op, "f", f.insert_axis(ndarray::Axis(1)))
    }
}
