//! Black-box variational inference: stochastic ascent on the ELBO by Monte Carlo gradients. Checked in
//! `tests/inference/black_box.rs`.

use super::approximation::Approximation;
use super::gradient::{Control, Gradient, reparametrised_gradient, score_gradient};
use crate::check::{parameter, positive};
use crate::configure::{getters, setters};
use crate::learn::Report;
use crate::{Progress, Result};

/// Which gradient is climbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// The score function with this control variate: values of the log joint alone.
    Score(Control),
    /// The reparametrised gradient: the gradient of the log joint, normal families.
    Reparametrised,
}

/// `max_φ E_q[log p(x, z) - log q(z | φ)]` by Adam on Monte Carlo gradients: all that is known of the model is its log joint.
///
/// ```
/// use mercer::inference::variational::{Approximation, BlackBox};
/// // The posterior of a mean: prior N(0, 1), three observations of unit variance.
/// let data = [1.0, 2.0, 3.0];
/// let found = BlackBox::new().seed(1).run(&Approximation::diagonal(1), |z| {
///     let value = -0.5 * z[0] * z[0] - data.iter().map(|x| 0.5 * (x - z[0]) * (x - z[0])).sum::<f64>();
///     Ok((value, vec![-z[0] + data.iter().map(|x| x - z[0]).sum::<f64>()]))
/// })?;
/// let phi = found.approximation().parameters();
/// assert!((phi[0] - 1.5).abs() < 0.05 && (phi[1].exp() - 0.5).abs() < 0.05, "{phi:?}");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlackBox {
    iterations: usize,
    samples: usize,
    step: f64,
    estimator: Estimator,
    seed: u64,
    progress: Progress,
}

impl Default for BlackBox {
    fn default() -> Self {
        BlackBox {
            iterations: 1000,
            samples: 16,
            step: 0.05,
            estimator: Estimator::Reparametrised,
            seed: 0,
            progress: Progress::none(),
        }
    }
}

impl BlackBox {
    /// A thousand steps of Adam with sixteen draws each, by the reparametrised gradient.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(BlackBox {
    /// The number of steps: 1000.
    iterations: usize,
    /// Draws of each step: 16.
    samples: usize,
    /// The first step size of Adam, which falls to a tenth of it: 0.05.
    step: f64,
    /// The estimator of the gradient.
    estimator: Estimator,
    /// Seed of the draws; step t uses `seed + t`.
    seed: u64,
    /// Called after every step with the estimated ELBO; it can cancel the fit.
    progress: Progress,
});

/// The distribution that black-box inference ended with: the mean of its parameters over the last quarter of the steps.
#[derive(Debug, Clone)]
pub struct FittedBlackBox {
    approximation: Approximation,
    report: Report,
}

getters!(FittedBlackBox {
    /// q.
    approximation: &Approximation,
    /// Steps, and the ELBO as each step estimated it.
    report: &Report,
});

impl BlackBox {
    /// Fits q from `start` on. `log_joint(z)` returns `log p(x, z)` and its gradient, which may be empty where the
    /// estimator is the score function.
    ///
    /// # Errors
    /// Settings out of their domain, a joint that is not finite at a draw, [`Error::Cancelled`](crate::Error::Cancelled);
    /// those of `log_joint`.
    pub fn run(
        &self,
        start: &Approximation,
        mut log_joint: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    ) -> Result<FittedBlackBox> {
        positive("step", self.step)?;
        parameter("iterations", self.iterations as f64, self.iterations > 0, "must be at least 1")?;
        let mut q = start.clone();
        let k = q.parameters().len();
        let (mut first, mut second) = (vec![0.0; k], vec![0.0; k]);
        let (mut mean, mut counted, mut trace) = (vec![0.0; k], 0.0, Vec::new());
        for t in 0..self.iterations {
            let seed = self.seed.wrapping_add(t as u64);
            let Gradient { mean: g, elbo, .. } = match self.estimator {
                Estimator::Score(control) => {
                    score_gradient(&q, self.samples, control, seed, |z| Ok(log_joint(z)?.0))?
                }
                Estimator::Reparametrised => reparametrised_gradient(&q, self.samples, seed, &mut log_joint)?,
            };
            // Both estimators see the whole joint, and have it.
            let elbo = elbo.unwrap_or(f64::NAN);
            let n = t as f64 + 1.0;
            let rate = self.step * 0.1_f64.powf(t as f64 / self.iterations as f64);
            let mut phi = q.parameters();
            for j in 0..k {
                first[j] = 0.9 * first[j] + 0.1 * g[j];
                second[j] = 0.999 * second[j] + 0.001 * g[j] * g[j];
                let (a, b) = (first[j] / (1.0 - 0.9_f64.powf(n)), second[j] / (1.0 - 0.999_f64.powf(n)));
                phi[j] += rate * a / (b.sqrt() + 1e-8);
            }
            // A diagonal that a step would make negative stays positive.
            if let Approximation::Full { mean, .. } = &q {
                let d = mean.len();
                for i in 0..d {
                    let at = d + super::approximation::row(i) + i;
                    phi[at] = phi[at].max(1e-8);
                }
            }
            q = q.with(&phi)?;
            if 4 * t >= 3 * self.iterations {
                counted += 1.0;
                mean.iter_mut().zip(&phi).for_each(|(m, p)| *m += p);
            }
            trace.push(elbo);
            self.progress.report("BlackBox::run", t + 1, self.iterations, elbo)?;
        }
        if counted > 0.0 {
            q = q.with(&mean.iter().map(|m| m / counted).collect::<Vec<_>>())?;
        }
        let end = trace[trace.len() - 1];
        Ok(FittedBlackBox { approximation: q, report: Report::new(trace, self.iterations, false, vec![end]) })
    }
}
