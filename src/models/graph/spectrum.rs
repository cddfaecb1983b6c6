//! The smallest eigenpairs of a Laplacian: whole for small graphs; for large ones by Lanczos on the inverse, or where its factor
//! would be too full on a polynomial of the matrix.

use ndarray::{Array1, Array2, Axis, s};

use super::laplacian::Laplacian;
use super::similarity::Graph;
use super::{filter, inverse};
use crate::check::{components, room};
use crate::linalg::eigh;
use crate::{Error, Result};

/// Graphs up to this size are decomposed whole.
const SMALL: usize = 600;
/// Graphs up to this size are, if Lanczos does not converge.
const LARGE: usize = 4000;

/// Eigenvalues of a Laplacian in ascending order, and their vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    pub(super) values: Array1<f64>,
    pub(super) vectors: Array2<f64>,
}

impl Spectrum {
    /// The smallest k eigenvalues, ascending: none is negative.
    pub fn values(&self) -> &Array1<f64> {
        &self.values
    }

    /// `n x k`: the entry of each column that is largest in size is positive. Columns are orthonormal; those of
    /// [`Laplacian::RandomWalk`] are so with the degrees as weights, where a vertex without an edge counts 1.
    pub fn vectors(&self) -> &Array2<f64> {
        &self.vectors
    }

    /// The k >= 1 after which the eigenvalues jump most: `argmax λ_{k+1} - λ_k`.
    pub fn eigengap(&self) -> usize {
        let jump = |k: &usize| self.values[*k] - self.values[k - 1];
        (1..self.values.len()).reduce(|best, k| if jump(&k) > jump(&best) { k } else { best }).unwrap_or(1)
    }
}

/// The k smallest eigenvalues of a Laplacian of `graph`, and their eigenvectors.
///
/// # Errors
/// [`Error::Parameter`] if k is zero or above the number of vertices, [`Error::NoConvergence`] for a large graph.
///
/// ```
/// use mercer::prelude::*;
/// let path = Graph::from_edges(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)])?;
/// let found = spectrum(&path, Laplacian::Unnormalised, 2)?;
/// assert!(found.values()[0].abs() < 1e-14);
/// assert!((found.values()[1] - (2.0 - 2.0 * (std::f64::consts::PI / 5.0).cos())).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn spectrum(graph: &Graph, which: Laplacian, k: usize) -> Result<Spectrum> {
    let n = graph.order();
    components("eigenpairs", k, n)?;
    // What is similar to the random walk's, and symmetric.
    let symmetric = if which == Laplacian::RandomWalk { Laplacian::Symmetric } else { which };
    let l = graph.laplacian(symmetric)?;
    let widest = graph.degrees().iter().copied().fold(0.0, f64::max);
    let top = if symmetric == Laplacian::Unnormalised { 2.0 * widest } else { 2.0 };
    let top = if top > 0.0 { top } else { 1.0 };
    let whole = || -> Result<_> {
        room("vertices", n, n.saturating_mul(24))?;
        let all = eigh(l.to_dense()?.view())?;
        Ok((
            all.values.slice(s![..;-1]).slice(s![..k]).to_owned(),
            all.vectors.slice(s![.., ..;-1]).slice(s![.., ..k]).to_owned(),
        ))
    };
    let (values, mut vectors) = if n <= SMALL {
        whole()?
    } else {
        match inverse::smallest(&l, top, k)?.map_or_else(|| filter::smallest(&l, top, k), Ok) {
            Ok(found) => found,
            Err(Error::NoConvergence { .. }) if n <= LARGE => whole()?,
            Err(e) => return Err(e),
        }
    };
    if which == Laplacian::RandomWalk {
        let back = graph.degrees().mapv(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 });
        vectors *= &back.insert_axis(Axis(1));
    }
    for mut v in vectors.columns_mut() {
        let largest =
            v.iter().copied().fold(0f64, |m, v| if v.abs() > m.abs() * (1.0 + 1e-9) { v } else { m });
        if largest < 0.0 {
            v *= -1.0;
        }
    }
    Ok(Spectrum { values: values.mapv(|v| v.max(0.0)), vectors: vectors.as_standard_layout().into_owned() })
}
