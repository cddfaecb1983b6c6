//! What must hold of data and parameters before anything is computed with them.

use ndarray::ArrayView2;

use crate::{Error, Result};

pub(super) fn parameter(name: &str, value: f64, holds: bool, requirement: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name: name.to_owned(), value, requirement }) }
}

pub(super) fn shape(op: &'static str, holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Shape { op, what: what() }) }
}

/// Data to fit: at least `rows` rows and one column. Whether it is finite is seen in its moments.
pub(super) fn data(op: &'static str, x: ArrayView2<f64>, rows: usize) -> Result<()> {
    let (n, d) = x.dim();
    shape(op, n >= rows && d > 0, || {
        format!("x is {n} x {d}; there must be {rows} rows or more, and a column")
    })
}

/// Data for a fitted model of `d` columns; no rows is no error, and no work.
pub(super) fn columns(op: &'static str, x: ArrayView2<f64>, d: usize) -> Result<()> {
    shape(op, x.ncols() == d, || format!("x has {} columns, the model was fitted to {d}", x.ncols()))
}

/// No NaN, no infinity.
pub(super) fn finite(op: &'static str, x: ArrayView2<f64>) -> Result<()> {
    match x.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, col), &value)) => Err(Error::NotFinite { op, what: "x", value, row, col }),
    }
}

/// The error of data whose sums are not finite: the entry to blame, or the size of all of them.
pub(super) fn blame(op: &'static str, x: ArrayView2<f64>) -> Error {
    let largest = x.iter().fold(0f64, |m, v| m.max(v.abs()));
    let name = "the largest entry of x".to_owned();
    let requirement = "sums of squares must be finite: scale the data";
    finite(op, x).err().unwrap_or(Error::Parameter { name, value: largest, requirement })
}
