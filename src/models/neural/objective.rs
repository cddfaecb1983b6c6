//! What training needs to know of a model: its loss on a batch of rows, with the gradient.

use super::resident::Resident;
use super::training::Training;
use crate::Result;

/// What is minimised: the loss of rows and its gradient, as sums over rows with their weights.
pub(super) trait Objective {
    /// `Σ_{n in rows} w_n E_n` and its gradient; the seed decides what is random in it.
    fn batch(&self, parameters: &[f64], rows: &[usize], seed: u64) -> Result<(f64, Vec<f64>)>;

    /// `scale` times the same, with the gradient in room that is given.
    fn batch_into(
        &self,
        parameters: &[f64],
        rows: &[usize],
        seed: u64,
        scale: f64,
        gradient: &mut [f64],
    ) -> Result<f64> {
        let (value, found) = self.batch(parameters, rows, seed)?;
        gradient.iter_mut().zip(&found).for_each(|(to, g)| *to = scale * g);
        Ok(scale * value)
    }

    /// The same network on a device, with `rows` rows to learn from, if it is one that can train there.
    fn resident<'a>(
        &'a self,
        _training: &'a Training,
        _rows: usize,
        _start: &[f64],
    ) -> Result<Option<Resident<'a>>> {
        Ok(None)
    }

    /// The same without the gradient and without what is only for training.
    fn loss(&self, parameters: &[f64], rows: &[usize]) -> Result<f64> {
        self.batch(parameters, rows, 0).map(|found| found.0)
    }
}
