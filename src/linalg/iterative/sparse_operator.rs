//! Sparse symmetric matrices as operators, in f64 on the CPU.

use ndarray::{Array1, Array2, ArrayView2};

use super::operator::{Operator, has_columns};
use crate::Result;
use crate::check::{block, parameter, require};
use crate::matrix::SparseMatrix;

/// Asymmetry that counts as rounding, relative to the largest entry.
const ASYMMETRY: f64 = 1e-10;

/// `s A + c I` for a sparse symmetric A.
///
/// The smallest eigenpairs of A are the leading ones of `c I - A`, for a c at or above its largest eigenvalue:
///
/// ```
/// use mercer::linalg::{EigenParams, SparseOperator, leading_eigenpairs};
/// use mercer::matrix::SparseMatrix;
/// let a = SparseMatrix::from_triplets(3, 3, &[(0, 0, 1.0), (1, 1, 5.0), (2, 2, 3.0)])?;
/// let op = SparseOperator::new(&a)?.scaled(-1.0)?.shifted(5.0)?;
/// let top = leading_eigenpairs(&op, 1, &EigenParams::default())?;
/// assert!((5.0 - top.values[0] - 1.0).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SparseOperator {
    a: SparseMatrix,
    scale: f64,
    shift: f64,
}

impl SparseOperator {
    /// A itself.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is empty or not square, [`Error::Parameter`](crate::Error::Parameter)
    /// if it is not symmetric.
    pub fn new(a: &SparseMatrix) -> Result<Self> {
        let (n, m) = (a.rows(), a.cols());
        require("SparseOperator::new", n == m && n > 0, || format!("a is {n} x {m}, not square"))?;
        let largest = a.values().iter().fold(0f64, |s, v| s.max(v.abs()));
        let t = a.transpose();
        for i in 0..n {
            let (mut one, mut other) = (a.row(i).peekable(), t.row(i).peekable());
            while one.peek().is_some() || other.peek().is_some() {
                let next = |p: Option<&(usize, f64)>| p.map_or(usize::MAX, |e| e.0);
                let j = next(one.peek()).min(next(other.peek()));
                let (u, v) = (one.next_if(|e| e.0 == j), other.next_if(|e| e.0 == j));
                let gap = (u.map_or(0.0, |e| e.1) - v.map_or(0.0, |e| e.1)).abs();
                let holds = gap <= ASYMMETRY * largest;
                parameter(&format!("a[{i}, {j}] - a[{j}, {i}]"), gap, holds, "the matrix must be symmetric")?;
            }
        }
        Ok(SparseOperator { a: a.clone(), scale: 1.0, shift: 0.0 })
    }

    /// The operator times `by`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if it is not finite.
    pub fn scaled(mut self, by: f64) -> Result<Self> {
        parameter("scale", by, by.is_finite(), "must be finite")?;
        (self.scale, self.shift) = (self.scale * by, self.shift * by);
        Ok(self)
    }

    /// The operator plus `by` on its diagonal.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if it is not finite.
    pub fn shifted(mut self, by: f64) -> Result<Self> {
        parameter("shift", by, by.is_finite(), "must be finite")?;
        self.shift += by;
        Ok(self)
    }
}

impl Operator for SparseOperator {
    fn dim(&self) -> usize {
        self.a.rows()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        block("SparseOperator::apply", "v", v, self.dim())?;
        let mut out = self.a.times(v)?;
        out *= self.scale;
        out.scaled_add(self.shift, &v);
        Ok(out)
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        Ok((0..self.dim()).map(|i| self.scale * self.a.at(i, i) + self.shift).collect())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        has_columns("SparseOperator::columns", which, self.dim())?;
        let mut out = Array2::zeros((self.dim(), which.len()));
        for (c, &j) in which.iter().enumerate() {
            // A is symmetric: its columns are its rows.
            self.a.row(j).for_each(|(i, v)| out[[i, c]] = self.scale * v);
            out[[j, c]] += self.shift;
        }
        Ok(out)
    }
}
