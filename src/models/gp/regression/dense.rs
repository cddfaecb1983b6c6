//! The posterior of a process whose covariance is factored, and its variances.
//!
//! They are made where the factor lives from `V = L⁻¹k(X, x*)`, as `k(x*, x*) - |v|²`; a factor in f32 comes with a bound
//! on what that has lost, and where it could matter the variance is made again from a solve that is refined in f64.

use ndarray::{Array1, ArrayView2, Axis, concatenate};

use super::f32_bound::{SINGLE, doubtful, reach};
use crate::linalg::{SpdFactor, rounding_error};
use crate::matrix::Points;
use crate::ops::{Along, Reduction, gram, gram_diagonal, reduce};
use crate::probability::posterior_variance::left;
use crate::{Error, Kernel, Matrix, Result};

const OP: &str = "FittedGp::predict";
/// Entries of `k(X, x*)` at a time.
const ENTRIES: usize = 1 << 24;

#[derive(Debug)]
pub(super) struct DensePosterior {
    pub factor: SpdFactor,
}

impl DensePosterior {
    /// The latent variance at each row of `x`.
    pub fn variances(&self, kernel: &Kernel, points: &Points, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let block = (ENTRIES / points.host().nrows()).max(64);
        let parts = x.axis_chunks_iter(Axis(0), block).map(|x| self.block(kernel, points, x));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
        concatenate(Axis(0), &views).map_err(|e| Error::Shape { op: OP, what: e.to_string() })
    }

    fn block(&self, kernel: &Kernel, points: &Points, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let at = Matrix::from_host(x.to_owned());
        let prior = gram_diagonal(kernel, &at)?.into_array()?.index_axis_move(Axis(1), 0);
        let on_gpu = self.factor.factor().device().is_gpu();
        let across = if on_gpu {
            gram(kernel, points.matrix()?, Some(&points.like(OP, x)?))?
        } else {
            gram(kernel, points.on_host(), Some(&at))?
        };
        let v = self.factor.whiten(across)?;
        let explained = reduce(&v, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
        let mut variance = Array1::from_shape_fn(prior.len(), |j| left(prior[j], explained[[0, j]]));
        if on_gpu {
            let doubtful = doubtful(&self.lost(kernel, points, x, &v)?, &variance);
            if !doubtful.is_empty() {
                let again = Matrix::from_host(x.select(Axis(0), &doubtful));
                let across = gram(kernel, points.on_host(), Some(&again))?.into_array()?;
                let weights = self.factor.solve(across.view())?.x;
                for (c, &j) in doubtful.iter().enumerate() {
                    variance[j] = left(prior[j], across.column(c).dot(&weights.column(c)));
                }
            }
        }
        Ok(variance)
    }

    /// What a factor in f32 may have lost of each `|v|²`, v a column of `L⁻¹Sb`: its matrix differs also by what the
    /// rounding of inputs has moved, and that of b counts once more, `2 Σ_i |δb_i w_i|`.
    fn lost(&self, kernel: &Kernel, points: &Points, x: ArrayView2<f64>, v: &Matrix) -> Result<Vec<f64>> {
        let largest = gram_diagonal(kernel, points.on_host())?.into_array()?.fold(0f64, |m, v| m.max(*v));
        let reaches = reach(&self.factor, largest + self.factor.jitter(), v)?;
        let across = rounding_error(kernel, points.shift(), points.host(), x)?;
        let prior = gram_diagonal(kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        let of_matrix = SINGLE + self.factor.moved();
        let bound =
            |(reach, prior): (&f64, &f64)| of_matrix * reach * reach + 2.0 * across * prior.sqrt() * reach;
        Ok(reaches.iter().zip(&prior).map(bound).collect())
    }
}
