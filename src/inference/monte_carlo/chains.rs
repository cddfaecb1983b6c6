//! Many chains at once: the schedule, the loop over sweeps, and the chains that come of it. Checked in
//! `tests/inference/monte_carlo.rs`.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::slice::{SliceParams, slice_sample};
use crate::check::{finite, parameter, require, room};
use crate::configure::{getters, setters};
use crate::learn::ranks::{Ranks, meet};
use crate::random::Philox;
use crate::{Progress, Result};

/// How long chains are, and what decides their randomness.
#[derive(Debug, Clone)]
pub struct McmcParams {
    pub(super) samples: usize,
    pub(super) burn_in: usize,
    pub(super) thin: usize,
    pub(super) seed: u64,
    pub(super) progress: Progress,
}

impl Default for McmcParams {
    fn default() -> Self {
        McmcParams { samples: 1000, burn_in: 500, thin: 1, seed: 0, progress: Progress::none() }
    }
}

impl McmcParams {
    /// A thousand samples of every chain, after five hundred sweeps that are thrown away.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn check(&self, op: &'static str, starts: ArrayView2<f64>) -> Result<usize> {
        finite(op, "starts", starts)?;
        let counted = self.samples > 0 && self.thin > 0;
        require(op, counted, || "no samples were asked for".to_owned())?;
        let last = self.samples.checked_mul(self.thin).and_then(|kept| kept.checked_add(self.burn_in));
        let asked = last.map_or(f64::INFINITY, |v| v as f64);
        parameter("samples", asked, last.is_some(), "must not be more sweeps than can be counted")?;
        room("samples", self.samples.saturating_mul(starts.len()), 8)?;
        Ok(last.unwrap_or(0))
    }
}

setters!(McmcParams {
    /// The number of samples of each chain to keep: 1000.
    samples: usize,
    /// The sweeps before the first that is kept, in which step sizes may adapt: 500.
    burn_in: usize,
    /// The sweeps for each sample that is kept: 1.
    thin: usize,
    /// Seed of all random decisions; chain c uses stream c.
    seed: u64,
    /// Called after every sweep of every chain; it can cancel the sampling.
    progress: Progress,
});

/// Samples of several chains, and how often their proposals were accepted.
#[derive(Debug, Clone)]
pub struct Chains {
    draws: Vec<Array2<f64>>,
    log_density: Vec<Vec<f64>>,
    acceptance: Vec<f64>,
    divergences: Vec<usize>,
}

getters!(Chains {
    /// The samples of each chain, `samples x d`.
    draws: &[Array2<f64>],
    /// The log density at each sample of each chain; NaN where the sampler does not evaluate it.
    log_density: &[Vec<f64>],
    /// The mean acceptance probability of each chain.
    acceptance: &[f64],
    /// How many paths of each chain diverged after the burn-in: zero unless Hamiltonian. If some did, do not trust the averages.
    divergences: &[usize],
});

impl Chains {
    /// Chains that were made elsewhere, each `samples x d`.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for none or for different shapes; NaN.
    pub fn new(draws: Vec<Array2<f64>>) -> Result<Self> {
        let op = "Chains::new";
        require(op, !draws.is_empty(), || "there are no chains".to_owned())?;
        for d in &draws {
            finite(op, "draws", d.view())?;
            require(op, d.dim() == draws[0].dim(), || "chains of different shapes".to_owned())?;
        }
        let (m, n) = (draws.len(), draws[0].nrows());
        Ok(Chains {
            draws,
            log_density: vec![vec![f64::NAN; n]; m],
            acceptance: vec![1.0; m],
            divergences: vec![0; m],
        })
    }

    /// The samples of all chains, one below the other.
    pub fn pooled(&self) -> Array2<f64> {
        let (n, d) = self.draws[0].dim();
        let mut all = Array2::zeros((n * self.draws.len(), d));
        for (mut to, from) in all.axis_chunks_iter_mut(Axis(0), n).zip(&self.draws) {
            to.assign(from);
        }
        all
    }
}

/// One chain's way of making a sweep; `warm` in the burn-in. It returns the acceptance probability of what it proposed
/// and the log density where it ended.
pub(super) trait Sweep: Send {
    fn sweep(&mut self, at: &mut Vec<f64>, rng: &mut Philox, warm: bool) -> Result<(f64, f64)>;

    /// Paths after the burn-in that diverged.
    fn divergences(&self) -> usize {
        0
    }
}

/// Runs a chain from each row of `starts`.
pub(super) fn run<S: Sweep>(
    op: &'static str,
    starts: ArrayView2<f64>,
    params: &McmcParams,
    make: impl Fn(&[f64], &mut Philox) -> Result<S> + Sync,
) -> Result<Chains> {
    let last = params.check(op, starts)?;
    let (chains, made) = (starts.nrows(), AtomicUsize::new(0));
    let one = |c: usize| -> Result<(Array2<f64>, Vec<f64>, f64, usize)> {
        let mut rng = Philox::new(params.seed, c as u64);
        let mut at = starts.row(c).to_vec();
        let mut sweep = make(&at, &mut rng)?;
        let mut kept = Array2::zeros((params.samples, at.len()));
        let (mut heights, mut accepted) = (Vec::with_capacity(params.samples), 0.0);
        for t in 1..=last {
            let (p, height) = sweep.sweep(&mut at, &mut rng, t <= params.burn_in)?;
            if t > params.burn_in {
                accepted += p;
                if (t - params.burn_in).is_multiple_of(params.thin) {
                    kept.row_mut(heights.len()).assign(&ArrayView1::from(&at));
                    heights.push(height);
                }
            }
            params.progress.report(op, made.fetch_add(1, Ordering::Relaxed) + 1, chains * last, height)?;
        }
        let share = accepted / (last - params.burn_in) as f64;
        parameter(
            "acceptance",
            share,
            share > 0.0,
            "every proposal was refused: take a smaller step or another start",
        )?;
        Ok((kept, heights, share, sweep.divergences()))
    };
    let all: Vec<_> = (0..chains).into_par_iter().map(one).collect::<Result<_>>()?;
    let (draws, log_density) = (Vec::new(), Vec::new());
    let mut out = Chains { draws, log_density, acceptance: Vec::new(), divergences: Vec::new() };
    for (kept, heights, share, divergences) in all {
        out.draws.push(kept);
        out.log_density.push(heights);
        out.acceptance.push(share);
        out.divergences.push(divergences);
    }
    Ok(out)
}

