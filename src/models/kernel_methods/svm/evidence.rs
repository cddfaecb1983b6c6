//! The evidence of a relevance vector machine, and which change of one precision raises it most.

use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::linalg::{SpdFactor, SpdParams};
use crate::{Device, Result};

/// The posterior of the weights of the points that are in.
pub(super) struct Posterior {
    pub mean: Array1<f64>,
    pub covariance: Array2<f64>,
    pub log_evidence: f64,
    /// `Σ_i (1 - α_i Σ_ii)`: how many weights the data determine.
    pub determined: f64,
    pub squares: f64,
}

/// Σ and m of the columns `phi`, with precisions α and noise variance s².
pub(super) fn posterior(
    phi: &Array2<f64>,
    y: ArrayView1<f64>,
    alpha: &[f64],
    noise: f64,
) -> Result<Posterior> {
    let (n, k) = phi.dim();
    let root: Array1<f64> = alpha.iter().map(|a| a.sqrt().recip()).collect();
    // B = I + A^-½ ΦᵀΦ A^-½ / s², whose eigenvalues are at least one.
    let scaled = phi * &root;
    let b = scaled.t().dot(&scaled) / noise + Array2::<f64>::eye(k);
    let factor = SpdFactor::new(&Device::cpu(), b.view(), &SpdParams::default())?;
    let inverse = factor.inverse()?.x;
    let covariance = &inverse * &root * root.view().insert_axis(Axis(1));
    let mean = covariance.dot(&phi.t().dot(&y)) / noise;
    let residual = &y - &phi.dot(&mean);
    let squares = residual.dot(&residual);
    let penalty: f64 = mean.iter().zip(alpha).map(|(m, a)| a * m * m).sum();
    let log_evidence = -0.5
        * (n as f64 * (std::f64::consts::TAU * noise).ln() + factor.log_det()? + squares / noise + penalty);
    let determined = (0..k).map(|i| 1.0 - alpha[i] * covariance[[i, i]]).sum();
    Ok(Posterior { mean, covariance, log_evidence, determined, squares })
}

/// What may happen to one column.
pub(super) enum Change {
    Set(usize, f64),
    Drop(usize),
}

impl Change {
    /// Makes the change of the columns that are in, the last of which stays; says by how much an `ln α` has moved.
    pub fn make(self, used: &mut Vec<usize>, alpha: &mut Vec<f64>) -> f64 {
        match self {
            Change::Set(j, value) => {
                let Some(at) = used.iter().position(|&u| u == j) else {
                    used.push(j);
                    alpha.push(value);
                    return f64::INFINITY;
                };
                (value / std::mem::replace(&mut alpha[at], value)).ln().abs()
            }
            Change::Drop(at) if used.len() > 1 => {
                used.remove(at);
                alpha.remove(at);
                f64::INFINITY
            }
            Change::Drop(_) => 0.0,
        }
    }
}

/// What all columns say of the data as the model has it now, with the curvature B of the log-likelihood: 1/s² of numbers with
/// noise, of classes that of Laplace's approximation.
pub(super) struct Statistics {
    /// `φ_jᵀBφ_j`.
    pub own: Array1<f64>,
    /// `φ_jᵀBΦ`, a row for each column of the basis.
    pub cross: Array2<f64>,
    /// `φ_jᵀ` times the gradient of the log-likelihood by the scores.
    pub slope: Array1<f64>,
}

/// The change of one α that raises the evidence most, and by how much; none if nothing raises it.
pub(super) fn best_change(
    now: &Statistics,
    covariance: &Array2<f64>,
    used: &[usize],
    alpha: &[f64],
) -> Option<(Change, f64)> {
    let inner = now.cross.dot(covariance);
    let mut best: Option<(Change, f64)> = None;
    for (j, &own) in now.own.iter().enumerate() {
        let s_all = (own - inner.row(j).dot(&now.cross.row(j))).max(0.0);
        if own == 0.0 || s_all <= f64::EPSILON * own && !used.contains(&j) {
            continue;
        }
        let (big_s, big_q) = (s_all, now.slope[j]);
        let at = used.iter().position(|&u| u == j);
        let (s, q) = match at {
            // What the others leave for this column; a column that stands alone leaves all.
            Some(i) => {
                let rest = alpha[i] - big_s;
                if rest <= f64::EPSILON * alpha[i] {
                    continue;
                }
                (alpha[i] * big_s / rest, alpha[i] * big_q / rest)
            }
            None => (big_s, big_q),
        };
        let theta = q * q - s;
        let candidate = match (theta > 0.0, at) {
            (true, Some(i)) => {
                let value = s * s / theta;
                let apart = value.recip() - alpha[i].recip();
                if apart == 0.0 {
                    continue;
                }
                let gain = big_q * big_q / (big_s + apart.recip()) - (big_s * apart).ln_1p();
                (Change::Set(j, value), gain)
            }
            (true, None) => (
                Change::Set(j, s * s / theta),
                (big_q * big_q - big_s) / big_s + (big_s / (big_q * big_q)).ln(),
            ),
            (false, Some(i)) => {
                (Change::Drop(i), big_q * big_q / (big_s - alpha[i]) - (-big_s / alpha[i]).ln_1p())
            }
            (false, None) => continue,
        };
        if candidate.1.is_finite() && candidate.1 > best.as_ref().map_or(0.0, |b| b.1) {
            best = Some(candidate);
        }
    }
    best
}
