//! Early stopping: the parameters of the lowest validation loss, and when to give up hope of a lower one.

use crate::Result;
use crate::check::parameter;

/// Remembers the parameters with the lowest validation loss, and says stop once it has not fallen for `patience` looks.
///
/// ```
/// use mercer::optim::EarlyStopping;
/// let mut watch = EarlyStopping::new(2)?;
/// assert!(!watch.look(3.0, &[1.0]) && !watch.look(2.0, &[2.0]) && !watch.look(2.5, &[3.0]));
/// assert!(watch.look(2.0, &[4.0])); // twice without an improvement
/// assert_eq!(watch.best(), Some((2.0, &[2.0][..])));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStopping {
    patience: usize,
    best: Option<(f64, Vec<f64>)>,
    since: usize,
    trace: Vec<f64>,
}

impl EarlyStopping {
    /// Stops after this many looks without an improvement.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a patience of zero.
    pub fn new(patience: usize) -> Result<Self> {
        parameter("patience", patience as f64, patience > 0, "must be at least 1")?;
        Ok(EarlyStopping { patience, best: None, since: 0, trace: Vec::new() })
    }

    /// Takes note of a validation loss and the parameters that it belongs to; true if it is time to stop.
    ///
    /// A loss that is not a number is no improvement.
    pub fn look(&mut self, loss: f64, parameters: &[f64]) -> bool {
        self.trace.push(loss);
        if self.best.as_ref().map_or(loss.is_finite(), |(lowest, _)| loss < *lowest) {
            self.best = Some((loss, parameters.to_vec()));
            self.since = 0;
        } else {
            self.since += 1;
        }
        self.since >= self.patience
    }

    /// The lowest loss seen, and its parameters.
    pub fn best(&self) -> Option<(f64, &[f64])> {
        self.best.as_ref().map(|(loss, parameters)| (*loss, parameters.as_slice()))
    }

    /// All losses seen, in order.
    pub fn trace(&self) -> &[f64] {
        &self.trace
    }
}
