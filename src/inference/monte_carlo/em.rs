//! EM whose E-step is an average over samples of the latent variables. Checked in `tests/inference/sampled_em.rs`.

use crate::Result;
use crate::check::parameter;
use crate::inference::em::{EmModel, Statistics};
use crate::random::Philox;

/// A model whose complete-data statistics can be drawn: what [`MonteCarloEm`] needs instead of an exact E-step.
pub trait CompleteData {
    /// What errors and progress call it.
    const NAME: &'static str;
    /// A part of the data.
    type Batch;
    /// θ.
    type Params: Clone;
    /// Sufficient statistics of the complete data.
    type Stats: Statistics;

    /// Draws the latent variables of `batch` from (a chain that leaves invariant) `p(z | x, θ)` and returns the
    /// statistics of the data completed with them.
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn complete(&self, params: &Self::Params, batch: &Self::Batch, rng: &mut Philox) -> Result<Self::Stats>;

    /// The M-step, as [`EmModel::maximise`].
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn maximise(&self, params: &Self::Params, stats: &Self::Stats) -> Result<Self::Params>;

    /// The objective to report: an estimate of the expected complete log-likelihood, or of the likelihood.
    fn objective(&self, params: &Self::Params, stats: &Self::Stats) -> f64;
}

/// Monte Carlo EM: `Q(θ) ≈ (1/M) Σ_m log p(x, z_m | θ)`, an [`EmModel`] for the driver
/// [`Em`](crate::inference::em::Em) made from any [`CompleteData`].
///
/// The draws of every E-step are the same function of the seed, so that the objective is a smooth surface to climb and
/// not a new one at each step.
#[derive(Debug, Clone)]
pub struct MonteCarloEm<M> {
    model: M,
    draws: usize,
    seed: u64,
}

impl<M: CompleteData> MonteCarloEm<M> {
    /// So many draws of all latent variables in each E-step.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for none.
    pub fn new(model: M, draws: usize, seed: u64) -> Result<Self> {
        parameter("draws", draws as f64, draws > 0, "must be at least 1")?;
        Ok(MonteCarloEm { model, draws, seed })
    }
}

impl<M: CompleteData> EmModel for MonteCarloEm<M> {
    const NAME: &'static str = M::NAME;
    type Batch = M::Batch;
    type Params = M::Params;
    type Stats = M::Stats;

    fn expect(&self, params: &M::Params, batch: &M::Batch) -> Result<M::Stats> {
        self.expect_part(params, batch, 0)
    }

    /// Draw m of part p has the stream `p M + m`: no two parts share their noise.
    fn expect_part(&self, params: &M::Params, batch: &M::Batch, part: usize) -> Result<M::Stats> {
        let first = (part as u64).wrapping_mul(self.draws as u64);
        let stream = |m: usize| Philox::new(self.seed, first.wrapping_add(m as u64));
        let draw = |m: usize| self.model.complete(params, batch, &mut stream(m));
        let mut sum = draw(0)?;
        for m in 1..self.draws {
            sum.add(&draw(m)?);
        }
        sum.scale(1.0 / self.draws as f64);
        Ok(sum)
    }

    fn maximise(&self, params: &M::Params, stats: &M::Stats) -> Result<M::Params> {
        self.model.maximise(params, stats)
    }

    fn objective(&self, params: &M::Params, stats: &M::Stats) -> f64 {
        self.model.objective(params, stats)
    }

    /// Sampled objectives may fall by their Monte Carlo error.
    fn rounding(&self, _: &Self::Params) -> f64 {
        1.0
    }
}
