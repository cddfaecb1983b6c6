//! Hamiltonian Monte Carlo: proposals that follow the gradient. Checked in `tests/inference/monte_carlo.rs`.

use super::chains::{Chains, McmcParams, Sweep, run};
use super::metropolis::at_start;
use super::nuts;
use crate::Result;
use crate::check::{parameter, positive, require};
use crate::configure::setters;
use crate::learn::Inputs;
use crate::random::Philox;

/// How far a proposal travels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Path {
    /// So many leapfrog steps.
    Steps(usize),
    /// Until the path turns back on itself, at most `2^depth` steps: the no-U-turn sampler.
    NoUTurn {
        /// The most doublings of the path; 10 is usual.
        depth: usize,
    },
}

/// Length, step size and adaptation of Hamiltonian chains.
#[derive(Debug, Clone)]
pub struct HmcParams {
    mcmc: McmcParams,
    path: Path,
    step: f64,
    adapt: bool,
    target: f64,
}

impl Default for HmcParams {
    fn default() -> Self {
        let path = Path::NoUTurn { depth: 8 };
        HmcParams { mcmc: McmcParams::new(), path, step: 0.1, adapt: true, target: 0.8 }
    }
}

impl HmcParams {
    /// The no-U-turn sampler with a step size that the burn-in adapts to an acceptance of 0.8.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(HmcParams {
    /// Samples, burn-in, thinning, seed and progress.
    mcmc: McmcParams,
    /// Fixed length or no-U-turn.
    path: Path,
    /// The step size, or the first one if it is adapted: 0.1.
    step: f64,
    /// Whether the burn-in adapts the step size.
    adapt: bool,
    /// The acceptance probability that adaptation aims at: 0.8.
    target: f64,
});

/// Position, momentum, gradient and log density.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub x: Vec<f64>,
    pub p: Vec<f64>,
    pub gradient: Vec<f64>,
    pub height: f64,
}

impl State {
    /// `log p(x) - |p|²/2`.
    pub fn joint(&self) -> f64 {
        self.height - 0.5 * self.p.iter().map(|v| v * v).sum::<f64>()
    }
}

/// One leapfrog step of length `step`, backwards if it is negative.
pub(super) fn leapfrog<F>(from: &State, step: f64, target: &F) -> Result<State>
where
    F: Fn(&[f64]) -> Result<(f64, Vec<f64>)>,
{
    let half: Vec<f64> = from.p.iter().zip(&from.gradient).map(|(p, g)| p + 0.5 * step * g).collect();
    let x: Vec<f64> = from.x.iter().zip(&half).map(|(x, p)| x + step * p).collect();
    let (height, gradient) = target(&x)?;
    let p = half.iter().zip(&gradient).map(|(p, g)| p + 0.5 * step * g).collect();
    Ok(State { x, p, gradient, height })
}

/// Nesterov's dual averaging of the logarithm of the step size (Hoffman and Gelman 2014).
struct Averaging {
    anchor: f64,
    error: f64,
    smoothed: f64,
    made: f64,
}

impl Averaging {
    fn next(&mut self, target: f64, accepted: f64) -> f64 {
        self.made += 1.0;
        let weight = 1.0 / (self.made + 10.0);
        self.error = (1.0 - weight) * self.error + weight * (target - accepted);
        let log = self.anchor - self.made.sqrt() / 0.05 * self.error;
        let share = self.made.powf(-0.75);
        self.smoothed = share * log + (1.0 - share) * self.smoothed;
        log.exp()
    }
}

struct Flow<'a, F> {
    target: &'a F,
    params: &'a HmcParams,
    step: f64,
    averaging: Averaging,
    here: State,
    /// Paths after the burn-in that diverged.
    divergences: usize,
}

