//! `FastICA`: Newton steps on a contrast, kept orthogonal.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::Ica;
use super::nonlinearity::Contrast;
use crate::learn::Report;
use crate::models::latent::axes::orthonormal;
use crate::models::latent::centred::place;
use crate::models::latent::rotation::nearest_orthogonal;
use crate::ops::{Trans, gemm};
use crate::{Error, Matrix, Result};

/// `E[g(y) z^T] - E[g'(y)] W` with `y = W z`, for the rows of `w`.
fn step(z: &Matrix, w: ArrayView2<f64>, contrast: Contrast) -> Result<Array2<f64>> {
    let y = gemm(1.0, z, Trans::No, &place(&z.device(), w.as_standard_layout().into_owned())?, Trans::Yes)?;
    let (g, curve) = contrast.slopes(&y)?;
    let pull = gemm(1.0 / z.rows() as f64, &g, Trans::Yes, z, Trans::No)?.to_array()?;
    Ok(pull - &w * &curve.insert_axis(Axis(1)))
}

/// How far the rows have turned: one less the least cosine.
fn turned(old: ArrayView2<f64>, new: ArrayView2<f64>) -> f64 {
    let cosines = old.rows().into_iter().zip(new.rows()).map(|(a, b)| a.dot(&b).abs());
    cosines.map(|c| (1.0 - c).abs()).fold(0.0, f64::max)
}

pub(super) fn parallel(
    ica: &Ica,
    z: &Matrix,
    contrast: Contrast,
    mut w: Array2<f64>,
) -> Result<(Array2<f64>, Report)> {
    let mut trace = Vec::new();
    let mut converged = false;
    while !converged && trace.len() < ica.max_iterations {
        let raw = step(z, w.view(), contrast)?;
        let new = nearest_orthogonal(&raw)?.ok_or_else(|| flat(&raw))?;
        let turn = turned(w.view(), new.view());
        w = new;
        trace.push(turn);
        converged = turn <= ica.tolerance;
        ica.report(trace.len(), turn)?;
    }
    Ok((w, report(trace, converged)))
}

pub(super) fn deflation(
    ica: &Ica,
    z: &Matrix,
    contrast: Contrast,
    start: Array2<f64>,
) -> Result<(Array2<f64>, Report)> {
    let mut w = start;
    let mut trace = Vec::new();
    let mut converged = true;
    for i in 0..w.nrows() {
        let mut settled = false;
        for _ in 0..ica.max_iterations {
            let raw = step(z, w.slice(s![i..=i, ..]), contrast)?;
            let mut next = w.slice(s![..=i, ..]).to_owned();
            next.row_mut(i).assign(&raw.row(0));
            let next = orthonormal(next.view());
            let turn = turned(w.slice(s![i..=i, ..]), next.slice(s![i..=i, ..]));
            w.slice_mut(s![..=i, ..]).assign(&next);
            trace.push(turn);
            ica.report(trace.len(), turn)?;
            settled = turn <= ica.tolerance;
            if settled {
                break;
            }
        }
        converged &= settled;
        // What is left to look at is orthogonal to what was found.
        w = orthonormal(w.view());
    }
    Ok((w, report(trace, converged)))
}

fn report(trace: Vec<f64>, converged: bool) -> Report {
    let last = trace.last().copied().into_iter().collect();
    let iterations = trace.len();
    Report::new(trace, iterations, converged, last)
}

/// A step that leads nowhere: the contrast sees no difference from a Gaussian.
fn flat(raw: &Array2<f64>) -> Error {
    let value = raw.iter().fold(0f64, |m, v| m.max(v.abs()));
    Error::Singular { op: "Ica::fit, step", index: 0, value }
}
