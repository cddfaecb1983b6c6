//! Learning a restricted Boltzmann machine. Checked in `tests/energy/rbm.rs`.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::block_gibbs::Learner;
use super::boltzmann::{FittedRbm, Visible, allowed};
use crate::check::{not_negative, numbers, parameter, positive, room, sample};
use crate::configure::setters;
use crate::learn::inherent::fits;
use crate::learn::{Fit, Report};
use crate::random::Philox;
use crate::{Device, Progress, Result};

/// How the expectation under the model is approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegativePhase {
    /// Contrastive divergence: k steps of block Gibbs sampling from the data.
    Contrastive(usize),
    /// Persistent: k steps of chains that go on from batch to batch.
    Persistent(usize),
    /// The exact gradient, where there are few hidden units.
    Exact,
}

/// A restricted Boltzmann machine to be learned: `W += rate (⟨x zᵀ⟩_data - ⟨x zᵀ⟩_model)` on mini-batches.
///
/// Data and parameters stay on the device; the exact gradient is found on the CPU. From one seed a chain draws the same words
/// everywhere and decides each unit by comparing a word with the unit's probability. On a GPU that probability is made there,
/// in f32: where a word lies within its rounding, of about one unit in a million, the decision may be another than the CPU's,
/// and from there on the two are different samples of the same chain. One device makes the same bits every time.
///
/// ```
/// use mercer::models::energy::Rbm;
/// use mercer::prelude::*;
/// // Two patterns.
/// let x = ndarray::Array2::from_shape_fn((40, 6), |(i, j)| f64::from(u8::from((i % 2 == 0) == (j < 3))));
/// let rbm = Rbm::new(2).passes(200).seed(1).fit(&Device::best(), &x)?;
/// let back = rbm.inverse_transform(&rbm.transform(&x)?)?;
/// assert!((&back - &x).mapv(f64::abs).mean().unwrap() < 0.15);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rbm {
    hidden: usize,
    visible: Visible,
    pub(super) phase: NegativePhase,
    pub(super) passes: usize,
    pub(super) batch: usize,
    pub(super) rate: f64,
    pub(super) decay: f64,
    pub(super) seed: u64,
    progress: Progress,
}

setters!(Rbm {
    /// What the visible units are.
    visible: Visible,
    /// How the model's expectation is approximated; CD-1 unless said otherwise.
    phase: NegativePhase,
    /// Passes over the data: 20.
    passes: usize,
    /// Rows of a batch: 10.
    batch: usize,
    /// The learning rate: 0.1.
    rate: f64,
    /// The weight decay, relative to the rate: 0.
    decay: f64,
    /// Seed of the first weights, the batches and the chains.
    seed: u64,
    /// Called after every pass with the reconstruction error; it can cancel the fit.
    progress: Progress,
});

fits!(Rbm: Fit -> FittedRbm);

pub(super) const OP: &str = "Rbm::fit";

impl Rbm {
    /// So many hidden units.
    pub fn new(hidden: usize) -> Self {
        Rbm {
            hidden,
            visible: Visible::Bernoulli,
            phase: NegativePhase::Contrastive(1),
            passes: 20,
            batch: 10,
            rate: 0.1,
            decay: 0.0,
            seed: 0,
            progress: Progress::none(),
        }
    }

    /// Steps of block Gibbs sampling for each batch.
    pub(super) fn steps(&self) -> usize {
        match self.phase {
            NegativePhase::Contrastive(k) | NegativePhase::Persistent(k) => k,
            NegativePhase::Exact => 1,
        }
    }

    /// A pass over the rows in this order by the exact gradient; the mean squared reconstruction error after it.
    fn exact_pass(&self, rbm: &mut FittedRbm, x: ArrayView2<f64>, order: &[usize]) -> Result<f64> {
        for rows in order.chunks(self.batch) {
            let (w, a, b) = rbm.gradient(x.select(Axis(0), rows))?;
            rbm.weights *= 1.0 - self.rate * self.decay;
            rbm.weights.scaled_add(self.rate, &w);
            rbm.hidden_bias.scaled_add(self.rate, &a);
            rbm.visible_bias.scaled_add(self.rate, &b);
        }
        let mut off = rbm.seen(rbm.hidden(x).view());
        off -= &x;
        Ok(off.iter().map(|v| v * v).sum::<f64>() / x.nrows() as f64)
    }

