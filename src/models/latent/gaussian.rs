//! A Gaussian whose covariance is of low rank plus a multiple of the identity: `C = W W^T + σ² I`.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::axes::{fix_signs, orthonormal};
use super::centred::{blocks, on, place};
use crate::check::room;
#[cfg(feature = "serde")]
use crate::check::{numbers, parameter, positive, require};
use crate::linalg::eigh;
use crate::matrix::points::suited;
use crate::ops::{Along, Reduction, Trans, Zip, gemm, gemm_add, reduce, zip};
use crate::{Device, Matrix, Result};

const LN_2PI: f64 = 1.837_877_066_409_345_5;

/// `N(m, W W^T + σ² I)` in its eigenbasis: orthonormal axes with variances `λ_j >= σ²`, and σ² along all others.
///
/// `W = U (Λ - σ² I)^½` is the rotation of the loadings whose columns are orthogonal, the longest first.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Subspace {
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub mean: Array1<f64>,
    /// `k x d`, one axis a row.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    pub axes: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub variances: Array1<f64>,
    pub noise: f64,
}

crate::saved::wired!(Subspace { mean, axes, variances, noise });

impl Subspace {
    /// From loadings in any rotation.
    pub fn of(mean: Array1<f64>, loadings: ArrayView2<f64>, noise: f64) -> Result<Self> {
        let inner = loadings.t().dot(&loadings);
        let turned = eigh(inner.view())?;
        let raw = turned.vectors.t().dot(&loadings.t());
        let mut axes = orthonormal(raw.view());
        fix_signs(&mut axes);
        Ok(Subspace { mean, axes, variances: turned.values.mapv(|v| v.max(0.0) + noise), noise })
    }

    /// `d x k`.
    pub fn loadings(&self) -> Array2<f64> {
        &self.axes.t() * &self.variances.mapv(|v| (v - self.noise).max(0.0).sqrt())
    }

    /// `log |C|`.
    pub fn log_det(&self) -> f64 {
        let rest = self.mean.len() - self.variances.len();
        self.variances.mapv(f64::ln).sum() + rest as f64 * self.noise.ln()
    }

    /// `C`, `d x d`.
    pub fn covariance(&self) -> Array2<f64> {
        let w = self.loadings();
        let mut c = w.dot(&w.t());
        c.diag_mut().mapv_inplace(|v| v + self.noise);
        c
    }

    /// `log N(x_i)` of rows from which the mean has been taken.
    ///
    /// The distance to the subspace is that of a residual, never a difference of squares: f32 keeps its digits.
    pub fn log_density_of(&self, centred: &Matrix) -> Result<Array1<f64>> {
        let device = centred.device();
        let axes = place(&device, self.axes.clone())?;
        let along = gemm(1.0, centred, Trans::No, &axes, Trans::Yes)?;
        let off = gemm_add(-1.0, &along, Trans::No, &axes, Trans::No, 1.0, centred)?;
        let scales = self.variances.mapv(|v| v.sqrt().recip()).insert_axis(Axis(0));
        let scaled = zip(&along, &place(&device, scales)?, Zip::Mul)?;
        let squares = |a: &Matrix| -> Result<Array1<f64>> {
            Ok(reduce(a, Along::EachRow, Reduction::SumSquares)?.to_array()?.column(0).to_owned())
        };
        let constant = self.mean.len() as f64 * LN_2PI + self.log_det();
        Ok((squares(&scaled)? + squares(&off)? / self.noise + constant) * -0.5)
    }

    /// `log N(x_i)` of each row of `x`, block by block on the device.
    pub fn log_density(&self, device: &Device, x: ArrayView2<f64>) -> Result<Array1<f64>> {
        let (n, d) = x.dim();
        let device = &suited(device, x, 4.0 * x.len() as f64 * self.variances.len() as f64);
        let mut out = Array1::zeros(n);
        for rows in blocks(device, n, d) {
            let block = on(device, x.slice(s![rows.clone(), ..]), self.mean.view())?;
            out.slice_mut(s![rows]).assign(&self.log_density_of(&block)?);
        }
        Ok(out)
    }

    /// What turns centred rows into posterior means of the latents: `E[z | x] = M⁻¹ W^T (x - m)`, `d x k`.
    pub fn encoder(&self) -> Array2<f64> {
        &self.axes.t() * &self.variances.mapv(|v| (v - self.noise).max(0.0).sqrt() / v)
    }

    /// The diagonal of the posterior covariance `σ² M⁻¹`, which is diagonal in this rotation and the same for all x.
    pub fn posterior_variances(&self) -> Array1<f64> {
        self.variances.mapv(|v| self.noise / v)
    }

    /// `m + W z + σ e` for standard normal z and e, `n x d`.
    pub fn sample(&self, n: usize, seed: u64) -> Result<Array2<f64>> {
        let (k, d) = self.axes.dim();
        // The latents, the noise, and their sum.
        room("count", n, (k + 3 * d) * size_of::<f64>())?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let z = normal(&mut rng, n, k);
        let e = normal(&mut rng, n, d);
        Ok(z.dot(&self.loadings().t()) + e * self.noise.sqrt() + &self.mean)
    }

    /// What a file must hold.
    #[cfg(feature = "serde")]
    pub fn check(&self, op: &'static str) -> Result<()> {
        let (k, d) = self.axes.dim();
        require(op, d > 0 && k <= d && self.mean.len() == d && self.variances.len() == k, || {
            let (mean, variances) = (self.mean.len(), self.variances.len());
            format!("{k} axes in {d} dimensions, {variances} variances, a mean of {mean}")
        })?;
        numbers(op, "the axes", self.axes.view())?;
        numbers(op, "the mean", self.mean.view().insert_axis(Axis(0)))?;
        positive("noise", self.noise)?;
        let above = |v: f64| v >= self.noise && v.is_finite();
        let mut each = self.variances.iter();
        each.try_for_each(|&v| parameter("a variance", v, above(v), "must not be below the noise"))
    }
}

/// Standard normal entries, row after row.
pub(super) fn normal(rng: &mut ChaCha8Rng, rows: usize, cols: usize) -> Array2<f64> {
    Array2::from_shape_simple_fn((rows, cols), || StandardNormal.sample(rng))
}

/// `log N` of a whole data set by its second moment about the mean: `-(n/2) (d log 2π + log|C| + tr(C⁻¹ S))`.
pub(super) fn log_likelihood(n: f64, d: usize, log_det: f64, trace: f64) -> f64 {
    -0.5 * n * (d as f64 * LN_2PI + log_det + trace)
}

/// `d log 2π` of an observation with d entries.
pub(super) fn constant(d: f64) -> f64 {
    d * LN_2PI
}
