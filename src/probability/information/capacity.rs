//! Capacity of a channel by Blahut and Arimoto; it is the minimax redundancy of a class of sources.

use ndarray::{Array1, ArrayView2, Axis};

use super::divergence;
use crate::check::{finite, parameter, positive};
use crate::{Error, Result};

/// What [`channel_capacity`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// `max I(X; Θ)` in nats.
    pub nats: f64,
    /// The distribution r over rows that reaches it.
    pub input: Vec<f64>,
    /// `q(x) = Σ r(θ) p(x|θ)`: the code that is best in the worst case.
    pub output: Vec<f64>,
    /// How far `max_θ KL(p_θ ‖ q)` is above: the capacity is between `nats` and `nats + gap`.
    pub gap: f64,
}

/// `max_r I(X; Θ) = min_q max_θ KL(p(x|θ) ‖ q)`, for rows `p(x|θ)`, by `r ← r exp KL(p_θ ‖ q)/norm`; ends when the two sides
/// are within `tolerance`.
///
/// # Errors
/// [`Error::Shape`] or [`Error::Parameter`] for rows that are no distributions, [`Error::NoConvergence`] after 100,000 rounds.
///
/// ```
/// use mercer::probability::information::{bits, channel_capacity};
/// let noisy = ndarray::array![[0.9, 0.1], [0.1, 0.9]];
/// let c = channel_capacity(noisy.view(), 1e-12)?;
/// assert!((bits(c.nats) - 0.5310044064).abs() < 1e-9);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn channel_capacity(rows: ArrayView2<f64>, tolerance: f64) -> Result<Capacity> {
    const MOST: usize = 100_000;
    finite("channel_capacity", "rows", rows)?;
    positive("tolerance", tolerance)?;
    for (i, row) in rows.axis_iter(Axis(0)).enumerate() {
        let proper = row.iter().all(|&p| p >= 0.0) && (row.sum() - 1.0).abs() < 1e-9;
        parameter(&format!("sum of row {i}"), row.sum(), proper, "each row must be a distribution")?;
    }
    let m = rows.nrows();
    let mut r = Array1::from_elem(m, 1.0 / m as f64);
    let mut gap = f64::INFINITY;
    for _ in 0..MOST {
        let q = rows.t().dot(&r);
        let output = (&q / q.sum()).to_vec();
        let each: Array1<f64> = rows
            .axis_iter(Axis(0))
            .map(|p| divergence(&(&p / p.sum()).to_vec(), &output))
            .collect::<Result<Vec<f64>>>()?
            .into();
        let most = each.iter().fold(0f64, |m, v| m.max(*v));
        let information: f64 = r.iter().zip(&each).map(|(r, k)| r * k).sum();
        gap = most - information;
        if gap <= tolerance {
            return Ok(Capacity { nats: information, input: r.to_vec(), output, gap });
        }
        r.zip_mut_with(&each, |r, k| *r *= (k - most).exp());
        r /= r.sum();
    }
    Err(Error::NoConvergence { op: "channel_capacity", iterations: MOST, residual: gap, tolerance })
}