    /// The same settings for another number of hidden units.
    pub(super) fn units(mut self, hidden: usize) -> Self {
        self.hidden = hidden;
        self
    }
}

impl FittedRbm {
    /// The gradient of contrastive divergence on these rows: k steps of block Gibbs sampling from them. As k grows its
    /// expectation becomes the gradient of the likelihood.
    ///
    /// # Errors
    /// Another number of features, NaN, k = 0.
    pub fn contrastive_gradient(
        &self,
        x: impl crate::learn::Inputs,
        k: usize,
        seed: u64,
    ) -> Result<(Array2<f64>, Array1<f64>, Array1<f64>)> {
        let x = x.inputs();
        self.check(x.view())?;
        parameter("k", k as f64, k > 0, "must be at least 1")?;
        let mut rng = Philox::new(seed, 0);
        let h = self.hidden(x.view());
        let z = self.draw_hidden(x.view(), &mut rng);
        let end = self.walk(z, k, &mut rng);
        Ok(self.difference(x.view(), &h, &end))
    }

    /// k steps of block Gibbs sampling from hidden units on.
    fn walk(&self, mut z: Array2<f64>, k: usize, rng: &mut Philox) -> Array2<f64> {
        let mut x = self.draw_seen(z.view(), rng);
        for _ in 1..k {
            z = self.draw_hidden(x.view(), rng);
            x = self.draw_seen(z.view(), rng);
        }
        x
    }

    fn difference(
        &self,
        x: ArrayView2<f64>,
        h: &Array2<f64>,
        end: &Array2<f64>,
    ) -> (Array2<f64>, Array1<f64>, Array1<f64>) {
        let (n, m) = (x.nrows() as f64, end.nrows() as f64);
        let last = self.hidden(end.view());
        let w = x.t().dot(h) / n - end.t().dot(&last) / m;
        let a = h.sum_axis(Axis(0)) / n - last.sum_axis(Axis(0)) / m;
        let b = x.sum_axis(Axis(0)) / n - end.sum_axis(Axis(0)) / m;
        (w, a, b)
    }
}

impl Fit for Rbm {
    type Fitted = FittedRbm;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedRbm> {
        sample(OP, "x", x, 1)?;
        allowed(self.visible, x)?;
        parameter("hidden", self.hidden as f64, self.hidden > 0, "must be at least 1")?;
        parameter("batch", self.batch as f64, self.batch > 0, "must be at least 1")?;
        positive("rate", self.rate)?;
        not_negative("decay", self.decay)?;
        let (n, d) = x.dim();
        room("hidden", self.hidden.saturating_mul(d.max(self.batch.min(n))), 8)?;
        let steps = self.steps();
        parameter("k", steps as f64, steps > 0, "must be at least 1")?;
        let mut rng = Philox::new(self.seed, 0);
        let weights = Array2::from_shape_fn((d, self.hidden), |_| 0.01 * rng.normal());
        let mean = x.mean_axis(Axis(0)).expect("there are rows");
        let seen = match self.visible {
            Visible::Bernoulli => mean.mapv(|p| (p.clamp(0.01, 0.99) / (1.0 - p.clamp(0.01, 0.99))).ln()),
            Visible::Gaussian => mean,
        };
        let mut rbm = FittedRbm::new(self.visible, weights, Array1::zeros(self.hidden), seen)?;
        let mut learner = match self.phase {
            NegativePhase::Exact => None,
            _ => Some(Learner::new(self, device, x, &rbm)?),
        };
        let mut trace = Vec::new();
        for pass in 0..self.passes {
            let order = rng.permutation(n);
            let error = match &mut learner {
                Some(learner) => learner.pass(&order)?,
                None => self.exact_pass(&mut rbm, x, &order)?,
            };
            parameter(
                "reconstruction error",
                error,
                error.is_finite(),
                "the fit diverged: lower `rate`, or scale the data",
            )?;
            trace.push(error);
            self.progress.report(OP, pass + 1, self.passes, error)?;
        }
        if let Some(learner) = learner {
            learner.read(&mut rbm)?;
        }
        numbers(OP, "the weights", rbm.weights.view())?;
        let end = trace.last().copied().unwrap_or(f64::NAN);
        rbm.report = Report::new(trace, self.passes, false, vec![end]);
        Ok(rbm)
    }
}
