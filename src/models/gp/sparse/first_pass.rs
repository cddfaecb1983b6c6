//! The first pass over the data: B, and with it the value and all that predictions need.

use std::f64::consts::TAU;

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::data::{Data, Part, row};
use super::model::SparseMethod;
use crate::ops::{
    Along, Reduction, Side, Trans, Triangle, Zip, cholesky, gemm, gram, gram_diagonal, log_det, reduce,
    solve_triangular, syrk, zip,
};
use crate::probability::posterior_variance::left;
use crate::{Error, Kernel, Matrix, Result};

/// The part of `yᵀΛ⁻¹y` below which the difference that F wants has lost too many digits.
const CANCELLED: f64 = 1e-6;

/// Hyper-parameters at one point of a search.
pub(super) struct Hyper<'a> {
    pub kernel: &'a Kernel,
    pub noise: f64,
    /// `m x d`.
    pub z: &'a Array2<f64>,
    pub method: SparseMethod,
    /// Relative to the mean of the diagonal of `K_zz`.
    pub jitter: f64,
}

/// What the first pass leaves.
pub(super) struct Factors {
    /// Z on the device, shifted as x is.
    pub z: Matrix,
    /// L in f64 on the CPU, and as the device sees it.
    pub l: Matrix,
    pub l_on: Matrix,
    /// What was added to the diagonal of `K_zz`.
    pub jitter: f64,
    /// The diagonal of Λ.
    pub lambda: Array1<f64>,
    /// tr D.
    pub gap: f64,
    /// B and its Cholesky factor, on the CPU.
    pub b: Array2<f64>,
    pub lb: Matrix,
    /// `B⁻¹ A Λ⁻¹ y`, `m x p`.
    pub beta: Array2<f64>,
    /// `-2F` but for the fit: determinants, and the penalty of the bound, of all outputs together.
    complexity: f64,
    /// F, of all outputs together.
    pub value: f64,
}

impl Factors {
    pub fn new(at: &Hyper, data: &Data) -> Result<Self> {
        let (n, m, p) = (data.n(), at.z.nrows(), data.p());
        let z_host = Matrix::from_host(at.z.clone());
        let mut k = gram(at.kernel, &z_host, None)?.to_array()?;
        let jitter = at.jitter * k.diag().mean().unwrap_or(0.0).abs();
        k.diag_mut().mapv_inplace(|v| v + jitter);
        let l = cholesky(&Matrix::from_host(k))?;
        let z = data.points.like("SparseGpRegressor", at.z.view())?;
        let l_on = l.to_device(data.device())?;
        let prior = gram_diagonal(at.kernel, data.points.on_host())?.to_array()?.index_axis_move(Axis(1), 0);
        let mut lambda = Array1::from_elem(n, at.noise);
        let (mut gap, mut inner, mut right) = (0.0, Array2::zeros((m, m)), Array2::zeros((m, p)));
        for part in &data.parts {
            let a = whitened(at.kernel, &z, &l_on, &part.x)?;
            let kept = reduce(&a, Along::EachColumn, Reduction::SumSquares)?.to_array()?;
            // K - Q is positive semi-definite; what is below zero is rounding.
            let mut rest = prior.slice(s![part.rows.clone()]).to_owned();
            rest.zip_mut_with(&kept.row(0), |p, kept| *p = left(*p, *kept));
            gap += rest.sum();
            if at.method == SparseMethod::Fitc {
                lambda.slice_mut(s![part.rows.clone()]).zip_mut_with(&rest, |l, d| *l += d);
            }
            let own = lambda.slice(s![part.rows.clone()]);
            let a = scaled(&a, own.mapv(|l| l.sqrt().recip()))?;
            let y = &data.y.slice(s![part.rows.clone(), ..]) / &own.mapv(f64::sqrt).insert_axis(Axis(1));
            let y = Matrix::upload("SparseGpRegressor", data.device(), y.view())?;
            // Chunks are added up in f64, whatever the device.
            inner += &syrk(1.0, &a, Trans::No)?.to_array()?;
            right += &gemm(1.0, &a, Trans::No, &y, Trans::No)?.to_array()?;
        }
        let b = inner + Array2::<f64>::eye(m);
        let lb = cholesky(&Matrix::from_host(b.clone()))?;
        let right = Matrix::from_host(right);
        let c = solve_triangular(&lb, Triangle::Lower, Trans::No, Side::Left, &right)?;
        let beta = solve_triangular(&lb, Triangle::Lower, Trans::Yes, Side::Left, &c)?.to_array()?;
        let complexity = complexity(at, lambda.view(), gap, log_det(&lb)?) * p as f64;
        let whole: f64 = data.y.rows().into_iter().zip(&lambda).map(|(y, l)| y.dot(&y) / l).sum();
        let fit = whole - c.to_array()?.iter().map(|v| v * v).sum::<f64>();
        let mut all = Factors { z, l, l_on, jitter, lambda, gap, b, lb, beta, complexity, value: 0.0 };
        all.value = -0.5 * (complexity + fit);
        // A gradient in f32 has the residuals and makes it again from them.
        if fit <= CANCELLED * whole && !data.device().is_gpu() {
            all.value = all.value_of(all.residual(at, data)?);
        }
        if !(all.value.is_finite() && gap.is_finite()) {
            return Err(Error::NotPositiveDefinite { op: "SparseGpRegressor", pivot: 0, value: all.value });
        }
        Ok(all)
    }

