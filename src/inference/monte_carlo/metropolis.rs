//! Metropolis and Metropolis-Hastings. Checked in `tests/inference/monte_carlo.rs`.

use super::chains::{Chains, McmcParams, Sweep, run};
use crate::Result;
use crate::check::{parameter, positive};
use crate::learn::Inputs;
use crate::random::Philox;

struct Accept<'a, F, Q> {
    log_density: &'a F,
    propose: &'a Q,
    height: f64,
}

impl<F, Q> Sweep for Accept<'_, F, Q>
where
    F: Fn(&[f64]) -> Result<f64> + Sync,
    Q: Fn(&[f64], &mut Philox) -> (Vec<f64>, f64) + Sync,
{
    fn sweep(&mut self, at: &mut Vec<f64>, rng: &mut Philox, _: bool) -> Result<(f64, f64)> {
        let (next, back) = (self.propose)(at, rng);
        let height = (self.log_density)(&next)?;
        let ratio = height - self.height + back;
        // NaN is no density: such a point is refused.
        let p = if ratio.is_nan() { 0.0 } else { ratio.min(0.0).exp() };
        if rng.uniform() < p {
            *at = next;
            self.height = height;
        }
        Ok((p, self.height))
    }
}

/// The log density at a start, which must be finite.
pub(super) fn at_start(height: f64) -> Result<f64> {
    parameter("log density at the start", height, height.is_finite(), "must be finite")?;
    Ok(height)
}

/// Metropolis-Hastings: the proposal `x'` is accepted with probability `min(1, p(x') q(x|x') / p(x) q(x'|x))`.
///
/// `propose(x, rng)` returns `x'` and `log q(x|x') - log q(x'|x)`, zero for a symmetric proposal. Each row of `starts`
/// starts a chain; the density is known up to a constant.
///
/// ```
/// use mercer::inference::monte_carlo::{McmcParams, metropolis_hastings};
/// // A die with faces as probable as their eyes, by steps to a neighbour on the circle.
/// let params = McmcParams::new().samples(20_000).seed(2);
/// let chains = metropolis_hastings(&ndarray::array![[1.0]], &params,
///     |x, rng| {
///         let step = if rng.bernoulli(0.5) { 1.0 } else { 5.0 };
///         (vec![(x[0] - 1.0 + step) % 6.0 + 1.0], 0.0)
///     },
///     |x| Ok(x[0].ln()))?;
/// assert!((chains.mean()[0] - 91.0 / 21.0).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// Bad starts, a start of density zero, no samples, a chain none of whose proposals was accepted; those of the density.
pub fn metropolis_hastings(
    starts: impl Inputs,
    params: &McmcParams,
    propose: impl Fn(&[f64], &mut Philox) -> (Vec<f64>, f64) + Sync,
    log_density: impl Fn(&[f64]) -> Result<f64> + Sync,
) -> Result<Chains> {
    let (log_density, propose) = (&log_density, &propose);
    run("metropolis_hastings", starts.inputs().view(), params, |at, _| {
        Ok(Accept { log_density, propose, height: at_start(log_density(at)?)? })
    })
}

/// Random-walk Metropolis: [`metropolis_hastings`] with the proposal `x' = x + step N(0, I)`.
///
/// ```
/// use mercer::inference::monte_carlo::{McmcParams, metropolis};
/// let starts = ndarray::array![[-3.0], [0.0], [3.0], [5.0]];
/// let chains = metropolis(&starts, 2.0, &McmcParams::new().samples(4000), |x| Ok(-0.5 * x[0] * x[0]))?;
/// assert!(chains.r_hat()[0] < 1.02 && (chains.variance()[0] - 1.0).abs() < 0.1);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`metropolis_hastings`], and for a step that is not positive.
pub fn metropolis(
    starts: impl Inputs,
    step: f64,
    params: &McmcParams,
    log_density: impl Fn(&[f64]) -> Result<f64> + Sync,
) -> Result<Chains> {
    positive("step", step)?;
    let walk = |x: &[f64], rng: &mut Philox| (x.iter().map(|v| v + step * rng.normal()).collect(), 0.0);
    metropolis_hastings(starts, params, walk, log_density)
}
