//! Importance sampling and the evidence by sampling. Checked in `tests/inference/importance.rs`.

use ndarray::Array1;

use crate::check::{parameter, require, room};
use crate::configure::getters;
use crate::inference::logs::{log_mean_exp, log_sum_exp};
use crate::random::Philox;
use crate::{Error, Result};

/// Draws from a proposal, with the logarithms of their weights `log p̃(z) - log q(z)`.
#[derive(Debug, Clone)]
pub struct WeightedSample {
    points: Vec<Vec<f64>>,
    log_weights: Vec<f64>,
}

getters!(WeightedSample {
    /// The draws.
    points: &[Vec<f64>],
    /// `log p̃(z_m) - log q(z_m)` of each draw; minus infinity where the target vanishes.
    log_weights: &[f64],
});

impl WeightedSample {
    /// `log (1/M) Σ_m p̃(z_m)/q(z_m)`, an estimate of the logarithm of the target's integral: its exponential is unbiased.
    pub fn log_evidence(&self) -> f64 {
        log_mean_exp(&self.log_weights)
    }

    /// The weights, divided by their sum.
    pub fn weights(&self) -> Array1<f64> {
        let all = log_sum_exp(&self.log_weights);
        self.log_weights.iter().map(|w| (w - all).exp()).collect()
    }

    /// `1 / Σ w_m²` of the normalised weights: how many draws of the target itself these are worth.
    pub fn effective_size(&self) -> f64 {
        1.0 / self.weights().iter().map(|w| w * w).sum::<f64>()
    }

    /// The self-normalised average `Σ_m w_m f(z_m)`.
    pub fn average(&self, f: impl Fn(&[f64]) -> f64) -> f64 {
        // A weight of zero is no part of the sum, whatever f is there.
        let part = |(w, z): (&f64, &Vec<f64>)| if *w > 0.0 { w * f(z) } else { 0.0 };
        self.weights().iter().zip(&self.points).map(part).sum()
    }
}

/// Importance sampling: `count` draws z of q, weighted by `p̃(z)/q(z)`, for averages under the unnormalised density p̃ and
/// for its integral.
///
/// `draw(rng)` returns z and `log q(z)`; `log_target(z)` is `log p̃(z)`. The support of q must contain that of p̃.
///
/// ```
/// use mercer::inference::monte_carlo::importance_sample;
/// // ∫ exp(-z²/2) dz = √(2π), by draws of N(0, 2²).
/// let s = importance_sample(20_000, 1,
///     |rng| { let u = rng.normal(); Ok((vec![2.0 * u], -0.5 * u * u - (2.0 * (2.0 * std::f64::consts::PI).sqrt()).ln())) },
///     |z| Ok(-0.5 * z[0] * z[0]))?;
/// assert!((s.log_evidence() - 0.5 * (2.0 * std::f64::consts::PI).ln()).abs() < 0.02);
/// assert!((s.average(|z| z[0] * z[0]) - 1.0).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for no draws or more than memory has room for, NaN densities, and a target that vanishes at every
/// draw; those of the closures.
pub fn importance_sample(
    count: usize,
    seed: u64,
    mut draw: impl FnMut(&mut Philox) -> Result<(Vec<f64>, f64)>,
    mut log_target: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<WeightedSample> {
    require("importance_sample", count > 0, || "no draws were asked for".to_owned())?;
    room("count", count, 48)?;
    let mut rng = Philox::new(seed, 0);
    let (mut points, mut log_weights) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let (z, log_q) = draw(&mut rng)?;
        let w = log_target(&z)? - log_q;
        parameter(
            "log weight",
            w,
            !w.is_nan() && w < f64::INFINITY,
            "must be a number: q must not vanish where it is drawn",
        )?;
        points.push(z);
        log_weights.push(w);
    }
    let top = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        let requirement = "the target vanishes at every draw: take a proposal that covers it";
        return Err(Error::Parameter { name: "largest log weight".to_owned(), value: top, requirement });
    }
    Ok(WeightedSample { points, log_weights })
}

/// Plain Monte Carlo: `log p(x) ≈ log (1/M) Σ_m p(x | z_m)` with `z_m` drawn from the prior.
///
/// ```
/// use mercer::inference::monte_carlo::marginal_likelihood;
/// // z ~ Bern(1/2), x | z normal around 2 or 0: the evidence of x = 0.
/// let log_normal = |x: f64, m: f64| -0.5 * (x - m) * (x - m) - 0.5 * (2.0 * std::f64::consts::PI).ln();
/// let estimate = marginal_likelihood(40_000, 1,
///     |rng| Ok(vec![f64::from(u8::from(rng.bernoulli(0.5)))]),
///     |z| Ok(log_normal(0.0, if z[0] > 0.5 { 0.0 } else { 2.0 })))?;
/// assert!((estimate - -1.4851577).abs() < 0.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`importance_sample`].
pub fn marginal_likelihood(
    count: usize,
    seed: u64,
    mut prior: impl FnMut(&mut Philox) -> Result<Vec<f64>>,
    log_likelihood: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<f64> {
    Ok(importance_sample(count, seed, |rng| Ok((prior(rng)?, 0.0)), log_likelihood)?.log_evidence())
}
