//! What every first-order rule can do: move parameters by a gradient.

use std::fmt::Debug;

use pulp::Arch;
use rayon::prelude::*;

use crate::check::{is_finite, require};
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

    /// Whether [`look_ahead`](StepRule::look_ahead) leads elsewhere than to the parameters.
    fn looks_ahead(&self) -> bool {
        false
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
    if is_finite(gradient) {
        return Ok(());
    }
    match gradient.iter().enumerate().find(|(_, g)| !g.is_finite()) {
        None => Ok(()),
        Some((row, &value)) => {
            Err(Error::NotFinite { op: "StepRule::step", what: "the gradient", value, row, col: 0 })
        }
    }
}

/// Parameters that one thread moves.
const TASK: usize = 1 << 14;

/// `f(p, g, a, b)` for every parameter with its gradient and the two numbers that the rule keeps of it, by vector
/// instructions and on every core where there are many.
pub(super) fn each(
    parameters: &mut [f64],
    gradient: &[f64],
    (first, second): (&mut [f64], &mut [f64]),
    f: impl Fn(&mut f64, f64, &mut f64, &mut f64) + Sync,
) {
    #[allow(clippy::type_complexity, reason = "as zip makes them")]
    let some = |(((p, g), a), b): (((&mut [f64], &[f64]), &mut [f64]), &mut [f64])| {
        Arch::new().dispatch(|| {
            for (((p, g), a), b) in p.iter_mut().zip(g).zip(a.iter_mut()).zip(b.iter_mut()) {
                f(p, *g, a, b);
            }
        });
    };
    if parameters.len() <= 2 * TASK {
        return some((((parameters, gradient), first), second));
    }
    parameters
        .par_chunks_mut(TASK)
        .zip(gradient.par_chunks(TASK))
        .zip(first.par_chunks_mut(TASK))
        .zip(second.par_chunks_mut(TASK))
        .for_each(some);
}
