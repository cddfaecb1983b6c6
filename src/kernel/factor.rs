//! `A = BᵀB` of a symmetric positive semi-definite matrix, for xᵀAx' = (Bx)·(Bx').

use std::sync::Arc;

use super::expr::Table;
use crate::{Error, Result};

/// B with `A = BᵀB` by Cholesky with diagonal pivoting; B has as many rows as A has rank.
///
/// Once the largest remaining pivot is at rounding level, the remainder of a semi-definite matrix is at rounding
/// level as a whole (|aᵢⱼ|² ≤ aᵢᵢaⱼⱼ), so a remainder that is not betrays an indefinite matrix.
pub(crate) fn semidefinite_root(a: &Table) -> Result<Arc<Table>> {
    let n = a.rows;
    let largest = (0..n).fold(0.0_f64, |m, i| m.max(a.at(i, i).abs()));
    let tol = 1e-10 * largest;
    let mut rest = a.data.clone();
    let mut b = Vec::new();
    let mut rank = 0;
    while rank < n {
        let Some(p) = (0..n).max_by(|&i, &j| rest[i * n + i].total_cmp(&rest[j * n + j])) else { break };
        let pivot = rest[p * n + p];
        if pivot <= tol {
            break;
        }
        let row: Vec<f64> = (0..n).map(|j| rest[p * n + j] / pivot.sqrt()).collect();
        for i in 0..n {
            for j in 0..n {
                rest[i * n + j] -= row[i] * row[j];
            }
        }
        b.extend(row);
        rank += 1;
    }
    if let Some(&worst) = rest.iter().max_by(|x, y| x.abs().total_cmp(&y.abs()))
        && worst.abs() > tol.max(1e-12 * largest)
    {
        return Err(Error::Parameter {
            name: "quadratic_form".to_string(),
            value: worst,
            requirement: "the matrix must be positive semi-definite; this remainder of its Cholesky factorisation \
                          should vanish",
        });
    }
    if rank == 0 {
        // The zero form: one row of zeros keeps the program free of empty sums.
        return Ok(Arc::new(Table { rows: 1, cols: n, data: vec![0.0; n] }));
    }
    Ok(Arc::new(Table { rows: rank, cols: n, data: b }))
}
