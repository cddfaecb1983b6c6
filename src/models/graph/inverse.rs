//! The small end of a spectrum, turned round: `(L + σI)⁻¹` by a sparse Cholesky factor, whose leading eigenvectors are a
//! Laplacian's smallest ones.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use ndarray::{Array1, Array2, ArrayView2, ShapeBuilder};

use super::filter::verified;
use crate::check::require;
use crate::linalg::{EigenParams, Operator, leading_eigenpairs};
use crate::matrix::SparseMatrix;
use crate::{Error, Result};

/// σ, in units of the largest eigenvalue: eigenvalues far below it are told apart by the filter alone.
const SHIFT: f64 = 1e-5;
/// Multiply-adds of a factorisation that are worth their time, and numbers of a factor that are worth their memory.
const WORK: f64 = 1e11;
const STORED: usize = 1 << 27;

/// The inverse of a sparse matrix, by the factor of its rows and columns in the order that fills least.
struct Inverse {
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
}

impl Inverse {
    /// `(L + shift I)⁻¹`, or none where the factor is too full or rounding makes L indefinite.
    fn new(l: &SparseMatrix, shift: f64) -> Option<Self> {
        let n = l.rows();
        let (mut offsets, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            rows.push(i);
            values.push(l.at(i, i) + shift);
            for (j, value) in l.row(i).filter(|(j, _)| *j > i) {
                rows.push(j);
                values.push(value);
            }
            offsets.push(rows.len());
        }
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &offsets, None, &rows);
        let (order, params) = (SymmetricOrdering::Amd, CholeskySymbolicParams::default());
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, order, params).ok()?;
        let stored = symbolic.len_val();
        if stored > STORED || (stored as f64).powi(2) / n as f64 > WORK {
            return None;
        }
        let mut factor = vec![0.0; stored];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::rayon(0), Spec::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let done = symbolic.factorize_numeric_llt(
            &mut factor,
            SparseColMatRef::new(pattern, &values),
            Side::Lower,
            LltRegularization::default(),
            Par::rayon(0),
            MemStack::new(&mut memory),
            Spec::default(),
        );
        done.is_ok().then_some(Inverse { symbolic, factor })
    }
}

impl Operator for Inverse {
    fn dim(&self) -> usize {
        self.symbolic.nrows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (n, r) = v.dim();
        require("spectrum", n == self.dim(), || format!("{n} rows of a graph of {} vertices", self.dim()))?;
        let mut out = Array2::zeros((n, r).f());
        out.assign(&v);
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(r, Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let columns = out.as_slice_memory_order_mut().unwrap_or_default();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(columns, n, r),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok(self.apply(Array2::eye(self.dim()).view())?.diag().to_owned())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        let mut unit = Array2::zeros((self.dim(), which.len()));
        which.iter().enumerate().for_each(|(c, &j)| unit[[j, c]] = 1.0);
        self.apply(unit.view())
    }
}

/// The k smallest eigenvalues of a sparse symmetric matrix with eigenvalues between 0 and `top`, and their vectors; or none
/// where its factor is too full, or eigenvalues crowd too much below the shift.
///
/// # Errors
/// Those of [`leading_eigenpairs`] but for its convergence.
pub(super) fn smallest(l: &SparseMatrix, top: f64, k: usize) -> Result<Option<(Array1<f64>, Array2<f64>)>> {
    let Some(inverse) = Inverse::new(l, SHIFT * top) else { return Ok(None) };
    let params = EigenParams::new().tolerance(1e-12).max_iterations(60);
    match leading_eigenpairs(&inverse, k, &params).and_then(|found| verified(l, top, &found)) {
        Ok(found) => Ok(Some(found)),
        Err(Error::NoConvergence { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::smallest;
    use crate::models::graph::{Graph, Laplacian};

    /// A path of 800 vertices, cut in two, and a vertex of its own: three eigenvalues are zero, others crowd above.
    #[test]
    fn crowded_eigenvalues_are_found_by_the_inverse() {
        let n = 801;
        let edges: Vec<_> = (1..n - 1).filter(|i| *i != 300).map(|i| (i - 1, i, 1.0)).collect();
        let l = Graph::from_edges(n, &edges).unwrap().laplacian(Laplacian::Unnormalised).unwrap();
        let (values, _) = smallest(&l, 4.0, 5).unwrap().expect("a path fills nothing");
        let of = |length: f64, m: f64| 2.0 - 2.0 * (std::f64::consts::PI * m / length).cos();
        let want = [0.0, 0.0, 0.0, of(500.0, 1.0), of(300.0, 1.0)];
        assert!(values.iter().zip(want).all(|(v, w)| (v - w).abs() < 1e-12), "{values} and {want:?}");
    }
}
