//! What must hold of samples and settings before anything is computed with them.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use crate::{Error, Result};

pub(super) fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

pub(super) fn parameter(name: &str, value: f64, holds: bool, requirement: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
}

/// At least `least` rows, at least one column, and only finite values.
pub(super) fn sample(op: &'static str, what: &'static str, x: ArrayView2<f64>, least: usize) -> Result<()> {
    let (n, d) = x.dim();
    require(op, n >= least && d > 0, || {
        format!("{what} is {n} x {d}; there must be {least} observations or more, and a feature")
    })?;
    match x.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, col), &value)) => Err(Error::NotFinite { op, what, value, row, col }),
    }
}

/// Two samples of the same space.
pub(super) fn two_samples(
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
pub(super) fn paired(op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>, least: usize) -> Result<()> {
    sample(op, "x", x, least)?;
    sample(op, "y", y, least)?;
    let (n, m) = (x.nrows(), y.nrows());
    require(op, n == m, || {
        format!("x has {n} observations, y has {m}; row i of both must be one observation")
    })
}

/// The level of a test.
pub(super) fn level(alpha: f64) -> Result<()> {
    parameter("alpha", alpha, alpha > 0.0 && alpha < 1.0, "a level must lie between 0 and 1")
}

/// x above y.
pub(super) fn pooled(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Array2<f64> {
    concatenate(Axis(0), &[x, y]).expect("the caller has checked that both have the same features")
}
