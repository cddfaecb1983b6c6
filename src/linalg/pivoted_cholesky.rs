//! Pivoted Cholesky: `A ≈ F F^T`, a column at a time, each at the largest diagonal entry that is left.
//!
//! Only the diagonal and k columns of A are ever evaluated. Checked in `tests/linalg/low_rank.rs`.

use ndarray::{Array1, Array2, Axis, s};

use super::check::{finite, parameter};
use super::low_rank::LowRank;
use super::operator::Operator;
use crate::{Error, Precision, Result};

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
    // Rows are the columns of F: what is used together lies together.
    let mut rows = Array2::zeros((rank, n));
    let (mut pivots, mut trace): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    indefinite(&left, noise)?;
    for k in 0..rank {
        let pivot = (0..n).max_by(|&i, &j| left[i].total_cmp(&left[j])).unwrap_or(0);
        let value = left[pivot];
        if value <= noise {
            break;
        }
        let mut column = op.columns(&[pivot])?.index_axis_move(Axis(1), 0);
        let done = rows.slice(s![..k, ..]);
        let at_pivot: Array1<f64> = done.column(pivot).to_owned();
        column -= &at_pivot.dot(&done);
        column /= value.sqrt();
        column[pivot] = value.sqrt();
        // At earlier pivots nothing is left but rounding.
        for &p in &pivots {
            column[p] = 0.0;
        }
        left.zip_mut_with(&column, |l, c| *l -= c * c);
        left[pivot] = 0.0;
        indefinite(&left, noise)?;
        rows.row_mut(k).assign(&column);
        pivots.push(pivot);
        trace.push((left.sum() / total).max(0.0));
        if trace[k] <= tolerance {
            break;
        }
    }
    let factor = rows.slice(s![..pivots.len(), ..]).t().as_standard_layout().into_owned();
    let residual = trace.last().copied().unwrap_or(if total > 0.0 { 1.0 } else { 0.0 });
    if pivots.is_empty() {
        // The zero matrix: one column of zeros spares every user the case of none.
        return Ok(LowRank { factor: Array2::zeros((n, 1)), pivots, residual, trace, jitter: 0.0 });
    }
    Ok(LowRank { factor, pivots, residual, trace, jitter: 0.0 })
}

/// An error if an entry is negative beyond `noise`.
fn indefinite(left: &Array1<f64>, noise: f64) -> Result<()> {
    match left.indexed_iter().find(|(_, v)| **v < -noise) {
        None => Ok(()),
        Some((pivot, &value)) => Err(Error::NotPositiveDefinite { op: "pivoted_cholesky", pivot, value }),
    }
}
