//! What must hold of data and parameters before anything is computed with them: every argument check of the crate.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};
use rayon::prelude::*;

use crate::{Error, Result};

/// The bits that only a NaN or an infinity has all of.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
/// Asymmetry of a matrix that counts as rounding, relative to its largest entry.
const ASYMMETRY: f64 = 1e-8;

/// `Ok` if `holds`, else an [`Error::Shape`] that says what is wrong.
pub(crate) fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

/// `Ok` if `holds`, else an [`Error::Parameter`].
pub(crate) fn parameter(name: &str, value: f64, holds: bool, requirement: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
}

/// A number that must be positive and finite.
pub(crate) fn positive(name: &str, value: f64) -> Result<()> {
    parameter(name, value, value > 0.0 && value.is_finite(), "must be positive and finite")
}

/// A number that must be finite and not negative.
pub(crate) fn not_negative(name: &str, value: f64) -> Result<()> {
    parameter(name, value, value >= 0.0 && value.is_finite(), "must be finite and not negative")
}

/// The level of a test, or of an interval.
pub(crate) fn level(alpha: f64) -> Result<()> {
    parameter("alpha", alpha, alpha > 0.0 && alpha < 1.0, "a level must lie between 0 and 1")
}

/// Between 1 and n components, clusters or neighbours of n observations.
pub(crate) fn components(name: &str, k: usize, n: usize) -> Result<()> {
    let requirement = "must be at least 1 and at most the number of observations";
    parameter(name, k as f64, (1..=n).contains(&k), requirement)
}

/// A count that the caller asked for by this name, each of so many bytes: an error, before anything is allocated, if
/// memory has no room for them.
pub(crate) fn room(name: &str, count: usize, bytes_each: usize) -> Result<()> {
    let mut probe: Vec<u8> = Vec::new();
    let fits = count.checked_mul(bytes_each.max(1)).is_some_and(|all| probe.try_reserve_exact(all).is_ok());
    parameter(name, count as f64, fits, "must not be more than memory has room for")
}

/// A matrix of zeros with as many rows as the caller has asked for by this name; an error if memory has no room for them.
pub(crate) fn zeros(name: &str, rows: usize, columns: usize) -> Result<Array2<f64>> {
    let mut numbers = Vec::new();
    let held = rows.checked_mul(columns).filter(|&all| numbers.try_reserve_exact(all).is_ok());
    numbers.resize(held.unwrap_or(0), 0.0);
    let refused = |_| Error::Parameter {
        name: name.to_owned(),
        value: rows as f64,
        requirement: "must not be more than memory has room for",
    };
    Array2::from_shape_vec((rows, columns), numbers).map_err(refused)
}

/// Whether all are finite; without a branch for each value, so that it runs at the speed of memory.
pub(crate) fn is_finite(values: &[f64]) -> bool {
    !values.iter().fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT))
}

/// A result that is finite; an error if it is not.
pub(crate) fn number(op: &'static str, what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::Overflow { op, what, value, row: 0, col: 0 }) }
}

/// Free of NaN and infinities; empty is no error.
pub(crate) fn numbers(op: &'static str, what: &'static str, a: ArrayView2<f64>) -> Result<()> {
    if a.as_slice_memory_order().is_some_and(|all| all.par_chunks(1 << 16).all(is_finite)) {
        return Ok(());
    }
    match a.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, col), &value)) => Err(Error::NotFinite { op, what, value, row, col }),
    }
}

/// A list free of NaN and infinities.
pub(crate) fn entries(op: &'static str, what: &'static str, values: &[f64]) -> Result<()> {
    numbers(op, what, ArrayView1::from(values).insert_axis(Axis(1)))
}

/// The largest absolute value, or NaN if there is one: what a search compares with its tolerance.
pub(crate) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values
        .into_iter()
        .fold(0f64, |most, v| if v.is_nan() || most.is_nan() { f64::NAN } else { most.max(v.abs()) })
}

/// Not empty, and free of NaN and infinities.
pub(crate) fn finite(op: &'static str, what: &'static str, a: ArrayView2<f64>) -> Result<()> {
    require(op, !a.is_empty(), || format!("{what} is empty ({} x {})", a.nrows(), a.ncols()))?;
    numbers(op, what, a)
}

