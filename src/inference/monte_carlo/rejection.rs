//! Rejection sampling. Checked in `tests/inference/importance.rs`.

use crate::check::{parameter, require, room};
use crate::random::Philox;
use crate::{Error, Result};

/// Independent draws of the target, and what they took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Accepted {
    /// The draws.
    pub points: Vec<Vec<f64>>,
    /// Proposals made for them.
    pub proposals: usize,
}

impl Accepted {
    /// Draws kept, of all that were proposed: an estimate of `∫p̃ / M`.
    pub fn rate(&self) -> f64 {
        self.points.len() as f64 / self.proposals as f64
    }
}

/// Rejection sampling: a draw z of q is kept with probability `p̃(z) / (M q(z))`, where `log_bound = log M` bounds
/// `log p̃(z) - log q(z)`.
///
/// ```
/// use mercer::inference::monte_carlo::rejection_sample;
/// // The density 2z on [0, 1] under the uniform one.
/// let s = rejection_sample(5000, 100_000, 2f64.ln(), 3, |rng| Ok((vec![rng.uniform()], 0.0)), |z| Ok((2.0 * z[0]).ln()))?;
/// let mean = s.points.iter().map(|z| z[0]).sum::<f64>() / 5000.0;
/// assert!((mean - 2.0 / 3.0).abs() < 0.02 && (s.rate() - 0.5).abs() < 0.02);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for a draw at which the bound does not hold, or more draws than memory has room for;
/// [`Error::NoConvergence`] if `most` proposals do not give `count` draws; those of the closures.
pub fn rejection_sample(
    count: usize,
    most: usize,
    log_bound: f64,
    seed: u64,
    mut draw: impl FnMut(&mut Philox) -> Result<(Vec<f64>, f64)>,
    mut log_target: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<Accepted> {
    const OP: &str = "rejection_sample";
    require(OP, count > 0, || "no draws were asked for".to_owned())?;
    room("count", count, 48)?;
    let mut rng = Philox::new(seed, 0);
    let mut points = Vec::with_capacity(count);
    for proposals in 1..=most {
        let (z, log_q) = draw(&mut rng)?;
        let excess = log_target(&z)? - log_q - log_bound;
        parameter(
            "log p - log q - log M",
            excess,
            excess <= 1e-12,
            "the bound must hold at every draw: raise it",
        )?;
        if (1.0 - rng.uniform()).ln() < excess {
            points.push(z);
            if points.len() == count {
                return Ok(Accepted { points, proposals });
            }
        }
    }
    let (residual, tolerance) = (points.len() as f64, count as f64);
    Err(Error::NoConvergence { op: OP, iterations: most, residual, tolerance })
}