impl<F: Fn(&[f64]) -> Result<(f64, Vec<f64>)> + Sync> Sweep for Flow<'_, F> {
    fn sweep(&mut self, at: &mut Vec<f64>, rng: &mut Philox, warm: bool) -> Result<(f64, f64)> {
        self.here.p = at.iter().map(|_| rng.normal()).collect();
        let (accepted, diverged) = match self.params.path {
            Path::Steps(count) => {
                let mut next = self.here.clone();
                for _ in 0..count {
                    next = leapfrog(&next, self.step, self.target)?;
                }
                let gain = next.joint() - self.here.joint();
                let p = if gain.is_nan() { 0.0 } else { gain.min(0.0).exp() };
                if rng.uniform() < p {
                    self.here = next;
                }
                (p, gain.is_nan() || gain < -nuts::DIVERGED)
            }
            Path::NoUTurn { depth } => {
                let (next, p, diverged) = nuts::transition(&self.here, self.step, depth, rng, self.target)?;
                self.here = next;
                (p, diverged)
            }
        };
        self.divergences += usize::from(diverged && !warm);
        if warm && self.params.adapt {
            self.step = self.averaging.next(self.params.target, accepted);
        } else if self.params.adapt && self.averaging.made > 0.0 {
            self.step = self.averaging.smoothed.exp();
        }
        at.clone_from(&self.here.x);
        Ok((accepted, self.here.height))
    }

    fn divergences(&self) -> usize {
        self.divergences
    }
}

/// Hamiltonian Monte Carlo: a momentum `N(0, I)` is drawn, the equations of motion are followed by leapfrog steps, and
/// the end is accepted with probability `min(1, exp(-ΔH))`, `H = -log p(x) + |p|²/2`.
///
/// A path whose energy is off by more than 1000 has diverged. [`Chains::divergences`] counts those after the burn-in: where
/// there are any, the chain has not been into some narrow part of the distribution, and its averages are not to be trusted;
/// aim at a larger acceptance, or choose other variables.
///
/// `target(x)` returns the log density, up to a constant, and its gradient. Each row of `starts` starts a chain.
///
/// ```
/// use mercer::inference::monte_carlo::{HmcParams, McmcParams, hamiltonian};
/// // Normal, of standard deviations 1 and 3.
/// let params = HmcParams::new().mcmc(McmcParams::new().samples(2000).seed(1));
/// let chains = hamiltonian(&ndarray::array![[2.0, 2.0], [-2.0, 0.0]], &params, |x| {
///     Ok((-0.5 * (x[0] * x[0] + x[1] * x[1] / 9.0), vec![-x[0], -x[1] / 9.0]))
/// })?;
/// assert!((chains.variance()[1] / 9.0 - 1.0).abs() < 0.15 && chains.r_hat()[1] < 1.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// Bad starts, a start of density zero, a step that is not positive, no samples, a gradient of another length, a chain
/// none of whose proposals was accepted (the step is too large); those of the target.
pub fn hamiltonian(
    starts: impl Inputs,
    params: &HmcParams,
    target: impl Fn(&[f64]) -> Result<(f64, Vec<f64>)> + Sync,
) -> Result<Chains> {
    const OP: &str = "hamiltonian";
    positive("step", params.step)?;
    parameter(
        "target",
        params.target,
        params.target > 0.0 && params.target < 1.0,
        "must lie between 0 and 1",
    )?;
    let length = match params.path {
        Path::Steps(count) => count,
        Path::NoUTurn { depth } => depth,
    };
    parameter("length of the path", length as f64, (1..=1_000_000).contains(&length), "must be at least 1")?;
    let target = &target;
    run(OP, starts.inputs().view(), &params.mcmc, |at, _| {
        let (height, gradient) = target(at)?;
        at_start(height)?;
        require(OP, gradient.len() == at.len(), || {
            format!("{} variables, a gradient of {}", at.len(), gradient.len())
        })?;
        let here = State { x: at.to_vec(), p: vec![0.0; at.len()], gradient, height };
        let anchor = (10.0 * params.step).ln();
        let averaging = Averaging { anchor, error: 0.0, smoothed: params.step.ln(), made: 0.0 };
        Ok(Flow { target, params, step: params.step, averaging, here, divergences: 0 })
    })
}
