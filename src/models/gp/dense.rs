//! A process with a factored covariance, and its variances.
//!
//! They are made where the factor lives from `V = L⁻¹k(X, x*)`, as `k(x*, x*) - |v|²`; a factor in f32 comes with a bound
//! on what that has lost, and where it could matter the variance is made again from a solve that is refined in f64.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::evidence::Conditioned;
use super::f32_bound::{SINGLE, doubtful, reach};
use super::predict::spread;
use crate::linalg::{Anchor, SpdFactor};
use crate::ops::{Along, Reduction, Trans, gemm, gram, gram_diagonal, reduce};
use crate::probability::posterior_variance::left;
use crate::{Kernel, Matrix, Result};

/// Entries of `k(X, x*)` at a time.
const ENTRIES: usize = 1 << 24;

#[derive(Debug)]
pub(super) struct Stored {
    pub conditioned: Conditioned,
    /// x on the host, and where the factor lives.
    x: Matrix,
    resident: Matrix,
    anchor: Anchor,
}

impl Stored {
    pub fn new(kernel: &Kernel, x: &Matrix, conditioned: Conditioned) -> Result<Self> {
        let device = conditioned.factor.factor().device();
        let anchor = Anchor::new(kernel, x.cpu().view());
        let resident = match conditioned.factor.points()? {
            Some(there) if device.is_gpu() => there.clone(),
            _ => x.clone(),
        };
        Ok(Stored { conditioned, x: x.clone(), resident, anchor })
    }

    pub fn factor(&self) -> &SpdFactor {
        &self.conditioned.factor
    }

    /// Whether the factor is in f32.
    pub fn on_gpu(&self) -> bool {
        self.resident.device().is_gpu()
    }

    /// `k(x, X)α` and the latent variance at each row of `x`.
    pub fn moments(&self, kernel: &Kernel, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        let block = (ENTRIES / self.x.rows()).max(64);
        let mut spread = Array2::zeros((x.nrows(), self.conditioned.alpha.ncols()));
        let mut variance = Array1::zeros(x.nrows());
        let chunks = spread.axis_chunks_iter_mut(Axis(0), block);
        for ((mut spread, mut variance), x) in
            chunks.zip(variance.axis_chunks_iter_mut(Axis(0), block)).zip(x.axis_chunks_iter(Axis(0), block))
        {
            let (s, v) = self.block(kernel, x)?;
            spread.assign(&s);
            variance.assign(&v);
        }
        Ok((spread, variance))
    }

    fn block(&self, kernel: &Kernel, x: ArrayView2<f64>) -> Result<(Array2<f64>, Array1<f64>)> {
        let at = Matrix::from_host(x.to_owned());
        let prior = gram_diagonal(kernel, &at)?.into_array()?.index_axis_move(Axis(1), 0);
        let alpha = &self.conditioned.alpha;
        let device = self.resident.device();
        let (across, spread) = if device.is_gpu() {
            let spread = spread(kernel, &at, &self.x, alpha)?;
            let at = self.anchor.upload("FittedGp::predict", &device, x)?;
            (gram(kernel, &self.resident, Some(&at))?, spread)
        } else {
            // In f64 already: the covariances need not be made a second time.
            let across = gram(kernel, &self.x, Some(&at))?;
            let alpha = Matrix::from_host(alpha.clone());
            let spread = gemm(1.0, &across, Trans::Yes, &alpha, Trans::No)?.into_array()?;
            (across, spread)
        };
        let v = self.factor().whiten(across)?;
        let explained = reduce(&v, Along::EachColumn, Reduction::SumSquares)?.into_array()?;
        let mut variance = Array1::from_shape_fn(prior.len(), |j| left(prior[j], explained[[0, j]]));
        if device.is_gpu() {
            let doubtful = doubtful(&self.lost(kernel, x, &v)?, &variance);
            if !doubtful.is_empty() {
                let again = Matrix::from_host(x.select(Axis(0), &doubtful));
                let across = gram(kernel, &self.x, Some(&again))?.into_array()?;
                let weights = self.factor().solve(across.view())?.x;
                for (c, &j) in doubtful.iter().enumerate() {
                    variance[j] = left(prior[j], across.column(c).dot(&weights.column(c)));
                }
            }
        }
        Ok((spread, variance))
    }

    /// What a factor in f32 may have lost of each `|v|²`, v a column of `L⁻¹Sb`: its matrix differs also by what the
    /// rounding of inputs has moved, and that of b counts once more, `2 Σ_i |δb_i w_i|`.
    fn lost(&self, kernel: &Kernel, x: ArrayView2<f64>, v: &Matrix) -> Result<Vec<f64>> {
        let own = gram_diagonal(kernel, &self.x)?.into_array()?.fold(0f64, |m, v| m.max(*v));
        let reaches = reach(self.factor(), own + self.factor().jitter(), v)?;
        let points = self.x.cpu().view();
        let across = self.anchor.moved(kernel, points, x)?;
        let prior = gram_diagonal(kernel, &Matrix::from_host(x.to_owned()))?.into_array()?;
        let of_matrix = SINGLE + self.factor().moved();
        let bound =
            |(reach, prior): (&f64, &f64)| of_matrix * reach * reach + 2.0 * across * prior.sqrt() * reach;
        Ok(reaches.iter().zip(&prior).map(bound).collect())
    }
}
