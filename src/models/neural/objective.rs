//! What training needs to know of a model: its loss on a batch of rows, with the gradient.

use crate::Result;

/// What is minimised: the loss of rows and its gradient, as sums over rows with their weights.
pub(super) trait Objective {
    /// `Σ_{n in rows} w_n E_n` and its gradient; the seed decides what is random in it.
    fn batch(&self, parameters: &[f64], rows: &[usize], seed: u64) -> Result<(f64, Vec<f64>)>;

    /// The same without the gradient and without what is only for training.
    fn loss(&self, parameters: &[f64], rows: &[usize]) -> Result<f64> {
        self.batch(parameters, rows, 0).map(|found| found.0)
    }
}
