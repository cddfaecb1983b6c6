//! Stochastic gradients whose variance vanishes at the minimum: SVRG and SAGA. Checked in `tests/optim/others.rs`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::minimiser::{Minimum, Stop};
use crate::check::{entries, largest, not_negative, positive, require, room};
use crate::configure::setters;
use crate::{Error, Progress, Result};

/// How the variance is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reduction {
    /// SVRG: `∇f_i(w) - ∇f_i(w̃) + ∇F(w̃)` about a snapshot w̃ taken once an epoch; no memory.
    #[default]
    Svrg,
    /// SAGA: the last gradient of every summand is kept, n x d numbers; every step uses one new gradient.
    Saga,
}

/// `min (1/n) Σ_i f_i(w)` by stochastic gradients with a constant step, which converge as fast as full gradients do.
///
/// ```
/// use mercer::optim::VarianceReduced;
/// let data = [1.0, 2.0, 6.0];
/// let mean = |w: &[f64], i: usize| Ok((0.5 * (w[0] - data[i]).powi(2), vec![w[0] - data[i]]));
/// let found = VarianceReduced::new(0.3).run(&[0.0], 3, mean)?;
/// assert!((found.point[0] - 3.0).abs() < 1e-8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VarianceReduced {
    rate: f64,
    reduction: Reduction,
    max_epochs: usize,
    tolerance: f64,
    seed: u64,
    progress: Progress,
}

setters!(VarianceReduced {
    /// The constant step γ; at most 1/(3L) for summands whose gradients have Lipschitz constant L.
    rate: f64,
    /// SVRG or SAGA; SVRG unless said otherwise.
    reduction: Reduction,
    /// Most passes over the data; 200 unless said otherwise.
    max_epochs: usize,
    /// Largest entry of the full gradient at which the search ends; 1e-8 unless said otherwise.
    tolerance: f64,
    /// Seed of the summands drawn.
    seed: u64,
    /// Callback after every epoch, which can stop the search.
    progress: Progress,
});

/// What is known of the summands: the gradients at a snapshot or of the last visits, and their mean.
struct Memory {
    snapshot: Vec<f64>,
    mean: Vec<f64>,
    table: Vec<Vec<f64>>,
}

impl VarianceReduced {
    /// SVRG with this step, at most 200 epochs to a full gradient of 1e-8.
    pub fn new(rate: f64) -> Self {
        let (reduction, progress) = (Reduction::Svrg, Progress::none());
        VarianceReduced { rate, reduction, max_epochs: 200, tolerance: 1e-8, seed: 0, progress }
    }

    /// Minimises the mean of n summands: `f(w, i)` gives the value of summand i and its gradient.
    ///
    /// # Errors
    /// Those of `f`; [`Error::NoConvergence`] if the mean leaves all bounds, which a smaller rate cures;
    /// [`Error::Cancelled`]; [`Error::Shape`], [`Error::NotFinite`] or [`Error::Parameter`] for a bad start, gradient or
    /// setting.
    pub fn run(
        &self,
        start: &[f64],
        n: usize,
        mut f: impl FnMut(&[f64], usize) -> Result<(f64, Vec<f64>)>,
    ) -> Result<Minimum> {
        const OP: &str = "VarianceReduced::run";
        positive("rate", self.rate)?;
        not_negative("tolerance", self.tolerance)?;
        require(OP, n > 0 && !start.is_empty(), || "there must be a summand and a variable".to_owned())?;
        let saga = self.reduction == Reduction::Saga;
        if saga {
            room("summands", n, start.len().saturating_mul(8))?;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut point = start.to_vec();
        let bounded = |value: f64, memory: &Memory, iterations: usize| {
            if value.is_finite() {
                return entries(OP, "the gradient", &memory.mean);
            }
            Err(Error::NoConvergence { op: OP, iterations, residual: value, tolerance: self.tolerance })
        };
        let (mut value, mut memory) = full(&mut f, &point, n, saga)?;
        bounded(value, &memory, 0)?;
        let (mut trace, mut stop, mut epochs, mut evaluations) = (vec![value], Stop::Iterations, 0, n);
        while epochs < self.max_epochs {
            if largest(&memory.mean) <= self.tolerance {
                stop = Stop::Gradient;
                break;
            }
            for _ in 0..n {
                let i = rng.random_range(0..n);
                let new = f(&point, i)?.1;
                let old = if saga { memory.table[i].clone() } else { f(&memory.snapshot, i)?.1 };
                evaluations += if saga { 1 } else { 2 };
                for (((p, a), b), m) in point.iter_mut().zip(&new).zip(&old).zip(&memory.mean) {
                    *p -= self.rate * (a - b + m);
                }
                if saga {
                    for ((m, a), b) in memory.mean.iter_mut().zip(&new).zip(&old) {
                        *m += (a - b) / n as f64;
                    }
                    memory.table[i] = new;
                }
            }
            epochs += 1;
            // Taken anew once an epoch: SVRG's snapshot, and for SAGA the sums without the rounding of their updates.
            (value, memory) = full(&mut f, &point, n, saga)?;
            evaluations += n;
            bounded(value, &memory, epochs)?;
            trace.push(value);
            self.progress.report(OP, epochs, self.max_epochs, value)?;
        }
        let gradient = memory.mean;
        let iterations = epochs;
        Ok(Minimum { point, value, gradient, iterations, evaluations, trace, stop, ..Minimum::default() })
    }
}

fn full(
    f: &mut impl FnMut(&[f64], usize) -> Result<(f64, Vec<f64>)>,
    point: &[f64],
    n: usize,
    keep: bool,
) -> Result<(f64, Memory)> {
    let mut memory = Memory { snapshot: point.to_vec(), mean: vec![0.0; point.len()], table: Vec::new() };
    let mut value = 0.0;
    for i in 0..n {
        let (own, gradient) = f(point, i)?;
        let (d, g) = (point.len(), gradient.len());
        require("VarianceReduced::run", d == g, || format!("{d} variables, a gradient of {g}"))?;
        value += own / n as f64;
        memory.mean.iter_mut().zip(&gradient).for_each(|(m, g)| *m += g / n as f64);
        if keep {
            memory.table.push(gradient);
        }
    }
    Ok((value, memory))
}
