//! What must hold of an operand before anything is computed with it.

use ndarray::{Array2, ArrayView2};

use crate::matrix::host::{copy, first_beyond};
use crate::{Error, Result};

/// Asymmetry that counts as rounding, relative to the largest entry.
const ASYMMETRY: f64 = 1e-8;

pub(super) fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

pub(super) fn parameter(name: &str, value: f64, holds: bool, requirement: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
}

/// Not empty, and free of NaN and infinities.
pub(super) fn finite(op: &'static str, what: &'static str, a: ArrayView2<f64>) -> Result<()> {
    require(op, !a.is_empty(), || format!("{what} is empty ({} x {})", a.nrows(), a.ncols()))?;
    match first_beyond(a, f64::MAX) {
        None => Ok(()),
        Some((row, col)) => Err(Error::NotFinite { op, what, value: a[[row, col]], row, col }),
    }
}

/// A right-hand side or a block of vectors for an `n x n` matrix.
pub(super) fn block(op: &'static str, what: &'static str, v: ArrayView2<f64>, n: usize) -> Result<()> {
    require(op, v.nrows() == n, || format!("the matrix has {n} rows, {what} has {}", v.nrows()))?;
    finite(op, what, v)
}

/// The matrix, once it is known to be square, finite and symmetric; asymmetry of rounding size is averaged away.
pub(super) fn symmetric(op: &'static str, a: ArrayView2<f64>) -> Result<Array2<f64>> {
    let (n, m) = a.dim();
    require(op, n == m, || format!("a is {n} x {m}, not square"))?;
    finite(op, "a", a)?;
    let largest = a.iter().fold(0f64, |s, v| s.max(v.abs()));
    let mut worst = (0f64, 0, 0);
    pairs(n, |i, j| {
        let gap = (a[[i, j]] - a[[j, i]]).abs();
        if gap > worst.0 {
            worst = (gap, i, j);
        }
    });
    let (gap, i, j) = worst;
    let name = format!("a[{i}, {j}] - a[{j}, {i}]");
    parameter(&name, gap, gap <= ASYMMETRY * largest, "the matrix must be symmetric")?;
    let mut own = copy(a);
    if gap > 0.0 {
        pairs(n, |i, j| {
            let mean = 0.5 * own[[i, j]] + 0.5 * own[[j, i]];
            own[[i, j]] = mean;
            own[[j, i]] = mean;
        });
    }
    Ok(own)
}

/// Every pair `j < i`, in blocks that stay in cache whichever way the matrix is read.
fn pairs(n: usize, mut f: impl FnMut(usize, usize)) {
    const B: usize = 64;
    for i0 in (0..n).step_by(B) {
        for j0 in (0..=i0).step_by(B) {
            for i in i0..n.min(i0 + B) {
                for j in j0..i.min(j0 + B) {
                    f(i, j);
                }
            }
        }
    }
}