    /// F from `|Λ^-½(y - Aᵀβ)|²`: `yᵀ(Q + Λ)⁻¹y` is that and `|β|²`, the least of their sum over all β, so that no digits
    /// are lost where the noise is small, and an error of β hardly counts.
    pub fn value_of(&self, residual: f64) -> f64 {
        -0.5 * (self.complexity + residual + self.beta.iter().map(|b| b * b).sum::<f64>())
    }

    /// `|Λ^-½(y - Aᵀβ)|²`, at the price of one more pass over the data.
    fn residual(&self, at: &Hyper, data: &Data) -> Result<f64> {
        let beta = Matrix::upload("SparseGpRegressor", data.device(), self.beta.view())?;
        let mut sum = 0.0;
        for part in &data.parts {
            let a = self.whitened(at.kernel, part)?;
            let rest = &data.y.slice(s![part.rows.clone(), ..])
                - &gemm(1.0, &a, Trans::Yes, &beta, Trans::No)?.to_array()?;
            let own = self.lambda.slice(s![part.rows.clone()]);
            sum += rest.rows().into_iter().zip(own).map(|(r, l)| r.dot(&r) / l).sum::<f64>();
        }
        Ok(sum)
    }

    /// A of some rows of the data, `m x c`, on the device.
    pub fn whitened(&self, kernel: &Kernel, part: &Part) -> Result<Matrix> {
        whitened(kernel, &self.z, &self.l_on, &part.x)
    }
}

/// `L⁻¹ K_zx` on the device.
pub(super) fn whitened(kernel: &Kernel, z: &Matrix, l: &Matrix, x: &Matrix) -> Result<Matrix> {
    solve_triangular(l, Triangle::Lower, Trans::No, Side::Left, &gram(kernel, z, Some(x))?)
}

/// `A diag(by)`.
pub(super) fn scaled(a: &Matrix, by: Array1<f64>) -> Result<Matrix> {
    zip(a, &row(&a.device(), by)?, Zip::Mul)
}

/// `n log 2π + log det Λ + log det B`, and the penalty of the bound.
fn complexity(at: &Hyper, lambda: ArrayView1<f64>, gap: f64, log_det_b: f64) -> f64 {
    let penalty = if at.method == SparseMethod::Variational { gap / at.noise } else { 0.0 };
    lambda.iter().map(|l| (TAU * l).ln()).sum::<f64>() + log_det_b + penalty
}
