//! The descent of `KL(P‖Q)` with momentum and a gain for each coordinate.

use ndarray::Array2;

use crate::ops::{Affinities, tsne_forces};
use crate::{Device, Matrix, Progress, Result};

/// Iterations between two values of KL: its logarithms cost as much as a step.
const LOOK: usize = 10;
/// The gradient's length that counts as none.
const FLAT: f64 = 1e-7;
/// Distance from the origin at which a picture has diverged.
const FARTHEST: f64 = 1e15;
/// What a gain is multiplied by, or raised by, and its least value.
const GAINS: (f64, f64, f64) = (0.8, 0.2, 0.01);

/// How to descend.
pub(super) struct Schedule {
    pub exaggeration: f64,
    pub exaggerated: usize,
    pub iterations: usize,
    pub rate: f64,
}

/// Where it ended, the trace of KL, iterations, and whether the gradient vanished.
///
/// Steps are taken in f64 on the host; on a GPU the places go up and the forces on them come down.
pub(super) fn descend(
    op: &'static str,
    device: &Device,
    p: &Affinities,
    mut y: Array2<f64>,
    how: &Schedule,
    progress: &Progress,
) -> Result<(Array2<f64>, Vec<f64>, usize, bool)> {
    let mut trace = Vec::new();
    let forces = |y: &Array2<f64>, asked| tsne_forces(p, &Matrix::upload(op, device, y.view())?, asked);
    let (mut velocity, mut gains) = (Array2::<f64>::zeros(y.raw_dim()), Array2::<f64>::ones(y.raw_dim()));
    for iteration in 0..how.iterations {
        let early = iteration < how.exaggerated;
        if iteration == how.exaggerated {
            // The affinities change: what was learned of the old slope is forgotten.
            velocity.fill(0.0);
            gains.fill(1.0);
        }
        let asked = iteration.is_multiple_of(LOOK);
        let found = forces(&y, asked)?;
        let slope = found.gradient(if early { how.exaggeration } else { 1.0 });
        trace.extend(found.divergence);
        progress.report(op, iteration + 1, how.iterations, trace.last().copied().unwrap_or(f64::NAN))?;
        if !early && slope.iter().map(|g| g * g).sum::<f64>().sqrt() <= FLAT {
            trace.extend(forces(&y, true)?.divergence);
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
        if y.iter().any(|y| y.is_nan() || y.abs() > FARTHEST) {
            trace.push(f64::NAN);
            return Ok((y, trace, iteration + 1, false));
        }
    }
    trace.extend(forces(&y, true)?.divergence);
    Ok((y, trace, how.iterations, false))
}
