//! A process conditioned on data at given hyper-parameters, its marginal likelihood and the gradient of that.
//!
//! `log p(y) = -½ rᵀα - ½ log det C - ½ n log 2π`, `α = C⁻¹r`, `r = y - Hβ`. β maximises it, so that its own derivative
//! by the hyper-parameters does not count.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::mean::{Design, Trend};
use super::regressor::GpRegressor;
use crate::kernel::Scale;
use crate::linalg::{Certificate, SpdFactor, SpdParams};
use crate::ops::{Trans, Weights, diagonal, gemm_add, gram_sum_grad};
use crate::{Device, Matrix, Result};

/// The log marginal likelihood and its gradient by the free hyper-parameters, on the scale of the optimiser.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub value: f64,
    /// By each of [`GpRegressor::theta`].
    pub gradient: Vec<f64>,
}

#[derive(Debug)]
pub(super) struct Conditioned {
    pub factor: SpdFactor,
    pub trend: Trend,
    /// `C⁻¹(y - Hβ)`, `n x q`.
    pub alpha: Array2<f64>,
    pub certificate: Certificate,
    pub log_marginal_likelihood: f64,
}

impl Conditioned {
    pub fn new(model: &GpRegressor, device: &Device, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Self> {
        // Only a device in f32 decides anything by the condition.
        let spd = SpdParams { condition: model.spd.condition && device.is_gpu(), ..model.spd };
        let factor = SpdFactor::of_kernel(device, &model.kernel, x, model.noise.clone(), &spd)?;
        Self::with(model, factor, x, y)
    }

    pub fn with(
        model: &GpRegressor,
        factor: SpdFactor,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<Self> {
        let (n, q) = y.dim();
        // One solve for all right-hand sides.
        let design = Design::new(model.mean, x, y)?;
        let solution = factor.solve(design.right()?.view())?;
        let certificate = solution.certificate;
        let (trend, alpha, residual) = design.solved(solution.x)?;
        let fit: f64 = residual.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let constant = n as f64 * std::f64::consts::TAU.ln();
        let log_marginal_likelihood = -0.5 * (fit + q as f64 * (factor.log_det()? + constant));
        Ok(Conditioned { factor, trend, alpha, certificate, log_marginal_likelihood })
    }

    /// By each of [`GpRegressor::theta`].
    pub fn gradient(&self, model: &GpRegressor, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        let x = self.points(x)?;
        gradient(model, &x, &self.alpha, self.factor.inverse_lower()?)
    }

    /// The same, in the memory of the factor.
    pub fn into_gradient(self, model: &GpRegressor, x: ArrayView2<f64>) -> Result<Vec<f64>> {
        let x = self.points(x)?;
        gradient(model, &x, &self.alpha, self.factor.into_inverse_lower()?)
    }

    /// The inputs where the factor lives, which has them there already.
    fn points(&self, x: ArrayView2<f64>) -> Result<Matrix> {
        Ok(self.factor.points()?.cloned().unwrap_or_else(|| Matrix::from_host(x.to_owned())))
    }
}

/// From `C⁻¹`, its lower triangle.
fn gradient(model: &GpRegressor, x: &Matrix, alpha: &Array2<f64>, inverse: Matrix) -> Result<Vec<f64>> {
    let weights = weights(alpha, inverse)?;
    let params = model.kernel.params();
    let mut gradient = Vec::new();
    if params.iter().any(|p| !p.fixed) {
        let sum = gram_sum_grad(&model.kernel, x, None, Weights::Symmetric(&weights))?;
        for (p, by_value) in params.iter().zip(sum.gradient).filter(|(p, _)| !p.fixed) {
            gradient.push(0.5 * by_value * if p.scale == Scale::Log { p.value } else { 1.0 });
        }
    }
    if let Some(noise) = model.learned_noise() {
        gradient.push(0.5 * noise * diagonal(&weights)?.to_array()?.sum());
    }
    Ok(gradient)
}

/// `Σ αα^T - q C⁻¹`, the lower triangle, where the inverse lives.
fn weights(alpha: &Array2<f64>, inverse: Matrix) -> Result<Matrix> {
    let q = alpha.ncols() as f64;
    if inverse.device().is_gpu() {
        let alpha = Matrix::upload("GpRegressor::fit", &inverse.device(), alpha.view())?;
        return gemm_add(1.0, &alpha, Trans::No, &alpha, Trans::Yes, -q, &inverse);
    }
    let mut w = inverse.into_array()?;
    let rows = w.as_slice_mut().expect("an inverse is row-major").par_chunks_mut(alpha.nrows());
    let targets: Vec<Vec<f64>> = alpha.columns().into_iter().map(|a| a.to_vec()).collect();
    rows.enumerate().for_each(|(i, row)| {
        row[..=i].iter_mut().for_each(|w| *w *= -q);
        for a in &targets {
            row[..=i].iter_mut().zip(a).for_each(|(w, other)| *w += a[i] * other);
        }
    });
    Ok(Matrix::from_host(w))
}
