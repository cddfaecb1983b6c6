//! Data in parts.

use ndarray::{Array2, Axis};

use crate::{Error, Result};

/// Parts of a data set, visited one at a time, in order, as often as there are iterations.
///
/// Slices, arrays and vectors of parts are in memory already. What is larger than memory implements this by reading.
pub trait Batches<B> {
    /// How many there are.
    fn count(&self) -> usize;

    /// Calls `f` with part `index`.
    ///
    /// # Errors
    /// That of `f`, or that of getting at the data.
    fn visit(&self, index: usize, f: &mut dyn FnMut(&B) -> Result<()>) -> Result<()>;
}

impl<B> Batches<B> for [B] {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&B) -> Result<()>) -> Result<()> {
        f(&self[index])
    }
}

impl<B, const N: usize> Batches<B> for [B; N] {
    fn count(&self) -> usize {
        N
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&B) -> Result<()>) -> Result<()> {
        f(&self[index])
    }
}

impl<B> Batches<B> for Vec<B> {
    fn count(&self) -> usize {
        self.len()
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&B) -> Result<()>) -> Result<()> {
        f(&self[index])
    }
}

/// All parts, one below the other: what one rank holds, for a model that takes rows and not parts.
///
/// # Errors
/// Those of reading, and [`Error::Shape`](crate::Error::Shape) for parts of different numbers of columns.
pub fn stacked<D: Batches<Array2<f64>> + ?Sized>(data: &D, columns: usize) -> Result<Array2<f64>> {
    let mut all = Array2::zeros((0, columns));
    for part in 0..data.count() {
        data.visit(part, &mut |rows| {
            let what = format!("part {part} has {} columns, not {columns}", rows.ncols());
            all.append(Axis(0), rows.view()).map_err(|_| Error::Shape { op: "stacked", what })
        })?;
    }
    Ok(all)
}
