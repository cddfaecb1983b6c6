//! `KL(P‖Q)` and its gradient over all pairs, and the descent with momentum and a gain for each coordinate.

use ndarray::Array2;
use rayon::prelude::*;

use super::affinity::Affinities;
use crate::{Progress, Result};

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

/// KL of the plain affinities, and the gradient with those times `exaggeration`.
///
/// `4 Σ_j (e p_ij - q_ij) (y_i - y_j) / (1 + |y_i - y_j|²)`, in O(n) memory beside the affinities; sums run over rows in
/// their order, however many threads there are.
pub(super) fn divergence(p: &Affinities, y: &Array2<f64>, exaggeration: f64) -> (f64, Array2<f64>) {
    let (n, k) = y.dim();
    let flat = y.as_standard_layout();
    let flat = flat.as_slice().unwrap_or_default();
    let one = |scratch: &mut Vec<f64>, i: usize| {
        let row = p.row(i, scratch);
        let here = &flat[i * k..(i + 1) * k];
        let (mut pull, mut push) = (vec![0.0; k], vec![0.0; k]);
        let (mut sum, mut cross) = (0.0, 0.0);
        for ((j, there), &p) in flat.chunks_exact(k).enumerate().zip(row) {
            if j == i {
                continue;
            }
            let d2: f64 = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum();
            let q = 1.0 / (1.0 + d2);
            sum += q;
            if p > 0.0 {
                cross += p * (p.ln() + d2.ln_1p());
            }
            for c in 0..k {
                let gap = here[c] - there[c];
                pull[c] += p * q * gap;
                push[c] += q * q * gap;
            }
        }
        (pull, push, sum, cross)
    };
    let rows: Vec<_> = (0..n).into_par_iter().with_min_len(16).map_init(Vec::new, one).collect();
    let total: f64 = rows.iter().map(|r| r.2).sum();
    let cross: f64 = rows.iter().map(|r| r.3).sum();
    let gradient =
        Array2::from_shape_fn((n, k), |(i, c)| 4.0 * (exaggeration * rows[i].0[c] - rows[i].1[c] / total));
    (cross + total.ln(), gradient)
}

/// The trace of KL, where it ended, and whether the gradient vanished.
pub(super) fn descend(
    op: &'static str,
    p: &Affinities,
    mut y: Array2<f64>,
    how: &Schedule,
    progress: &Progress,
) -> Result<(Array2<f64>, Vec<f64>, bool)> {
    let mut trace = Vec::new();
    let (mut velocity, mut gains) = (Array2::<f64>::zeros(y.raw_dim()), Array2::<f64>::ones(y.raw_dim()));
    for iteration in 0..how.iterations {
        let early = iteration < how.exaggerated;
        if iteration == how.exaggerated {
            // The affinities change: what was learned of the old slope is forgotten.
            velocity.fill(0.0);
            gains.fill(1.0);
        }
        let (kl, slope) = divergence(p, &y, if early { how.exaggeration } else { 1.0 });
        trace.push(kl);
        progress.report(op, iteration + 1, how.iterations, kl)?;
        if !early && slope.iter().map(|g| g * g).sum::<f64>().sqrt() <= FLAT {
            return Ok((y, trace, true));
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
    trace.push(divergence(p, &y, 1.0).0);
    Ok((y, trace, false))
}
