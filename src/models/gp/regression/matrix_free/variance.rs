//! Variances without a stored matrix, and how much too large they may be.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::params::MatrixFreeParams;
use super::posterior::MatrixFreePosterior;
use crate::learn::ranks::Meeting;
use crate::matrix::Points;
use crate::models::gp::regression::model::GpRegressor;
use crate::ops::{gram, gram_diagonal};
use crate::probability::posterior_variance::left;
use crate::{Error, Matrix, Result};

/// Inputs whose variances are solved for together.
const BLOCK: usize = 64;
/// The part of a variance that its bound may be before the solve goes on.
const DOUBT: f64 = 1e-4;
/// Times that it goes on.
const ROUNDS: usize = 3;

impl MatrixFreePosterior {
    /// Latent variances at each row of `x`, and for each a bound of its excess over the exact one.
    ///
    /// With w the solution reached and r its residual, `2k(x, X)w - wᵀCw` falls short of `k(x, X)C⁻¹k(X, x)` by
    /// `rᵀC⁻¹r`: the variance is never too small, and too large by at most `|r|² / noise`. Where the noise is small that
    /// may be many times the variance itself, so that the solve goes on with r until it is not, or r is rounding.
    pub fn variances(
        &self,
        model: &GpRegressor,
        points: &Points,
        x: ArrayView2<f64>,
    ) -> Result<(Array1<f64>, Array1<f64>)> {
        let kernel = model.kernel();
        let (mut variance, mut excess) = (Vec::with_capacity(x.nrows()), Vec::with_capacity(x.nrows()));
        for some in x.axis_chunks_iter(Axis(0), BLOCK) {
            let at = Matrix::from_host(some.to_owned());
            let prior = gram_diagonal(kernel, &at)?.into_array()?;
            let across = gram(kernel, points.on_host(), Some(&at))?.into_array()?;
            for (own, over) in self.settled(prior.column(0).to_owned(), across, &model.matrix_free)? {
                variance.push(own);
                excess.push(over);
            }
        }
        Ok((Array1::from(variance), Array1::from(excess)))
    }

    /// `prior - kᵀC⁻¹k` for each column k of `across`, and a bound of its excess.
    fn settled(
        &self,
        prior: Array1<f64>,
        across: Array2<f64>,
        params: &MatrixFreeParams,
    ) -> Result<Vec<(f64, f64)>> {
        let (system, tolerance, alone) = (&self.system, params.variance_tolerance, &Meeting::alone_here());
        let floor = system.noise().fold(f64::INFINITY, |m, v| m.min(*v));
        let mut w = system.solve(alone, across.view(), tolerance, params)?.x;
        let mut round = 0;
        loop {
            let image = system.apply(w.view())?;
            let rest = &across - &image;
            let found: Vec<(f64, f64)> = (0..prior.len())
                .map(|j| {
                    let (k, w, r) = (across.column(j), w.column(j), rest.column(j));
                    let explained = 2.0 * k.dot(&w) - w.dot(&image.column(j));
                    (left(prior[j], explained), r.dot(&r) / floor)
                })
                .collect();
            let doubtful: Vec<usize> =
                (0..prior.len()).filter(|&j| found[j].1 > DOUBT * found[j].0).collect();
            if doubtful.is_empty() || round == ROUNDS {
                return Ok(found);
            }
            match system.solve(alone, rest.select(Axis(1), &doubtful).view(), tolerance, params) {
                Ok(more) => doubtful.iter().zip(more.x.columns()).for_each(|(&j, x)| {
                    w.column_mut(j).zip_mut_with(&x, |w, x| *w += x);
                }),
                // What is left is rounding: the bound says how much.
                Err(Error::NoConvergence { .. }) => return Ok(found),
                Err(other) => return Err(other),
            }
            round += 1;
        }
    }
}
