//! `InfoMax`: the likelihood of noiseless sources, climbed by natural gradients with the curvature of independent sources.
//!
//! `L(W) = log|det W| + Σ_i E[log p_i(y_i)]`, `y = W z`. Along `W <- (I + E) W` the slope is `I - E[φ(y) y^T]`, and if
//! the sources were independent already the curvature would couple only `E_ij` with `E_ji`: blocks of two by two.

use ndarray::Array2;

use super::Ica;
use super::nonlinearity::{Density, Kinds, Seen, seen};
use crate::learn::Report;
use crate::linalg::small_cholesky::Small;
use crate::models::latent::centred::place;
use crate::ops::{Trans, gemm};
use crate::{Matrix, Result};

/// The least curvature that a step is scaled by.
const LEAST: f64 = 1e-2;
/// Halvings before a direction counts as flat.
const HALVINGS: usize = 30;

/// A place on the way up.
struct At {
    w: Array2<f64>,
    seen: Seen,
    objective: f64,
    slope: Array2<f64>,
}

pub(super) fn fit(
    ica: &Ica,
    z: &Matrix,
    density: Density,
    start: Array2<f64>,
) -> Result<(Array2<f64>, Report)> {
    let k = start.nrows();
    let mut kinds: Kinds = vec![density == Density::SubGaussian; k];
    let mut at = look(z, start, &kinds)?;
    let mut trace = vec![at.objective];
    let (mut iterations, mut converged) = (0, false);
    while !converged && iterations < ica.max_iterations {
        if density == Density::Extended && at.seen.kinds != kinds {
            kinds.clone_from(&at.seen.kinds);
            at = look(z, at.w, &kinds)?;
        }
        let direction = direction(&at);
        iterations += 1;
        match climb(z, &at, &direction, &kinds)? {
            Some(next) => at = next,
            // Rounding is all that is left between here and the top.
            None => converged = true,
        }
        converged |= at.slope.iter().all(|g| g.abs() <= ica.tolerance);
        trace.push(at.objective);
        ica.report(iterations, at.objective)?;
    }
    Ok((at.w, Report::new(trace, iterations, converged, vec![at.objective])))
}

fn look(z: &Matrix, w: Array2<f64>, kinds: &[bool]) -> Result<At> {
    let y = gemm(1.0, z, Trans::No, &place(&z.device(), w.clone())?, Trans::Yes)?;
    let seen = seen(&y, kinds)?;
    let inner = Small::new("Ica::fit, unmixing", w.dot(&w.t()).view())?;
    let objective = 0.5 * inner.log_det + seen.log_density;
    let mut slope = gemm(-1.0 / y.rows() as f64, &seen.score, Trans::Yes, &y, Trans::No)?.to_array()?;
    slope.diag_mut().mapv_inplace(|v| v + 1.0);
    Ok(At { w, seen, objective, slope })
}

/// The slope over the curvature, block by block.
fn direction(at: &At) -> Array2<f64> {
    let k = at.w.nrows();
    let curve = |i: usize, j: usize| at.seen.curve[i] * at.seen.power[j];
    let mut out = Array2::zeros((k, k));
    for i in 0..k {
        out[[i, i]] = at.slope[[i, i]] / (1.0 + curve(i, i)).max(LEAST);
        for j in 0..i {
            let (mut a, mut b) = (curve(i, j), curve(j, i));
            let lowest = 0.5 * (a + b - ((a - b).powi(2) + 4.0).sqrt());
            let lift = (LEAST - lowest).max(0.0);
            (a, b) = (a + lift, b + lift);
            let (p, q, det) = (at.slope[[i, j]], at.slope[[j, i]], a * b - 1.0);
            out[[i, j]] = (b * p - q) / det;
            out[[j, i]] = (a * q - p) / det;
        }
    }
    out
}

/// The first of the steps 1, 1/2, 1/4, ... that raises the likelihood.
fn climb(z: &Matrix, at: &At, direction: &Array2<f64>, kinds: &[bool]) -> Result<Option<At>> {
    let turn = direction.dot(&at.w);
    let mut step = 1.0;
    for _ in 0..HALVINGS {
        let next = look(z, &at.w + &(&turn * step), kinds);
        // Too long a step may meet a singular W: as bad as a likelihood that falls.
        match next {
            Ok(next) if next.objective > at.objective => return Ok(Some(next)),
            Ok(_) | Err(crate::Error::NotPositiveDefinite { .. }) => step *= 0.5,
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}
