//! What must hold of data before a process is conditioned on it.

use ndarray::ArrayView2;

use crate::{Error, Result};

pub(super) fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

/// Not empty, and free of NaN and infinities.
pub(super) fn finite(op: &'static str, what: &'static str, a: ArrayView2<f64>) -> Result<()> {
    require(op, !a.is_empty(), || format!("{what} is empty ({} x {})", a.nrows(), a.ncols()))?;
    match a.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, col), &value)) => Err(Error::NotFinite { op, what, value, row, col }),
    }
}

/// Inputs and as many targets.
pub(super) fn pairs(op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<()> {
    finite(op, "x", x)?;
    finite(op, "y", y)?;
    require(op, x.nrows() == y.nrows(), || format!("x has {} rows, y has {}", x.nrows(), y.nrows()))
}

/// New inputs for a model that knows `d` features.
pub(super) fn queries(op: &'static str, x: ArrayView2<f64>, d: usize) -> Result<()> {
    finite(op, "x", x)?;
    require(op, x.ncols() == d, || format!("the model was fitted to {d} features, x has {}", x.ncols()))
}
