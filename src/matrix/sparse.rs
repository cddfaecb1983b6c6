//! Sparse matrices in compressed rows. Checked in `tests/graph/sparse.rs`.

use ndarray::{Array1, Array2, ArrayView2};

use crate::check::{numbers, require, room};
use crate::{Error, Result};

/// A `rows x cols` matrix of which only some entries are stored: for each row its columns, ascending, and their values.
///
/// It lives on the host in f64; [`ops::spmm`](crate::ops::spmm) multiplies it by a matrix on any device.
///
/// ```
/// use mercer::matrix::SparseMatrix;
/// let a = SparseMatrix::from_triplets(2, 3, &[(0, 1, 2.0), (1, 2, 3.0), (0, 1, 0.5)])?;
/// assert_eq!(a.stored(), 2); // what stands twice is added up
/// assert_eq!(a.to_dense()?, ndarray::array![[0.0, 2.5, 0.0], [0.0, 0.0, 3.0]]);
/// assert_eq!(a.times(ndarray::array![[1.0], [1.0], [2.0]].view())?, ndarray::array![[2.5], [6.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parts", into = "Parts")
)]
pub struct SparseMatrix {
    rows: usize,
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

/// A sparse matrix as a file has it, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Parts {
    rows: usize,
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<SparseMatrix> for Parts {
    fn from(a: SparseMatrix) -> Parts {
        Parts { rows: a.rows, cols: a.cols, offsets: a.offsets, columns: a.columns, values: a.values }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for SparseMatrix {
    type Error = Error;

    fn try_from(p: Parts) -> Result<Self> {
        SparseMatrix::from_rows(p.rows, p.cols, p.offsets, p.columns, p.values)
    }
}

impl SparseMatrix {
    /// From compressed rows: row i has the entries `offsets[i]..offsets[i + 1]` of `columns` and `values`.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the offsets ascend from 0 to the number of entries and the columns of each row ascend
    /// below `cols`; [`Error::NotFinite`] for a value that is not.
    pub fn from_rows(
        rows: usize,
        cols: usize,
        offsets: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Self> {
        const OP: &str = "SparseMatrix::from_rows";
        let whole = rows.checked_add(1) == Some(offsets.len())
            && offsets.first() == Some(&0)
            && offsets.last() == Some(&columns.len())
            && offsets.windows(2).all(|w| w[0] <= w[1]);
        require(OP, whole, || format!("the offsets do not cover {} entries in {rows} rows", columns.len()))?;
        require(OP, columns.len() == values.len(), || {
            format!("{} columns, {} values", columns.len(), values.len())
        })?;
        let ascending = |w: &[usize]| {
            let row = &columns[w[0]..w[1]];
            row.windows(2).all(|c| c[0] < c[1]) && row.last().is_none_or(|c| *c < cols)
        };
        require(OP, offsets.windows(2).all(ascending), || {
            format!("the columns of each row must ascend and be below {cols}")
        })?;
        let a = SparseMatrix { rows, cols, offsets, columns, values };
        let bad = a.entries().find(|(_, _, v)| !v.is_finite());
        match bad {
            None => Ok(a),
            Some((row, col, value)) => Err(Error::NotFinite { op: OP, what: "a value", value, row, col }),
        }
    }

    /// From entries in any order; those at the same place are added up.
    ///
    /// # Errors
    /// [`Error::Shape`] for an entry outside of the matrix, [`Error::NotFinite`] for a value that is not finite,
    /// [`Error::Parameter`] for more rows than memory has room for.
    pub fn from_triplets(rows: usize, cols: usize, entries: &[(usize, usize, f64)]) -> Result<Self> {
        const OP: &str = "SparseMatrix::from_triplets";
        room("rows", rows.saturating_add(1), size_of::<usize>())?;
        if let Some((i, j, _)) = entries.iter().find(|(i, j, _)| *i >= rows || *j >= cols) {
            return Err(Error::Shape {
                op: OP,
                what: format!("entry ({i}, {j}) of a {rows} x {cols} matrix"),
            });
        }
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|(i, j, _)| (*i, *j));
        sorted.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut offsets = vec![0; rows + 1];
        for (i, _, _) in &sorted {
            offsets[i + 1] += 1;
        }
        (0..rows).for_each(|i| offsets[i + 1] += offsets[i]);
        let (columns, values) = sorted.into_iter().map(|(_, j, v)| (j, v)).unzip();
        Self::from_rows(rows, cols, offsets, columns, values)
    }

    /// The entries of a dense matrix that are not zero.
    ///
    /// # Errors
    /// [`Error::NotFinite`].
    pub fn from_dense(a: ArrayView2<f64>) -> Result<Self> {
        numbers("SparseMatrix::from_dense", "a", a)?;
        let (rows, cols) = a.dim();
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in a.rows() {
            for (j, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                columns.push(j);
                values.push(v);
            }
            offsets.push(columns.len());
        }
        Ok(SparseMatrix { rows, cols, offsets, columns, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.columns.len()
    }

    /// Where the entries of each row begin, and where the last row's end.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of each stored entry, row by row.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The value of each stored entry, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The stored entries of row i, as columns and values; nothing beyond the last row.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let part = if i < self.rows { self.offsets[i]..self.offsets[i + 1] } else { 0..0 };
        self.columns[part.clone()].iter().copied().zip(self.values[part].iter().copied())
    }

    /// Every stored entry: row, column, value.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(|i| self.row(i).map(move |(j, v)| (i, j, v)))
    }

    /// The entry at row i and column j: zero if it is not stored.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.row(i).find(|(c, _)| *c == j).map_or(0.0, |(_, v)| v)
    }

    /// The sum of each row.
    pub fn row_sums(&self) -> Array1<f64> {
        (0..self.rows).map(|i| self.row(i).map(|(_, v)| v).sum()).collect()
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut offsets = vec![0; self.cols + 1];
        self.columns.iter().for_each(|j| offsets[j + 1] += 1);
        (0..self.cols).for_each(|j| offsets[j + 1] += offsets[j]);
        let (mut columns, mut values) = (vec![0; self.stored()], vec![0.0; self.stored()]);
        let mut next = offsets.clone();
        for (i, j, v) in self.entries() {
            columns[next[j]] = i;
            values[next[j]] = v;
            next[j] += 1;
        }
        SparseMatrix { rows: self.cols, cols: self.rows, offsets, columns, values }
    }

    /// The same entries, each with the value that `f(row, column, value)` says.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if one is not finite.
    pub fn map(&self, f: impl Fn(usize, usize, f64) -> f64) -> Result<Self> {
        let values = self.entries().map(|(i, j, v)| f(i, j, v)).collect();
        Self::from_rows(self.rows, self.cols, self.offsets.clone(), self.columns.clone(), values)
    }

    /// All entries, the zeros too.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than memory has room for.
    pub fn to_dense(&self) -> Result<Array2<f64>> {
        let mut dense = crate::check::zeros("rows", self.rows, self.cols)?;
        self.entries().for_each(|(i, j, v)| dense[[i, j]] = v);
        Ok(dense)
    }

    /// `A V` on the CPU in f64, for `v`, `cols x r`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `v` has another number of rows.
    pub fn times(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        use rayon::prelude::*;
        require("SparseMatrix::times", v.nrows() == self.cols, || {
            format!("the matrix is {} x {}, v has {} rows", self.rows, self.cols, v.nrows())
        })?;
        let r = v.ncols();
        let mut out = Array2::zeros((self.rows, r));
        if r == 0 || self.rows == 0 {
            return Ok(out);
        }
        let v = v.as_standard_layout();
        let from = v.as_slice().unwrap_or_default();
        let rows = out.as_slice_mut().unwrap_or_default().par_chunks_mut(r).enumerate().with_min_len(256);
        rows.for_each(|(i, to)| {
            for (j, a) in self.row(i) {
                to.iter_mut().zip(&from[j * r..(j + 1) * r]).for_each(|(t, v)| *t += a * v);
            }
        });
        Ok(out)
    }
}
