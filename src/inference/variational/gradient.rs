//! Monte Carlo gradients of the evidence lower bound. Checked in `tests/inference/black_box.rs`.

use super::approximation::{Approximation, row};
use crate::Result;
use crate::check::{parameter, require, room};
use crate::random::Philox;

/// An estimate of `∇_φ ELBO`, and the variance of a single sample's estimate in each coordinate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// The estimate.
    pub mean: Vec<f64>,
    /// The variance of one sample's estimate.
    pub variance: Vec<f64>,
    /// The mean of `log p(x, z) - log q(z)`: the ELBO, estimated from the same draws. None of [`local_score_gradient`], which
    /// sees the joint in overlapping parts.
    pub elbo: Option<f64>,
}

/// What is subtracted from the log weight before it multiplies the score, whose expectation is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Control {
    /// Nothing: the plain likelihood-ratio (REINFORCE) estimator.
    None,
    /// The mean log weight of the other samples.
    #[default]
    Mean,
    /// For each coordinate the coefficient `Cov/Var` of least variance, from a pilot run of as many draws.
    Optimal,
}

fn summary(rows: &[Vec<f64>], elbo: Option<f64>) -> Gradient {
    let (n, k) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..k).map(|j| rows.iter().map(|r| r[j]).sum::<f64>() / n).collect();
    let variance =
        (0..k).map(|j| rows.iter().map(|r| (r[j] - mean[j]).powi(2)).sum::<f64>() / (n - 1.0)).collect();
    Gradient { mean, variance, elbo }
}

/// Scores and log weights of draws.
fn draws(
    q: &Approximation,
    samples: usize,
    rng: &mut Philox,
    log_joint: &mut dyn FnMut(&[f64]) -> Result<f64>,
) -> Result<Vec<(Vec<f64>, f64)>> {
    (0..samples)
        .map(|_| {
            let z = q.draw(rng);
            let weight = log_joint(&z)? - q.log_density(&z);
            parameter("log joint - log q", weight, weight.is_finite(), "must be finite at every draw of q")?;
            Ok((q.score(&z), weight))
        })
        .collect()
}

/// The score-function gradient `E_q[∇ log q(z) (log p(x, z) - log q(z) - b)]`: it needs no gradient of the joint, and
/// works for discrete z.
///
/// # Errors
/// Fewer than two samples, a joint that is not finite at a draw; those of `log_joint`.
pub fn score_gradient(
    q: &Approximation,
    samples: usize,
    control: Control,
    seed: u64,
    mut log_joint: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<Gradient> {
    q.check()?;
    parameter("samples", samples as f64, samples > 1, "must be at least 2")?;
    room("samples", samples, 8 * q.parameters().len())?;
    let mut rng = Philox::new(seed, 0);
    let k = q.parameters().len();
    let pilot = match control {
        Control::Optimal => {
            let found = draws(q, samples, &mut Philox::new(seed, 1), &mut log_joint)?;
            let top = |j: usize| found.iter().map(|(s, l)| s[j] * s[j] * l).sum::<f64>();
            let below = |j: usize| found.iter().map(|(s, _)| s[j] * s[j]).sum::<f64>();
            (0..k).map(|j| if below(j) > 0.0 { top(j) / below(j) } else { 0.0 }).collect()
        }
        _ => vec![0.0; k],
    };
    let found = draws(q, samples, &mut rng, &mut log_joint)?;
    let (n, total) = (samples as f64, found.iter().map(|f| f.1).sum::<f64>());
    let rows: Vec<Vec<f64>> = found
        .iter()
        .map(|(score, weight)| {
            let others = if control == Control::Mean { (total - weight) / (n - 1.0) } else { 0.0 };
            score.iter().zip(&pilot).map(|(s, b)| s * (weight - others - b)).collect()
        })
        .collect();
    Ok(summary(&rows, Some(total / n)))
}

/// [`score_gradient`] of independent variables, each against the terms that it occurs in alone (Rao-Blackwell):
/// `E_q[∇ log q_i(z_i) (log p_i(z) - log q_i(z_i))]`. `local(i, z)` is the sum of the log factors that contain `z_i`.
///
/// # Errors
/// As [`score_gradient`]; a full covariance, whose variables are not independent.
pub fn local_score_gradient(
    q: &Approximation,
    samples: usize,
    seed: u64,
    mut local: impl FnMut(usize, &[f64]) -> Result<f64>,
) -> Result<Gradient> {
    q.check()?;
    parameter("samples", samples as f64, samples > 1, "must be at least 2")?;
    room("samples", samples, 8 * q.parameters().len())?;
    let independent = !matches!(q, Approximation::Full { .. });
    require("local_score_gradient", independent, || {
        "the variables of a full covariance are not independent".to_owned()
    })?;
    let (mut rng, d) = (Philox::new(seed, 0), q.dim());
    let mut rows = Vec::with_capacity(samples);
    for _ in 0..samples {
        let z = q.draw(&mut rng);
        let own = q.log_each(&z);
        let weight = |i: usize| {
            let weight = local(i, &z)? - own[i];
            parameter(
                "local log joint - log q",
                weight,
                weight.is_finite(),
                "must be finite at every draw of q",
            )?;
            Ok(weight)
        };
        let weights: Vec<f64> = (0..d).map(weight).collect::<Result<_>>()?;
        rows.push(q.score(&z).iter().enumerate().map(|(j, s)| s * weights[j % d]).collect());
    }
    Ok(summary(&rows, None))
}

/// The reparametrised gradient: `z = G_φ(w)` with w standard normal, so that `∇_φ ELBO = E_w[∇_φ log p(x, G_φ(w))] + ∇_φ
/// H(q)`, the entropy in closed form. `log_joint(z)` returns its value and its gradient.
///
/// # Errors
/// Fewer than two samples, Bernoulli variables, a gradient of another length; those of `log_joint`.
pub fn reparametrised_gradient(
    q: &Approximation,
    samples: usize,
    seed: u64,
    mut log_joint: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
) -> Result<Gradient> {
    const OP: &str = "reparametrised_gradient";
    q.check()?;
    parameter("samples", samples as f64, samples > 1, "must be at least 2")?;
    room("samples", samples, 8 * q.parameters().len())?;
    let (mut rng, d) = (Philox::new(seed, 0), q.dim());
    let (mut rows, mut total) = (Vec::with_capacity(samples), 0.0);
    for _ in 0..samples {
        let w = q.noise(&mut rng);
        let (value, g) = log_joint(&q.push(&w))?;
        require(OP, g.len() == d, || format!("{d} variables, a gradient of {}", g.len()))?;
        total += value;
        let mut own = g.clone();
        match q {
            Approximation::Diagonal { log_sd, .. } => {
                own.extend(g.iter().zip(&w).zip(log_sd).map(|((g, w), s)| g * w * s.exp() + 1.0));
            }
            Approximation::Full { factor, .. } => {
                for i in 0..d {
                    own.extend(
                        (0..=i).map(|j| g[i] * w[j] + if i == j { 1.0 / factor[row(i) + i] } else { 0.0 }),
                    );
                }
            }
            Approximation::Bernoulli { .. } => {
                require(OP, false, || "Bernoulli variables are no smooth function of noise".to_owned())?;
            }
        }
        rows.push(own);
    }
    Ok(summary(&rows, Some(total / samples as f64 + q.entropy())))
}
