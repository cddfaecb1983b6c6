//! What must hold of the data before anything is computed with it.

use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::{Error, Result};

/// The bits that only a NaN or an infinity has all of.
const EXPONENT: u64 = 0x7ff0_0000_0000_0000;

pub(in crate::models) fn require(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

/// A number that must be positive and finite.
pub(in crate::models) fn positive(name: &str, value: f64) -> Result<()> {
    within(name, value, value > 0.0 && value.is_finite(), "must be positive and finite")
}

pub(in crate::models) fn within(
    name: &str,
    value: f64,
    holds: bool,
    requirement: &'static str,
) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
}

/// Not empty, and free of NaN and infinities.
pub(in crate::models) fn finite(op: &'static str, what: &'static str, a: ArrayView2<f64>) -> Result<()> {
    require(op, !a.is_empty(), || format!("{what} is empty ({} x {})", a.nrows(), a.ncols()))?;
    // Without a branch for each value, so that it runs at the speed of memory.
    let bad = |part: &[f64]| part.iter().fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT));
    if a.as_slice_memory_order().is_some_and(|all| !all.par_chunks(1 << 16).any(bad)) {
        return Ok(());
    }
    match a.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, col), &value)) => Err(Error::NotFinite { op, what, value, row, col }),
    }
}

/// Inputs and targets that belong together.
pub(in crate::models) fn pairs(op: &'static str, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<()> {
    finite(op, "x", x)?;
    finite(op, "y", y)?;
    require(op, x.nrows() == y.nrows(), || format!("x has {} rows, y has {}", x.nrows(), y.nrows()))
}

/// New inputs for a model of `d` features.
pub(in crate::models) fn inputs(op: &'static str, x: ArrayView2<f64>, d: usize) -> Result<()> {
    require(op, x.ncols() == d, || format!("the model was fitted on {d} features, x has {}", x.ncols()))?;
    finite(op, "x", x)
}

/// One weight for each of n observations, none negative, not all zero.
pub(in crate::models) fn weights(op: &'static str, w: ArrayView1<f64>, n: usize) -> Result<()> {
    require(op, w.len() == n, || format!("{n} observations, {} weights", w.len()))?;
    let bad = w.iter().copied().find(|v| !(*v >= 0.0 && v.is_finite()));
    within("weight", bad.unwrap_or(0.0), bad.is_none(), "must be finite and not negative")?;
    let total = w.sum();
    within("the sum of weights", total, total > 0.0 && total.is_finite(), "must be positive and finite")
}

/// A matrix of zeros with as many rows as the caller has asked for by this name; an error if memory has no room for them.
pub(in crate::models) fn zeros(name: &str, rows: usize, columns: usize) -> Result<Array2<f64>> {
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
