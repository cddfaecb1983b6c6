//! Data in parts.

use crate::Result;

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
