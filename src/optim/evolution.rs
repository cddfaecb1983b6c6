//! Evolution strategies: gradients of functions that have none. Checked in `tests/optim/others.rs`.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::first_order::StepRule;
use crate::check::{parameter, positive, require};
use crate::configure::setters;
use crate::{Error, Progress, Result};

/// `∇ E[f(θ + sε)] = E[f(θ + sε) ε]/s` from seeded normal draws, each used twice, as ε and -ε:
/// `(1/(2Ss)) Σ_k (f(θ + sε_k) - f(θ - sε_k)) ε_k`.
///
/// It tends to the gradient of f as s tends to zero, and is that of a smoothed f where f itself has none.
///
/// # Errors
/// Those of `f`; [`Error::Parameter`] for a spread s that is not positive or no pairs.
pub fn evolution_gradient(
    theta: &[f64],
    spread: f64,
    pairs: usize,
    seed: u64,
    mut f: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<Vec<f64>> {
    positive("spread", spread)?;
    parameter("pairs", pairs as f64, pairs > 0, "must be at least 1")?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sum = vec![0.0; theta.len()];
    for _ in 0..pairs {
        let draw: Vec<f64> = theta.iter().map(|_| StandardNormal.sample(&mut rng)).collect();
        let moved =
            |sign: f64| theta.iter().zip(&draw).map(|(t, e)| t + sign * spread * e).collect::<Vec<_>>();
        let gain = f(&moved(1.0))? - f(&moved(-1.0))?;
        sum.iter_mut().zip(&draw).for_each(|(s, e)| *s += gain * e);
    }
    Ok(sum.iter().map(|s| s / (2.0 * spread * pairs as f64)).collect())
}

/// Minimises a function that is only evaluated: [`evolution_gradient`] steps by any [`StepRule`].
///
/// ```
/// use mercer::optim::{EvolutionStrategy, Sgd};
/// let steps = |p: &[f64]| Ok((p[0] * 10.0).floor().abs()); // flat almost everywhere
/// let (best, value) = EvolutionStrategy::new(0.3).pairs(20).iterations(200).run(&[2.0], Sgd::new(0.01), steps)?;
/// assert!(value == 0.0 && (0.0..0.1).contains(&best[0]));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EvolutionStrategy {
    spread: f64,
    pairs: usize,
    iterations: usize,
    seed: u64,
    progress: Progress,
}

setters!(EvolutionStrategy {
    /// The standard deviation s of the perturbations.
    spread: f64,
    /// Pairs of perturbations for a gradient; 25 unless said otherwise.
    pairs: usize,
    /// Steps made; 100 unless said otherwise.
    iterations: usize,
    /// Seed of all perturbations.
    seed: u64,
    /// Callback after every step, which can stop the search.
    progress: Progress,
});

impl EvolutionStrategy {
    /// 100 steps, each from 25 pairs of perturbations of this spread.
    pub fn new(spread: f64) -> Self {
        EvolutionStrategy { spread, pairs: 25, iterations: 100, seed: 0, progress: Progress::none() }
    }

    /// The best of the points stepped to, and its value.
    ///
    /// # Errors
    /// Those of `f` and of the rule; [`Error::NotFinite`] for a value that is none; [`Error::Cancelled`];
    /// [`Error::Shape`] or [`Error::Parameter`] for a bad start or setting.
    pub fn run(
        &self,
        start: &[f64],
        mut rule: impl StepRule,
        mut f: impl FnMut(&[f64]) -> Result<f64>,
    ) -> Result<(Vec<f64>, f64)> {
        const OP: &str = "EvolutionStrategy::run";
        require(OP, !start.is_empty(), || "a start of no variables".to_owned())?;
        let mut point = start.to_vec();
        let value = f(&point)?;
        if !value.is_finite() {
            return Err(Error::NotFinite { op: OP, what: "the objective", value, row: 0, col: 0 });
        }
        let mut best = (point.clone(), value);
        for i in 0..self.iterations {
            let seed = self.seed.wrapping_add(i as u64);
            let gradient =
                evolution_gradient(&rule.look_ahead(&point), self.spread, self.pairs, seed, &mut f)?;
            rule.step(&mut point, &gradient)?;
            let value = f(&point)?;
            if !value.is_finite() {
                return Err(Error::NotFinite { op: OP, what: "the objective", value, row: i, col: 0 });
            }
            if value < best.1 {
                best = (point.clone(), value);
            }
            self.progress.report(OP, i + 1, self.iterations, value)?;
        }
        Ok(best)
    }
}
