//! Pivoted Cholesky: `A ≈ F F^T`, a column at a time, each at the largest diagonal entry that is left.
//!
//! Only the diagonal and k columns of A are ever evaluated. Checked in `tests/linalg/low_rank.rs`.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use rayon::prelude::*;

use super::check::{finite, parameter};
use super::low_rank::LowRank;
use super::operator::Operator;
use crate::matrix::host::{copy, zeros};
use crate::{Error, Precision, Result};

/// Rows that one thread takes at a time.
const ROWS: usize = 256;

/// F with `A ≈ F F^T` of at most `rank` columns; fewer once `tr(A - F F^T) <= tolerance tr(A)`.
///
/// It also ends when what is left is rounding. `op` must be positive semi-definite; for a preconditioner of
/// `K + noise` factor K ([`KernelOperator::without_noise`](super::KernelOperator::without_noise)).
///
/// # Errors
/// [`Error::Parameter`] for a rank of zero or a tolerance that is not in [0, 1);
/// [`Error::NotPositiveDefinite`] if the remaining diagonal turns negative beyond rounding.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, linalg::{KernelOperator, pivoted_cholesky}};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 0.1, 2.0, 2.1])?;
/// let k = KernelOperator::new(&Kernel::rbf(1.0), &x, 0.0)?;
/// let two = pivoted_cholesky(&k, 2, 0.0)?;
/// assert_eq!(two.factor.dim(), (4, 2));
/// assert!(two.residual < 0.01); // two clusters, two columns
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn pivoted_cholesky(op: &dyn Operator, rank: usize, tolerance: f64) -> Result<LowRank> {
    parameter("rank", rank as f64, rank > 0, "must be at least 1")?;
    parameter("tolerance", tolerance, (0.0..1.0).contains(&tolerance), "must be in [0, 1)")?;
    let n = op.dim();
    let rank = rank.min(n);
    let mut left = op.diagonal()?;
    finite("pivoted_cholesky", "the diagonal", left.view().insert_axis(Axis(1)))?;
    let largest = left.iter().fold(0f64, |s, v| s.max(v.abs()));
    let unit = if op.precision() == Precision::Double { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let noise = 8.0 * (n as f64).sqrt() * unit * largest;
    let total = left.sum();
    // Row-major: a step is one pass over the rows of F, each a contiguous dot.
    let mut factor = zeros(n, rank);
    let (mut pivots, mut trace): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    indefinite(&left, noise)?;
    for k in 0..rank {
        let pivot = (0..n).max_by(|&i, &j| left[i].total_cmp(&left[j])).unwrap_or(0);
        let value = left[pivot];
        if value <= noise {
            break;
        }
        let column = op.columns(&[pivot])?;
        append(&mut factor, &mut left, k, &column, pivot);
        // At earlier pivots nothing is left but rounding.
        for &p in &pivots {
            (factor[[p, k]], left[p]) = (0.0, 0.0);
        }
        indefinite(&left, noise)?;
        pivots.push(pivot);
        trace.push((left.sum() / total).max(0.0));
        if trace[k] <= tolerance {
            break;
        }
    }
    let residual = trace.last().copied().unwrap_or(if total > 0.0 { 1.0 } else { 0.0 });
    // Of the zero matrix, one column of zeros: it spares every user the case of none.
    let factor = if pivots.len() < rank { copy(factor.slice(s![.., ..pivots.len().max(1)])) } else { factor };
    Ok(LowRank { factor, pivots, residual, trace, jitter: 0.0 })
}

/// Column k of F from that of A at the pivot p: `f_ik = (a_ip - Σ_{j<k} f_ij f_pj) / √l_p`, and what it leaves of the
/// diagonal, `l_i - f_ik²`. Each row is one thread's: the bits do not depend on how many there are.
fn append(factor: &mut Array2<f64>, left: &mut Array1<f64>, k: usize, column: &Array2<f64>, pivot: usize) {
    let (root, rank) = (left[pivot].sqrt(), factor.ncols());
    let at_pivot = factor.slice(s![pivot, ..k]).to_owned();
    let new = |row: &[f64], a: f64| (a - ArrayView1::from(&row[..k]).dot(&at_pivot)) / root;
    let rows = factor.as_slice_mut().expect("a new array is row-major").par_chunks_mut(ROWS * rank);
    let parts = left.as_slice_mut().expect("a new array is contiguous").par_chunks_mut(ROWS);
    rows.zip(parts).enumerate().for_each(|(part, (rows, left))| {
        let column = column.slice(s![part * ROWS..part * ROWS + left.len(), 0]);
        for ((row, left), &a) in rows.chunks_exact_mut(rank).zip(left).zip(&column) {
            row[k] = new(row, a);
            *left -= row[k] * row[k];
        }
    });
    (factor[[pivot, k]], left[pivot]) = (root, 0.0);
}

/// An error if an entry is negative beyond `noise`.
fn indefinite(left: &Array1<f64>, noise: f64) -> Result<()> {
    match left.indexed_iter().find(|(_, v)| **v < -noise) {
        None => Ok(()),
        Some((pivot, &value)) => Err(Error::NotPositiveDefinite { op: "pivoted_cholesky", pivot, value }),
    }
}
