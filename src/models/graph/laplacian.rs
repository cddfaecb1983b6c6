//! The three Laplacians.

use super::similarity::Graph;
use crate::Result;
use crate::matrix::SparseMatrix;

/// Which Laplacian of a graph with weights W and degrees D.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Laplacian {
    /// `L = D - W`.
    Unnormalised,
    /// `I - D^-½ W D^-½`: symmetric, with eigenvalues in [0, 2].
    #[default]
    Symmetric,
    /// `I - D⁻¹ W`: not symmetric, with the eigenvalues of [`Laplacian::Symmetric`]; `D⁻¹ W` is a random walk.
    RandomWalk,
}

impl Graph {
    /// The Laplacian. The row of a vertex without an edge is zero in all three: alone it is a component.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite) if degrees are so small that their inverses overflow.
    ///
    /// ```
    /// use mercer::prelude::*;
    /// let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)])?;
    /// let dense = path.laplacian(Laplacian::Unnormalised)?.to_dense()?;
    /// assert_eq!(dense, ndarray::array![[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn laplacian(&self, which: Laplacian) -> Result<SparseMatrix> {
        let d = self.degrees();
        let edge = |i: usize, j: usize, w: f64| match which {
            Laplacian::Unnormalised => -w,
            Laplacian::Symmetric => -w / d[i].sqrt() / d[j].sqrt(),
            Laplacian::RandomWalk => -w / d[i],
        };
        let own = |i: usize| match which {
            Laplacian::Unnormalised => d[i],
            _ => f64::from(u8::from(d[i] > 0.0)),
        };
        let n = self.order();
        let edges = self.weights().entries().map(|(i, j, w)| (i, j, edge(i, j, w)));
        let all: Vec<_> = edges.chain((0..n).map(|i| (i, i, own(i)))).collect();
        SparseMatrix::from_triplets(n, n, &all)
    }
}
