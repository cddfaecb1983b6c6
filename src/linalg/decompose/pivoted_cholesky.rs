//! Pivoted Cholesky: `A ≈ F F^T`, each column at the largest diagonal entry that is left.
//!
//! Several columns are made by one product where it is known beforehand that their pivots follow each other: a column
//! at a time reads all of F for each. Only the diagonal and some columns of A are ever evaluated. Checked in `tests/linalg/low_rank.rs`.

use ndarray::{Array1, Array2, Axis, s};
use rayon::prelude::*;

use super::low_rank::LowRank;
use crate::check::{finite, parameter};
use crate::host::memory::{copy, zeros};
use crate::linalg::iterative::operator::Operator;
use crate::ops::product;
use crate::{Error, Precision, Result};

/// Entries of the diagonal from which pivots are chosen together.
const CANDIDATES: usize = 32;
/// Rows that one thread takes at least.
const ROWS: usize = 256;

/// F with `A ≈ F F^T` of at most `rank` columns; fewer once `tr(A - F F^T) <= tolerance tr(A)`.
///
/// It also ends when what is left is rounding. `op` must be positive semi-definite; for a preconditioner of
/// `K + noise` factor K ([`KernelOperator::without_noise`](crate::linalg::KernelOperator::without_noise)).
///
/// # Errors
/// [`Error::Parameter`] for a rank of zero or more than memory has room for, or a tolerance that is not in [0, 1);
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
    affordable(n, rank)?;
    let mut factor = zeros(n, rank);
    let (mut pivots, mut trace): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    indefinite(&left, noise)?;
    while pivots.len() < rank && trace.last().is_none_or(|t| *t > tolerance) {
        let (candidates, bound) = foremost(&left);
        if candidates.iter().all(|&c| left[c] <= noise) {
            break;
        }
        let (k, columns) = (pivots.len(), op.columns(&candidates)?);
        let own = factor.slice(s![.., ..k]).select(Axis(0), &candidates);
        let rest = columns.select(Axis(0), &candidates) - own.dot(&own.t());
        let (chosen, lower) = choose(rest, &candidates, bound.max(noise), rank - k);
        if chosen.is_empty() {
            break;
        }
        append(
            &mut factor,
            k,
            copy(columns.select(Axis(1), &chosen).view()),
            own.select(Axis(0), &chosen),
            &lower,
        );
        for (j, (k, pivot)) in (k..).zip(chosen.iter().map(|&c| candidates[c])).enumerate() {
            factor[[pivot, k]] = lower[[j, j]];
            // At earlier pivots nothing is left but rounding.
            for &p in &pivots {
                factor[[p, k]] = 0.0;
            }
            left.zip_mut_with(&factor.column(k), |l, f| *l -= f * f);
            left[pivot] = 0.0;
            indefinite(&left, noise)?;
            pivots.push(pivot);
            trace.push((left.sum() / total).max(0.0));
            if trace[k] <= tolerance {
                break;
            }
        }
    }
    let residual = trace.last().copied().unwrap_or(if total > 0.0 { 1.0 } else { 0.0 });
    // Of the zero matrix, one column of zeros: it spares every user the case of none.
    let factor = if pivots.len() < rank { copy(factor.slice(s![.., ..pivots.len().max(1)])) } else { factor };
    Ok(LowRank { factor, pivots, residual, trace, jitter: 0.0 })
}

/// An error if memory has no room for the factor.
fn affordable(n: usize, rank: usize) -> Result<()> {
    let fits = n.checked_mul(rank).is_some_and(|all| Vec::<f64>::new().try_reserve_exact(all).is_ok());
    parameter("rank", rank as f64, fits, "must not be more than memory has room for")
}

/// The largest entries of the diagonal that is left, and a bound of all others. What is left never grows, so that a
/// candidate above the bound is the next pivot without a look at the others.
fn foremost(left: &Array1<f64>) -> (Vec<usize>, f64) {
    let mut order: Vec<usize> = (0..left.len()).collect();
    let descending = |i: &usize, j: &usize| left[*j].total_cmp(&left[*i]).then(j.cmp(i));
    if order.len() <= CANDIDATES {
        return (order, 0.0);
    }
    let (first, &mut next, _) = order.select_nth_unstable_by(CANDIDATES, descending);
    (first.to_vec(), left[next])
}

/// The next pivots among the candidates, at most `most`, from what is `rest` of A there: the largest, as long as it is
/// above the bound. With them L of `L L^T = rest` at the pivots.
fn choose(mut rest: Array2<f64>, names: &[usize], bound: f64, most: usize) -> (Vec<usize>, Array2<f64>) {
    let (mut chosen, mut lower) = (Vec::new(), Array2::zeros(rest.raw_dim()));
    while chosen.len() < most {
        let before =
            |&i: &usize, &j: &usize| rest[[i, i]].total_cmp(&rest[[j, j]]).then(names[i].cmp(&names[j]));
        let Some(next) = (0..names.len()).filter(|c| !chosen.contains(c)).max_by(before) else { break };
        let value = rest[[next, next]];
        // The first is the largest of all, whatever rounding says of the bound.
        if value <= 0.0 || (value < bound && !chosen.is_empty()) {
            break;
        }
        let column = (&rest.column(next) / value.sqrt()).insert_axis(Axis(1));
        rest -= &column.dot(&column.t());
        lower.column_mut(chosen.len()).assign(&column.column(0));
        chosen.push(next);
    }
    let lower = lower.select(Axis(0), &chosen);
    (chosen, lower)
}

/// Columns of F from those of A at the pivots P: `F_new = (A_P - F F_P^T) L⁻ᵀ`, one product and a short sum for each row.
fn append(factor: &mut Array2<f64>, k: usize, mut panel: Array2<f64>, own: Array2<f64>, lower: &Array2<f64>) {
    let (rank, width) = (factor.ncols(), panel.ncols());
    product(-1.0, factor.slice(s![.., ..k]), own.t(), 1.0, panel.view_mut());
    let rows = factor.as_slice_mut().expect("a new array is row-major").par_chunks_mut(rank);
    rows.zip(panel.as_slice().expect("a new array is row-major").par_chunks(width))
        .with_min_len(ROWS)
        .for_each(|(row, panel)| {
            let new = &mut row[k..k + width];
            for j in 0..width {
                let known: f64 = new[..j].iter().zip(lower.row(j)).map(|(f, l)| f * l).sum();
                new[j] = (panel[j] - known) / lower[[j, j]];
            }
        });
}

/// An error if an entry is negative beyond `noise`.
fn indefinite(left: &Array1<f64>, noise: f64) -> Result<()> {
    match left.indexed_iter().find(|(_, v)| **v < -noise) {
        None => Ok(()),
        Some((pivot, &value)) => Err(Error::NotPositiveDefinite { op: "pivoted_cholesky", pivot, value }),
    }
}
