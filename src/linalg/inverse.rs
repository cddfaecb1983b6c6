//! The inverse of a factored matrix where the factor lives: for traces and gradients, which need all of it.
//!
//! Checked in `tests/linalg/spd.rs` against the refined inverse.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::Array2;

use super::spd_factor::SpdFactor;
use crate::device::vector_state;
use crate::matrix::host::zeros;
use crate::ops::{Side, Trans, Triangle, gemm, solve_triangular};
use crate::{Matrix, Result};

impl SpdFactor {
    /// The **lower triangle** of `(A + jitter I)⁻¹`, as exact as the factor, on its device; what is above the diagonal
    /// is not to be read.
    ///
    /// `2n³/3` operations on the CPU, where [`SpdFactor::inverse`] refines every column for `4n³`.
    ///
    /// # Errors
    /// Those of the device.
    pub fn inverse_lower(&self) -> Result<Matrix> {
        let l = self.factor();
        match l.host() {
            Some(host) => Ok(Matrix::from_host(on_host(host))),
            None => self.inverse_on_gpu(l),
        }
    }

    /// `S L⁻ᵀ L⁻¹ S` from the inverse of L.
    fn inverse_on_gpu(&self, l: &Matrix) -> Result<Matrix> {
        let n = self.dim();
        let mut eye = Array2::zeros((n, n));
        match self.scale() {
            None => eye.diag_mut().fill(1.0),
            Some(s) => eye.diag_mut().assign(&s),
        }
        let eye = Matrix::upload("SpdFactor::inverse_lower", &l.device(), eye.view())?;
        let half = solve_triangular(l, Triangle::Lower, Trans::No, Side::Left, &eye)?;
        gemm(1.0, &half, Trans::Yes, &half, Trans::No)
    }
}

/// The lower triangle of `L⁻ᵀL⁻¹`, row-major; the rest is zero.
fn on_host(l: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let par = if n < 128 { Par::Seq } else { Par::rayon(0) };
    let (mut half, mut out) = (zeros(n, n), zeros(n, n));
    let strides = l.strides();
    // SAFETY: the view describes the array, which outlives it.
    let l = unsafe { MatRef::from_raw_parts(l.as_ptr(), n, n, strides[0], strides[1]) };
    // By columns, as faer likes it; and by rows, as the sums that read the result do.
    let half = half.as_slice_mut().expect("a new array is row-major");
    let mut half = MatMut::from_column_major_slice_mut(half, n, n);
    let whole = MatMut::from_row_major_slice_mut(out.as_slice_mut().expect("a new array is row-major"), n, n);
    let (lower, upper) = (BlockStructure::TriangularLower, BlockStructure::TriangularUpper);
    vector_state::restored(|| {
        invert_lower_triangular(half.as_mut(), l, par);
        let half = half.as_ref();
        matmul(whole, lower, Accum::Replace, half.transpose(), upper, half, lower, 1.0, par);
    });
    out
}
