//! The diffusion kernel between the vertices of a graph. Checked in `tests/graph/diffusion.rs`.

use ndarray::{Array2, Axis};

use super::laplacian::Laplacian;
use super::similarity::Graph;
use crate::Result;
use crate::check::{not_negative, require, room};
use crate::kernel::structures::ObjectKernel;
use crate::linalg::eigh;

/// What the diffusion kernel is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiffusionScale {
    /// 1: rows sum to one, and `K_ij` is the probability of a walk from i to end in j.
    #[default]
    Walk,
    /// The trace.
    UnitTrace,
    /// `√(K_ii K_jj)`: every vertex has length 1.
    UnitDiagonal,
}

/// `K = exp(-β L) / Z`: the kernel between the vertices of a graph that lets heat, or a random walk, run for a time β.
///
/// ```
/// use mercer::prelude::*;
/// let path = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 1.0)])?;
/// let kernel = Diffusion::new(&path, 0.5)?;
/// assert!((kernel.gram()[[0, 0]] - 0.6737870232).abs() < 1e-10);
/// // In any kernel method: the data are the numbers of the vertices.
/// let (x, y) = (ndarray::array![[0.0], [2.0]], ndarray::array![-1.0_f64, 1.0]);
/// let fit = KernelRidge::new(Kernel::precomputed(kernel.gram().clone()), 0.1).fit(&Device::cpu(), &x, &y)?;
/// assert!(fit.predict(ndarray::array![[1.0]])?[0].abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Diffusion {
    gram: Array2<f64>,
}

impl Diffusion {
    /// `exp(-β L)` with `L = D - W` and β >= 0, by the eigenvectors of L: n² numbers, n³ operations.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a β that is negative or not finite, or more vertices than memory
    /// has room for.
    pub fn new(graph: &Graph, beta: f64) -> Result<Self> {
        Self::scaled(graph, beta, DiffusionScale::Walk)
    }

    /// The diffusion kernel, divided as `scale` says.
    ///
    /// # Errors
    /// As [`Diffusion::new`].
    pub fn scaled(graph: &Graph, beta: f64, scale: DiffusionScale) -> Result<Self> {
        not_negative("beta", beta)?;
        let n = graph.order();
        room("vertices", n, n.saturating_mul(40))?;
        let found = eigh(graph.laplacian(Laplacian::Unnormalised)?.to_dense()?.view())?;
        let shrunk = found.values.mapv(|v| (-0.5 * beta * v.max(0.0)).exp());
        let half = &found.vectors * &shrunk.insert_axis(Axis(0));
        let mut gram = half.dot(&half.t());
        match scale {
            DiffusionScale::Walk => {}
            DiffusionScale::UnitTrace => gram /= gram.diag().sum(),
            DiffusionScale::UnitDiagonal => {
                let d = gram.diag().mapv(|v| 1.0 / v.sqrt());
                gram *= &d.view().insert_axis(Axis(0));
                gram *= &d.view().insert_axis(Axis(1));
            }
        }
        Ok(Diffusion { gram })
    }

    /// The kernel between all vertices, `n x n`.
    pub fn gram(&self) -> &Array2<f64> {
        &self.gram
    }
}

/// Between vertices by their numbers.
impl ObjectKernel<usize> for Diffusion {
    fn value(&self, a: &usize, b: &usize) -> Result<f64> {
        let n = self.gram.nrows();
        require("Diffusion::value", *a < n && *b < n, || format!("vertices {a} and {b} of {n}"))?;
        Ok(self.gram[[*a, *b]])
    }
}