/// Inputs and targets that belong together.
pub(crate) fn pairs(op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<()> {
    finite(op, "x", x)?;
    finite(op, "y", y)?;
    require(op, x.nrows() == y.nrows(), || format!("x has {} rows, y has {}", x.nrows(), y.nrows()))
}

/// New inputs for a model of `d` features.
pub(crate) fn inputs(op: &'static str, x: ArrayView2<f64>, d: usize) -> Result<()> {
    columns(op, x, d)?;
    finite(op, "x", x)
}

/// New inputs for a model of `d` features; no rows is no error, and no work.
pub(crate) fn columns(op: &'static str, x: ArrayView2<f64>, d: usize) -> Result<()> {
    require(op, x.ncols() == d, || format!("the model was fitted on {d} features, x has {}", x.ncols()))
}

/// At least `least` rows, at least one column, and only finite values.
pub(crate) fn sample(op: &'static str, what: &'static str, x: ArrayView2<f64>, least: usize) -> Result<()> {
    rows(op, what, x, least)?;
    numbers(op, what, x)
}

/// At least `least` rows and one column. Whether they are finite is seen elsewhere.
pub(crate) fn rows(op: &'static str, what: &'static str, x: ArrayView2<f64>, least: usize) -> Result<()> {
    let (n, d) = x.dim();
    require(op, n >= least && d > 0, || {
        format!("{what} is {n} x {d}; there must be {least} observations or more, and a feature")
    })
}

/// Two samples of the same space.
pub(crate) fn two_samples(
    op: &'static str,
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    least: usize,
) -> Result<()> {
    sample(op, "x", x, least)?;
    sample(op, "y", y, least)?;
    let (p, q) = (x.ncols(), y.ncols());
    require(op, p == q, || format!("x has {p} features, y has {q}"))
}

/// Two samples of the same observations.
pub(crate) fn paired(op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>, least: usize) -> Result<()> {
    sample(op, "x", x, least)?;
    sample(op, "y", y, least)?;
    let (n, m) = (x.nrows(), y.nrows());
    require(op, n == m, || {
        format!("x has {n} observations, y has {m}; row i of both must be one observation")
    })
}

/// x above y, once it is known that both have the same features.
pub(crate) fn pooled(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array2<f64> {
    concatenate(Axis(0), &[x, y]).expect("the caller has checked that both have the same features")
}

/// One weight for each of n observations, none negative, not all zero.
pub(crate) fn weights(op: &'static str, w: ArrayView1<f64>, n: usize) -> Result<()> {
    weights_of_part(op, w, n)?;
    total_weight(w.sum())
}

/// The sum of all weights.
pub(crate) fn total_weight(total: f64) -> Result<()> {
    parameter("sum of weights", total, total > 0.0 && total.is_finite(), "must be positive and finite")
}

/// One weight for each of n observations that are not all there are: none negative.
pub(crate) fn weights_of_part(op: &'static str, w: ArrayView1<f64>, n: usize) -> Result<()> {
    require(op, w.len() == n, || format!("{n} observations, {} weights", w.len()))?;
    if let Some((i, &v)) = w.iter().enumerate().find(|(_, v)| !(**v >= 0.0 && v.is_finite())) {
        parameter(&format!("weights[{i}]"), v, false, "must be finite and not negative")?;
    }
    Ok(())
}

/// A right-hand side or a block of vectors for an `n x n` matrix.
pub(crate) fn block(op: &'static str, what: &'static str, v: ArrayView2<f64>, n: usize) -> Result<()> {
    require(op, v.nrows() == n, || format!("the matrix has {n} rows, {what} has {}", v.nrows()))?;
    finite(op, what, v)
}

/// The matrix, once it is known to be square, finite and symmetric; asymmetry of rounding size is averaged away.
pub(crate) fn symmetric(op: &'static str, a: ArrayView2<f64>) -> Result<Array2<f64>> {
    let (n, m) = a.dim();
    require(op, n == m, || format!("a is {n} x {m}, not square"))?;
    finite(op, "a", a)?;
    let largest = a.iter().fold(0f64, |s, v| s.max(v.abs()));
    let mut worst = (0f64, 0, 0);
    below_diagonal(n, |i, j| {
        let gap = (a[[i, j]] - a[[j, i]]).abs();
        if gap > worst.0 {
            worst = (gap, i, j);
        }
    });
    let (gap, i, j) = worst;
    let name = format!("a[{i}, {j}] - a[{j}, {i}]");
    parameter(&name, gap, gap <= ASYMMETRY * largest, "the matrix must be symmetric")?;
    let mut own = crate::host::memory::copy(a);
    if gap > 0.0 {
        below_diagonal(n, |i, j| {
            let mean = 0.5 * own[[i, j]] + 0.5 * own[[j, i]];
            own[[i, j]] = mean;
            own[[j, i]] = mean;
        });
    }
    Ok(own)
}

/// Every pair `j < i`, in blocks that stay in cache whichever way the matrix is read.
fn below_diagonal(n: usize, mut f: impl FnMut(usize, usize)) {
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

/// The error of data whose sums are not finite: the entry to blame, or the size of all of them.
pub(crate) fn blame(op: &'static str, x: ArrayView2<f64>) -> Error {
    let largest = x.iter().fold(0f64, |m, v| m.max(v.abs()));
    let name = "the largest entry of x".to_owned();
    let requirement = "sums of squares must be finite: scale the data";
    numbers(op, "x", x).err().unwrap_or(Error::Parameter { name, value: largest, requirement })
}

/// Probabilities of outcomes: none negative, and together one up to rounding.
pub(crate) fn probabilities(name: &str, p: &[f64]) -> Result<()> {
    if let Some((i, &v)) = p.iter().enumerate().find(|(_, v)| !(**v >= 0.0 && v.is_finite())) {
        parameter(&format!("{name}[{i}]"), v, false, "a probability must be finite and not negative")?;
    }
    let sum: f64 = p.iter().sum();
    parameter(&format!("sum of {name}"), sum, (sum - 1.0).abs() <= 1e-8, "probabilities must sum to one")
}

/// Bytes that a table would take, against what one allocation can have: refused before it is made.
pub(crate) fn table(op: &'static str, entries: f64, instead: &'static str) -> Result<()> {
    const BUDGET: u64 = 1 << 30;
    let need = entries * 8.0;
    if need <= BUDGET as f64 {
        Ok(())
    } else {
        Err(Error::OverBudget { op, need: need as u64, budget: BUDGET, instead })
    }
}
