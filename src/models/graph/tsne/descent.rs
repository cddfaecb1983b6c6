//! `KL(P‖Q)` and its gradient, and the descent with momentum and a gain for each coordinate.

use ndarray::Array2;
use rayon::prelude::*;

use super::affinity::Affinities;
use super::push::Push;
use crate::{Progress, Result};

/// Iterations between two values of KL: its logarithms cost as much as a step.
const LOOK: usize = 10;
/// The gradient's length that counts as none.
const FLAT: f64 = 1e-7;
/// What a gain is multiplied by, or raised by, and its least value.
const GAINS: (f64, f64, f64) = (0.8, 0.2, 0.01);

/// How to descend.
pub(super) struct Schedule {
    pub exaggeration: f64,
    pub exaggerated: usize,
    pub iterations: usize,
    pub rate: f64,
}

/// KL of the plain affinities if it is asked for, and the gradient with those times `exaggeration`.
///
/// `4 Σ_j (e p_ij - q_ij) (y_i - y_j) / (1 + |y_i - y_j|²)`: affinities pull between neighbours, and all pairs push. In
/// O(n) memory; sums run in one order, however many threads there are.
fn divergence(p: &Affinities, y: &Array2<f64>, exaggeration: f64, asked: bool) -> (Option<f64>, Array2<f64>) {
    let (n, k) = y.dim();
    let Push { force, total } = Push::of(y);
    let mut gradient = force.t().as_standard_layout().into_owned() * (-4.0 / total);
    let slice = gradient.as_slice_mut().unwrap_or_default();
    let cross: Vec<f64> = slice
        .par_chunks_mut(k)
        .with_min_len(16)
        .enumerate()
        .map(|(i, out)| {
            let (here, mut cross) = (y.row(i), 0.0);
            for &(j, p) in p.row(i) {
                let there = y.row(j);
                let d2: f64 = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum();
                let pull = 4.0 * exaggeration * p / (1.0 + d2);
                for ((o, a), b) in out.iter_mut().zip(here).zip(there) {
                    *o += pull * (a - b);
                }
                if asked {
                    cross += p * d2.ln_1p();
                }
            }
            cross
        })
        .collect();
    debug_assert_eq!(cross.len(), n);
    (asked.then(|| p.information + cross.iter().sum::<f64>() + total.ln()), gradient)
}

/// Where it ended, the trace of KL, iterations, and whether the gradient vanished.
pub(super) fn descend(
    op: &'static str,
    p: &Affinities,
    mut y: Array2<f64>,
    how: &Schedule,
    progress: &Progress,
) -> Result<(Array2<f64>, Vec<f64>, usize, bool)> {
    let mut trace = Vec::new();
    let (mut velocity, mut gains) = (Array2::<f64>::zeros(y.raw_dim()), Array2::<f64>::ones(y.raw_dim()));
    for iteration in 0..how.iterations {
        let early = iteration < how.exaggerated;
        if iteration == how.exaggerated {
            // The affinities change: what was learned of the old slope is forgotten.
            velocity.fill(0.0);
            gains.fill(1.0);
        }
        let asked = iteration.is_multiple_of(LOOK);
        let (kl, slope) = divergence(p, &y, if early { how.exaggeration } else { 1.0 }, asked);
        trace.extend(kl);
        progress.report(op, iteration + 1, how.iterations, trace.last().copied().unwrap_or(f64::NAN))?;
        if !early && slope.iter().map(|g| g * g).sum::<f64>().sqrt() <= FLAT {
            trace.extend(divergence(p, &y, 1.0, true).0);
            return Ok((y, trace, iteration, true));
        }
        let momentum = if early { 0.5 } else { 0.8 };
        ndarray::Zip::from(&mut y).and(&mut velocity).and(&mut gains).and(&slope).for_each(
            |y, v, gain, &g| {
                *gain = if *v * g < 0.0 { *gain + GAINS.1 } else { (*gain * GAINS.0).max(GAINS.2) };
                *v = momentum * *v - how.rate * *gain * g;
                *y += *v;
            },
        );
    }
    trace.extend(divergence(p, &y, 1.0, true).0);
    Ok((y, trace, how.iterations, false))
}
