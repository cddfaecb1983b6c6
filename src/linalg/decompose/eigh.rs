//! The full decomposition of a symmetric matrix: `A = V diag(λ) V^T`, in f64 on the CPU.

use faer::diag::Diag;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatMut, MatRef, Par, Spec};
use ndarray::{Array1, Array2, ArrayView2, s};

use crate::check::symmetric;
use crate::host::memory::{copy, zeros};
use crate::host::zero_upper::restored;
use crate::{Error, Result};

/// All eigenpairs of a symmetric matrix, the largest eigenvalue first.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// In descending order.
    pub values: Array1<f64>,
    /// `n x n`, orthonormal columns in the order of the values.
    pub vectors: Array2<f64>,
}

/// `A = V diag(λ) V^T` for `a`, `n x n` and symmetric, by faer.
///
/// # Errors
/// [`Error::Shape`] if it is not square, [`Error::NotFinite`], [`Error::Parameter`] if it is not symmetric to 1e-8 of
/// its largest entry, [`Error::NoConvergence`] in theory.
///
/// ```
/// use mercer::linalg::eigh;
/// let e = eigh(ndarray::array![[2.0, 1.0], [1.0, 2.0]].view())?;
/// assert!((e.values[0] - 3.0).abs() < 1e-15 && (e.values[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn eigh(a: ArrayView2<f64>) -> Result<Eigen> {
    let a = copy(symmetric("eigh", a)?.view());
    let n = a.nrows();
    let par = if n < 128 { Par::Seq } else { Par::rayon(0) };
    let mut vectors = zeros(n, n).reversed_axes();
    let mut values = Diag::zeros(n);
    let (Some(from), Some(to)) = (a.as_slice(), vectors.as_slice_memory_order_mut()) else {
        return Err(Error::Shape { op: "eigh", what: "the matrix is not contiguous".to_owned() });
    };
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, par, Spec::default());
    let mut memory = faer::dyn_stack::MemBuffer::new(scratch);
    let done = restored(|| {
        self_adjoint_evd(
            MatRef::from_row_major_slice(from, n, n),
            values.as_mut(),
            Some(MatMut::from_column_major_slice_mut(to, n, n)),
            par,
            faer::dyn_stack::MemStack::new(&mut memory),
            Spec::default(),
        )
    });
    if done.is_err() {
        let (residual, tolerance) = (f64::NAN, f64::EPSILON);
        return Err(Error::NoConvergence { op: "eigh", iterations: 0, residual, tolerance });
    }
    // faer's order is ascending.
    let values = (0..n).rev().map(|i| values.column_vector()[i]).collect();
    let vectors = copy(vectors.slice(s![.., ..;-1]));
    Ok(Eigen { values, vectors })
}
