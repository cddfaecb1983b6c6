//! Stochastic variational inference: global factors by natural gradients on mini-batches. Checked in
//! `tests/inference/stochastic.rs`.

use super::family::Family;
use crate::check::{not_negative, parameter, require};
use crate::configure::setters;
use crate::random::Philox;
use crate::{Progress, Result};

/// A model with global blocks β and a local variable for each observation: `p(β) Π_i p(z_i, x_i | β)`.
pub trait GlobalLocal: Sync {
    /// The family of each global block.
    fn family(&self) -> Vec<Family>;

    /// The number of observations.
    fn count(&self) -> usize;

    /// The natural parameters of the prior of each global block.
    fn prior(&self) -> Vec<Vec<f64>>;

    /// What observation i adds to the natural parameters of each global block, once its local factor is optimal given the
    /// global ones' expected statistics.
    ///
    /// # Errors
    /// Whatever the computation meets.
    fn local(&self, i: usize, expected: &[Vec<f64>]) -> Result<Vec<Vec<f64>>>;
}

/// The step sizes `ρ_t = scale (t + delay)^-decay`, at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stepwise {
    /// Multiplies every step.
    pub scale: f64,
    /// At least 0; the larger, the smaller the first steps.
    pub delay: f64,
    /// In (1/2, 1] for convergence; 0 for steps of constant size.
    pub decay: f64,
}

/// `ν ← (1 - ρ_t) ν + ρ_t (ν_prior + (N/S) Σ_{i in batch} ν_i)`: each batch of S stands for all N observations, and the
/// step is along the natural gradient of the ELBO (Hoffman et al. 2013).
///
/// ```
/// use mercer::inference::variational::{KnownVarianceMixture, StochasticVi};
/// let data: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { -3.0 } else { 3.0 } + 0.01 * f64::from(i % 7)).collect();
/// let model = KnownVarianceMixture::new(&data, 2, 10.0)?;
/// let found = StochasticVi::new(20).passes(5).run(&model, vec![vec![-1.0, -0.5], vec![1.0, -0.5]])?;
/// assert!((found[0][0] / (-2.0 * found[0][1]) - -2.97).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct StochasticVi {
    batch: usize,
    passes: usize,
    steps: Stepwise,
    seed: u64,
    progress: Progress,
}

setters!(StochasticVi {
    /// Passes over all observations: 10.
    passes: usize,
    /// Step sizes; `(t + 1)^-0.7` unless said otherwise.
    steps: Stepwise,
    /// Seed of the order of the observations.
    seed: u64,
    /// Called after every batch; it can cancel the fit.
    progress: Progress,
});

impl StochasticVi {
    /// Mini-batches of this many observations, ten passes.
    pub fn new(batch: usize) -> Self {
        let steps = Stepwise { scale: 1.0, delay: 1.0, decay: 0.7 };
        StochasticVi { batch, passes: 10, steps, seed: 0, progress: Progress::none() }
    }

    /// `ν_prior + (N/S) Σ_{i in batch} ν_i`: what the batch says of the natural parameters, without bias.
    ///
    /// # Errors
    /// Parameters that are not one vector a block, an observation that is not there; those of the model.
    pub fn estimate<M: GlobalLocal>(
        model: &M,
        natural: &[Vec<f64>],
        batch: &[usize],
    ) -> Result<Vec<Vec<f64>>> {
        const OP: &str = "StochasticVi::estimate";
        let (families, n) = (model.family(), model.count());
        require(OP, natural.len() == families.len(), || {
            format!("{} blocks, parameters of {}", families.len(), natural.len())
        })?;
        let beyond = batch.iter().find(|i| **i >= n);
        require(OP, beyond.is_none(), || format!("observation {beyond:?} of {n}"))?;
        let expected: Vec<Vec<f64>> =
            families.iter().zip(natural).map(|(f, v)| f.expected(v)).collect::<Result<_>>()?;
        let (mut sum, factor) = (model.prior(), model.count() as f64 / batch.len().max(1) as f64);
        for &i in batch {
            for (s, part) in sum.iter_mut().zip(model.local(i, &expected)?) {
                s.iter_mut().zip(part).for_each(|(s, p)| *s += factor * p);
            }
        }
        Ok(sum)
    }

    /// The natural parameters of the global factors after all passes.
    ///
    /// # Errors
    /// Settings out of their domain, [`Error::Cancelled`](crate::Error::Cancelled); those of the model.
    pub fn run<M: GlobalLocal>(&self, model: &M, start: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
        let n = model.count();
        parameter(
            "batch",
            self.batch as f64,
            (1..=n).contains(&self.batch),
            "must be between 1 and the observations",
        )?;
        not_negative("delay", self.steps.delay)?;
        parameter("decay", self.steps.decay, (0.0..=1.0).contains(&self.steps.decay), "must lie in [0, 1]")?;
        parameter("scale", self.steps.scale, self.steps.scale > 0.0, "must be positive")?;
        let (mut natural, mut made) = (start, 0usize);
        for pass in 0..self.passes {
            let order = Philox::new(self.seed, pass as u64).permutation(n);
            for batch in order.chunks(self.batch) {
                made += 1;
                let rho = self.steps.scale
                    * (made as f64 + self.steps.delay - 1.0).max(1.0).powf(-self.steps.decay);
                let rho = rho.min(1.0);
                let target = Self::estimate(model, &natural, batch)?;
                for (v, t) in natural.iter_mut().zip(&target) {
                    v.iter_mut().zip(t).for_each(|(v, t)| *v = (1.0 - rho) * *v + rho * t);
                }
                self.progress.report(
                    "StochasticVi::run",
                    made,
                    self.passes * n.div_ceil(self.batch),
                    f64::NAN,
                )?;
            }
        }
        Ok(natural)
    }
}
