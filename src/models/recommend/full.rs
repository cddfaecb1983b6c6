//! Low-rank factors of a table without gaps, by its singular value decomposition.

use ndarray::{Array1, Array2, s};

use crate::Result;
use crate::check::{finite, parameter};
use crate::learn::Inputs;
use crate::linalg::thin_svd;

/// `Y ≈ Φ Ψᵀ` with `Φ = U_k D_k^½`, `Ψ = V_k D_k^½`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FullFactors {
    /// Φ, one row a row of Y.
    pub left: Array2<f64>,
    /// Ψ, one row a column of Y.
    pub right: Array2<f64>,
    /// All singular values, descending.
    pub values: Array1<f64>,
    /// `‖Y - ΦΨᵀ‖²`, the sum of the squares of the values left out: no other product of rank k has less.
    pub error: f64,
}

/// The best factors of rank k of a matrix without gaps, by its singular value decomposition in f64 on the CPU. How the
/// values are divided between the two sides is a convention: half each.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let y = array![[4.0, 2.0, 1.0], [3.0, 3.0, 0.0], [1.0, 2.0, 5.0], [2.0, 0.0, 1.0]];
/// assert!((full_factors(&y, 1)?.error - 20.69243646).abs() < 1e-7);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a rank of zero or beyond the smaller side, and bad data.
pub fn full_factors(y: impl Inputs, rank: usize) -> Result<FullFactors> {
    let y = y.inputs();
    finite("full_factors", "y", y.view())?;
    let most = y.nrows().min(y.ncols());
    let holds = (1..=most).contains(&rank);
    parameter("rank", rank as f64, holds, "must be at least 1 and at most the smaller side of the table")?;
    let found = thin_svd(y.view())?;
    let roots = found.values.slice(s![..rank]).mapv(f64::sqrt);
    let error = found.values.slice(s![rank..]).mapv(|v| v * v).sum();
    let left = &found.u.slice(s![.., ..rank]) * &roots;
    let right = &found.v.slice(s![.., ..rank]) * &roots;
    Ok(FullFactors { left, right, values: found.values, error })
}
