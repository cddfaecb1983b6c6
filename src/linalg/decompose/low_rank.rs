//! Low-rank approximations of a positive semi-definite matrix.

use ndarray::Array2;

/// `A ≈ F F^T` with F of k columns, and what is left over.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    /// F, `n x k`.
    pub factor: Array2<f64>,
    /// The rows of A that it was made from, in the order in which they were taken; there `F F^T` is exact.
    pub pivots: Vec<usize>,
    /// `tr(A - F F^T) / tr(A)`: zero is exact, one is nothing. The remainder is positive semi-definite, so this also
    /// bounds its norm.
    pub residual: f64,
    /// The residual after each column, for a factor that grows by columns; else empty.
    pub trace: Vec<f64>,
    /// What was added to the diagonal of the landmarks' matrix, in absolute terms.
    pub jitter: f64,
}

impl LowRank {
    /// k.
    pub fn rank(&self) -> usize {
        self.factor.ncols()
    }
}