struct Conditionals<'a, F> {
    blocks: usize,
    resample: &'a F,
}

impl<F: Fn(usize, &mut [f64], &mut Philox) -> Result<()> + Sync> Sweep for Conditionals<'_, F> {
    fn sweep(&mut self, at: &mut Vec<f64>, rng: &mut Philox, _: bool) -> Result<(f64, f64)> {
        for b in 0..self.blocks {
            (self.resample)(b, at, rng)?;
        }
        Ok((1.0, f64::NAN))
    }
}

/// Gibbs sampling: a sweep draws each of `blocks` blocks from its conditional given all others.
///
/// `resample(b, x, rng)` replaces block b of the state x by a draw from `p(x_b | x_{-b})`. Each row of `starts` starts a
/// chain.
///
/// ```
/// use mercer::inference::monte_carlo::{McmcParams, gibbs};
/// use ndarray::Array2;
/// // A pair of normal variables with correlation 0.8.
/// let r: f64 = 0.8;
/// let chains = gibbs(&Array2::<f64>::zeros((2, 2)), 2, &McmcParams::new().samples(4000), |b, x, rng| {
///     x[b] = r * x[1 - b] + (1.0 - r * r).sqrt() * rng.normal();
///     Ok(())
/// })?;
/// assert!((chains.variance()[0] - 1.0).abs() < 0.1 && chains.r_hat()[0] < 1.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// No samples, no variables, starts that are not finite, more samples than memory has room for; those of `resample`.
pub fn gibbs(
    starts: impl crate::learn::Inputs,
    blocks: usize,
    params: &McmcParams,
    resample: impl Fn(usize, &mut [f64], &mut Philox) -> Result<()> + Sync,
) -> Result<Chains> {
    require("gibbs", blocks > 0, || "there are no blocks to draw".to_owned())?;
    let resample = &resample;
    let chains = run("gibbs", starts.inputs().view(), params, |_, _| Ok(Conditionals { blocks, resample }))?;
    for d in &chains.draws {
        crate::check::numbers("gibbs", "a draw", d.view())?;
    }
    Ok(chains)
}

/// [`slice_sample`] from each row of `starts`: chain c has the seed `seed + c`.
///
/// # Errors
/// As [`slice_sample`].
pub fn slice_chains(
    starts: impl crate::learn::Inputs,
    bounds: &[(f64, f64)],
    params: &SliceParams,
    log_density: impl Fn(&[f64]) -> Result<f64> + Sync,
) -> Result<Chains> {
    let starts = starts.inputs();
    finite("slice_chains", "starts", starts.view())?;
    let one = |c: usize| slice_chain(starts.row(c), c, bounds, params, &log_density);
    gathered(starts.ncols(), (0..starts.nrows()).into_par_iter().map(one).collect::<Result<_>>()?)
}

/// [`slice_chains`] whose chains are dealt out among ranks: every rank gives all starts, and has all chains, to the bit those of
/// one process.
///
/// # Errors
/// As [`slice_sample`], the same on every rank.
pub fn slice_chains_across(
    ranks: &dyn Ranks,
    starts: impl crate::learn::Inputs,
    bounds: &[(f64, f64)],
    params: &SliceParams,
    log_density: impl Fn(&[f64]) -> Result<f64>,
) -> Result<Chains> {
    let starts = starts.inputs();
    meet(ranks, |all| {
        finite("slice_chains", "starts", starts.view())?;
        let one = |c: usize| slice_chain(starts.row(c), c, bounds, params, &log_density);
        gathered(starts.ncols(), all.deal("slice_chains", starts.nrows(), one)?)
    })
}

/// The samples of a chain and their log densities.
type Chain = (Vec<Vec<f64>>, Vec<f64>);

fn slice_chain(
    start: ArrayView1<f64>,
    c: usize,
    bounds: &[(f64, f64)],
    params: &SliceParams,
    log_density: impl Fn(&[f64]) -> Result<f64>,
) -> Result<Chain> {
    let own = params.clone().seed(params.first_seed().wrapping_add(c as u64));
    let found = slice_sample(&start.to_vec(), bounds, &own, |x| log_density(x))?;
    Ok((found.points, found.log_density))
}

fn gathered(d: usize, all: Vec<Chain>) -> Result<Chains> {
    let draws = all.iter().map(|(points, _)| Array2::from_shape_fn((points.len(), d), |(i, j)| points[i][j]));
    let mut chains = Chains::new(draws.collect())?;
    chains.log_density = all.into_iter().map(|(_, log_density)| log_density).collect();
    Ok(chains)
}
