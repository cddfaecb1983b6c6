//! Four ways to the principal axes: the covariance, the Gram matrix, singular vectors, products with the data alone.
//!
//! `tests/latent/pca.rs` holds them against each other.

use ndarray::{Array1, Array2, ArrayView2, s};

use crate::check::blame;
use crate::linalg::{Eigen, EigenParams, Operator, eigh, leading_eigenpairs, thin_svd};
use crate::models::latent::streamed_moments::{StreamedMoments, spread};
use crate::models::latent::{axes, centred};
use crate::ops::{Trans, gemm, syrk};
use crate::{Device, Matrix, Precision, Result};

/// Below this share of the largest eigenvalue a direction found through the Gram matrix is rounding.
const NOTHING: f64 = 1e-14;

/// What every route finds: sums of squares along orthonormal axes.
pub(in crate::models::latent) struct Spectrum {
    pub count: usize,
    pub mean: Array1<f64>,
    /// In descending order, not negative.
    pub squares: Array1<f64>,
    /// One axis a row.
    pub axes: Array2<f64>,
    /// The sum of squares along all axes there are.
    pub total: f64,
    /// Most axes that carry variance: `min(n, d)`.
    pub rank: usize,
    /// Products with the data, for Lanczos.
    pub iterations: Option<usize>,
}

pub(in crate::models::latent) fn covariance(moments: &StreamedMoments) -> Result<Spectrum> {
    let (n, d) = (moments.count(), moments.columns());
    let Eigen { values, vectors } = eigh(moments.scatter().view())?;
    let rank = n.min(d);
    let squares = values.slice(s![..rank]).mapv(|v| v.max(0.0));
    let axes = vectors.slice(s![.., ..rank]).t().as_standard_layout().into_owned();
    let mean = moments.mean().clone();
    Ok(Spectrum { count: n, mean, squares, axes, total: moments.spread(), rank, iterations: None })
}

pub(super) fn gram(device: &Device, x: ArrayView2<f64>) -> Result<Spectrum> {
    let (n, d) = x.dim();
    let (mean, rows) = centre(x)?;
    let total = spread(rows.view());
    let centred = centred::place(device, rows)?;
    let Eigen { values, vectors } = eigh(syrk(1.0, &centred, Trans::No)?.to_array()?.view())?;
    let rank = n.min(d);
    let squares = values.slice(s![..rank]).mapv(|v| v.max(0.0));
    let u = centred::place(device, vectors.slice(s![.., ..rank]).as_standard_layout().into_owned())?;
    let mut raw = gemm(1.0, &u, Trans::Yes, &centred, Trans::No)?.to_array()?;
    // `u^T X` has length sqrt(κ); where κ is rounding, so is the direction.
    let least = squares[0] * if device.is_gpu() { f64::from(f32::EPSILON) } else { NOTHING };
    for (mut row, _) in raw.rows_mut().into_iter().zip(&squares).filter(|(_, s)| **s <= least) {
        row.fill(0.0);
    }
    let axes = axes::orthonormal(raw.view());
    Ok(Spectrum { count: n, mean, squares, axes, total, rank, iterations: None })
}

/// `X = UDVᵀ` of the centred data: never a square of it.
pub(super) fn svd(x: ArrayView2<f64>) -> Result<Spectrum> {
    let (n, d) = x.dim();
    let (mean, rows) = centre(x)?;
    let total = spread(rows.view());
    let found = thin_svd(rows.view())?;
    let squares = found.values.mapv(|v| v * v);
    let axes = found.v.t().as_standard_layout().into_owned();
    Ok(Spectrum { count: n, mean, squares, axes, total, rank: n.min(d), iterations: None })
}

pub(super) fn lanczos(
    device: &Device,
    x: ArrayView2<f64>,
    k: usize,
    params: &EigenParams,
) -> Result<Spectrum> {
    let (n, d) = x.dim();
    let (mean, rows) = centre(x)?;
    let total = spread(rows.view());
    let pairs = leading_eigenpairs(&Scatter(centred::place(device, rows)?), k, params)?;
    let squares = pairs.values.mapv(|v| v.max(0.0));
    let axes = pairs.vectors.t().as_standard_layout().into_owned();
    let iterations = Some(pairs.iterations);
    Ok(Spectrum { count: n, mean, squares, axes, total, rank: n.min(d), iterations })
}

fn centre(x: ArrayView2<f64>) -> Result<(Array1<f64>, Array2<f64>)> {
    let mean = centred::mean(x);
    if mean.iter().all(|m| m.is_finite()) {
        let rows = centred::less(x, mean.view());
        Ok((mean, rows))
    } else {
        Err(blame("Pca::fit", x))
    }
}

/// `X^T X` for a centred X, as what it does to vectors.
struct Scatter(Matrix);

impl Operator for Scatter {
    fn dim(&self) -> usize {
        self.0.cols()
    }

    fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let v = centred::place(&self.0.device(), v.as_standard_layout().into_owned())?;
        let scores = gemm(1.0, &self.0, Trans::No, &v, Trans::No)?;
        gemm(1.0, &self.0, Trans::Yes, &scores, Trans::No)?.to_array()
    }

    fn diagonal(&self) -> Result<Array1<f64>> {
        use crate::ops::{Along, Reduction, reduce};
        Ok(reduce(&self.0, Along::EachColumn, Reduction::SumSquares)?.to_array()?.row(0).to_owned())
    }

    fn columns(&self, which: &[usize]) -> Result<Array2<f64>> {
        let mut unit = Array2::zeros((self.dim(), which.len()));
        which.iter().enumerate().for_each(|(c, &j)| unit[[j, c]] = 1.0);
        self.apply(unit.view())
    }

    fn precision(&self) -> Precision {
        self.0.precision()
    }
}
