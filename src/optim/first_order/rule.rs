//! What every first-order rule can do: move parameters by a gradient.

use std::fmt::Debug;

use crate::check::require;
use crate::{Error, Result};

/// A rule that moves parameters by a gradient: `θ ← θ - ...`.
///
/// A rule knows nothing of where the gradient came from: a closure, a mini-batch, a model on a GPU. Its state (velocities,
/// sums of squares) has the length of the parameters and begins at zero.
///
/// ```
/// use mercer::optim::{Adam, StepRule};
/// let (mut rule, mut theta) = (Adam::new(0.1), vec![1.0, -2.0]);
/// rule.step(&mut theta, &[3.0, -0.001])?;
/// assert!((theta[0] - 0.9).abs() < 1e-6 && (theta[1] + 1.9).abs() < 1e-5); // the first step is γ sign(g)
/// # Ok::<(), mercer::Error>(())
/// ```
pub trait StepRule: Debug + Send + Sync {
    /// Moves `parameters` by `gradient`.
    ///
    /// # Errors
    /// [`Error::Shape`] if the two are not of one length, or not of the length of the steps before;
    /// [`Error::NotFinite`] for a gradient that is none; [`Error::Parameter`] for settings out of their domain.
    fn step(&mut self, parameters: &mut [f64], gradient: &[f64]) -> Result<()>;

    /// Where the next gradient is to be taken: at the parameters themselves, but for Nesterov's rule.
    fn look_ahead(&self, parameters: &[f64]) -> Vec<f64> {
        parameters.to_vec()
    }

    /// Steps made so far.
    fn steps(&self) -> usize;

    /// Forgets all steps made.
    fn reset(&mut self);
}

/// Sizes that fit together, and a gradient of numbers; the state is made at the first step.
pub(super) fn ready(parameters: &[f64], gradient: &[f64], state: &mut Vec<f64>) -> Result<()> {
    let (n, m) = (parameters.len(), gradient.len());
    require("StepRule::step", n == m, || format!("{n} parameters, a gradient of {m}"))?;
    if state.is_empty() {
        state.resize(n, 0.0);
    }
    let held = state.len();
    require("StepRule::step", held == n, || format!("{n} parameters, {held} in the steps before"))?;
    match gradient.iter().enumerate().find(|(_, g)| !g.is_finite()) {
        None => Ok(()),
        Some((row, &value)) => {
            Err(Error::NotFinite { op: "StepRule::step", what: "the gradient", value, row, col: 0 })
        }
    }
}
