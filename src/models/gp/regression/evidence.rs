//! A process conditioned on data at given hyper-parameters, its log evidence and the gradient of that.
//!
//! `log p(y) = -½ rᵀα - ½ log det C - ½ n log 2π`, `α = C⁻¹r`, `r = y - Hβ`. β maximises it, so that its own derivative
//! by the hyper-parameters does not count.

use ndarray::{Array1, Array2, ArrayView2};
use rayon::prelude::*;

use super::dense::DensePosterior;
use super::fit::OP;
use super::matrix_free::MatrixFreePosterior;
use super::model::GpRegressor;
use crate::check::require;
use crate::learn::plan::Method;
use crate::learn::ranks::Meeting;
use crate::linalg::{Certificate, SpdFactor};
use crate::matrix::Points;
use crate::models::gp::hyper_space::by_theta;
use crate::models::gp::mean::{Design, Trend};
use crate::ops::{Trans, Weights, diagonal, gemm_add, gram_sum_grad};
use crate::{Matrix, Result};

/// The log evidence and its gradient by the free hyper-parameters, on the scale of the optimiser.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evidence {
    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub value: f64,
    /// The derivative by each entry of theta: [`GpRegressor::theta`], or that of the kernel of a classifier.
    pub gradient: Vec<f64>,
}

impl Evidence {
    pub(in crate::models::gp) fn new(value: f64, gradient: Vec<f64>) -> Self {
        Evidence { value, gradient }
    }
}

/// What predictions are made of.
#[derive(Debug)]
pub(super) enum Posterior {
    Dense(Box<DensePosterior>),
    MatrixFree(Box<MatrixFreePosterior>),
}

impl Posterior {
    /// Latent variances at the rows of `x`, and bounds of their excess if they have one.
    pub fn variances(
        &self,
        model: &GpRegressor,
        points: &Points,
        x: ArrayView2<f64>,
    ) -> Result<(Array1<f64>, Option<Array1<f64>>)> {
        match self {
            Posterior::Dense(dense) => Ok((dense.variances(&model.kernel, points, x)?, None)),
            Posterior::MatrixFree(free) => {
                let (variance, excess) = free.variances(model, points, x)?;
                Ok((variance, Some(excess)))
            }
        }
    }

    /// `C⁻¹ b`, refined against a residual in f64.
    pub fn solve(&self, model: &GpRegressor, b: ArrayView2<f64>) -> Result<Array2<f64>> {
        match self {
            Posterior::Dense(dense) => Ok(dense.factor.solve(b)?.x),
            Posterior::MatrixFree(free) => free.solve(b, &model.matrix_free),
        }
    }
}

#[derive(Debug)]
pub(super) struct Conditioned {
    pub posterior: Posterior,
    pub trend: Trend,
    /// `C⁻¹(y - Hβ)`, `n x q`.
    pub alpha: Array2<f64>,
    pub certificate: Certificate,
    pub log_evidence: f64,
}

impl Conditioned {
    /// What iterates shares its products out among ranks; a matrix that is stored, every rank factors for itself.
    pub fn new(
        all: &Meeting,
        model: &GpRegressor,
        points: &Points,
        y: ArrayView2<f64>,
        method: Method,
    ) -> Result<Self> {
        if let Method::MatrixFree { rank } = method {
            let design = Design::new(model.mean, points.host(), y)?;
            let right = design.right()?;
            let (posterior, solved, certificate) =
                MatrixFreePosterior::new(all, model, points, right.view(), rank)?;
            let log_det = posterior.log_det.value;
            return Self::assemble(
                Posterior::MatrixFree(Box::new(posterior)),
                (design, solved),
                certificate,
                log_det,
            );
        }
        // Only a device in f32 decides anything by the condition.
        let spd = model.spd.condition(model.spd.condition && points.device().is_gpu());
        let factor = SpdFactor::of_points(&model.kernel, points, model.noise.clone(), &spd)?;
        Self::with_factor(model, factor, points, y)
    }

    pub fn with_factor(
        model: &GpRegressor,
        factor: SpdFactor,
        points: &Points,
        y: ArrayView2<f64>,
    ) -> Result<Self> {
        // One solve for all right-hand sides.
        let design = Design::new(model.mean, points.host(), y)?;
        let solution = factor.solve(design.right()?.view())?;
        let log_det = factor.log_det()?;
        let posterior = Posterior::Dense(Box::new(DensePosterior { factor }));
        Self::assemble(posterior, (design, solution.x), solution.certificate, log_det)
    }

    /// From `C⁻¹[U r]` of the design.
    fn assemble(
        posterior: Posterior,
        (design, solved): (Design, Array2<f64>),
        certificate: Certificate,
        log_det: f64,
    ) -> Result<Self> {
        let (trend, alpha, residual) = design.solved(solved)?;
        let (n, q) = alpha.dim();
        let fit: f64 = residual.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let constant = n as f64 * std::f64::consts::TAU.ln();
        let log_evidence = -0.5 * (fit + q as f64 * (log_det + constant));
        require(OP, log_evidence.is_finite(), || {
            format!("log p(y) is {log_evidence}: squares of y overflow; scale the targets")
        })?;
        Ok(Conditioned { posterior, trend, alpha, certificate, log_evidence })
    }

    /// The standard error of the log evidence: the determinant is all that is estimated, once for each target.
    pub fn standard_error(&self) -> f64 {
        match &self.posterior {
            Posterior::Dense(_) => 0.0,
            Posterior::MatrixFree(free) => 0.5 * self.alpha.ncols() as f64 * free.log_det.standard_error,
        }
    }

    /// The derivative of the log evidence by each of [`GpRegressor::theta`], in the memory of the factor.
    pub fn into_gradient(self, all: &Meeting, model: &GpRegressor, points: &Points) -> Result<Vec<f64>> {
        match self.posterior {
            Posterior::Dense(dense) => {
                gradient(model, points, &self.alpha, dense.factor.into_inverse_lower()?)
            }
            Posterior::MatrixFree(free) => free.gradient(all, model, points, &self.alpha),
        }
    }
}

/// From `C⁻¹`, its lower triangle.
pub(super) fn gradient(
    model: &GpRegressor,
    points: &Points,
    alpha: &Array2<f64>,
    inverse: Matrix,
) -> Result<Vec<f64>> {
    let weights = weights(alpha, inverse)?;
    let mut gradient = Vec::new();
    if !model.kernel.theta().is_empty() {
        let x = if weights.device().is_gpu() { points.matrix()? } else { points.on_host() };
        let sum = gram_sum_grad(&model.kernel, x, None, Weights::Symmetric(&weights))?;
        gradient.extend(by_theta(&model.kernel, &sum.gradient).into_iter().map(|g| 0.5 * g));
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
        let alpha = Matrix::upload(OP, &inverse.device(), alpha.view())?;
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
