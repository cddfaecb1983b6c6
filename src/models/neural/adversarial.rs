//! Adversarial perturbation: the small change of an input that raises the loss most. Checked in `tests/neural/adversarial.rs`.

use ndarray::Array2;

use super::loss::OutputLoss;
use super::network::Network;
use crate::Result;
use crate::check::not_negative;
use crate::learn::Inputs;

/// The fast gradient sign method: `x + ε sign(∇_x E(f(x), t))`, the change of at most ε in each number that raises a
/// linearised loss most. A linear model's margin falls by `ε‖w‖₁`.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let net = Network::new(vec![Layer::linear(2, 1)])?;
/// let moved = fgsm(&net, &[2.0, -1.0], OutputLoss::Bernoulli, array![[1.0, 1.0]], &array![[1.0]], 0.1)?;
/// assert!((&moved - &array![[0.9, 1.1]]).iter().all(|d| d.abs() < 1e-15));
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for sizes that do not fit, [`Error::Parameter`](crate::Error::Parameter) for a
/// negative ε.
pub fn fgsm(
    network: &Network,
    parameters: &[f64],
    loss: OutputLoss,
    x: impl Inputs,
    targets: &Array2<f64>,
    epsilon: f64,
) -> Result<Array2<f64>> {
    not_negative("epsilon", epsilon)?;
    let x = x.inputs();
    let tape = network.record(parameters, &x, None)?;
    let delta = loss.delta(tape.output().view(), targets.view(), None)?;
    let slope = network.backward(parameters, &tape, &delta)?.inputs;
    let sign = |g: f64| if g == 0.0 { 0.0 } else { g.signum() };
    Ok(&x + &slope.mapv(|g| epsilon * sign(g)))
}
