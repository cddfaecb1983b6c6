//! The marginal likelihood and its gradient without a stored matrix.
//!
//! `log p(y) = -½ rᵀα - ½ log det C - ½ n log 2π` with an estimate for the determinant, and for the gradient
//! `½ αᵀ ∂C α - ½ tr(C⁻¹ ∂C)`, where `tr(C⁻¹ ∂C) = c tr(M⁻¹ ∂C) + E[(C⁻¹z - c M⁻¹z)ᵀ ∂C M⁻¹z]` over probes z of
//! covariance M, whatever c is: the first term is exact, from `M⁻¹ = noise⁻¹ - UUᵀ`, and the second is small where M is
//! good and c is one. Where M is poor a c of one adds variance, so that `control.rs` chooses it.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};

use super::control::coefficients;
use super::system::System;
use super::{LargeParams, OP};
use crate::kernel::Scale;
use crate::linalg::{Certificate, CgInfo, CgSolution, LogDet, dots};
use crate::models::gp::mean::{Design, Trend};
use crate::models::gp::regressor::GpRegressor;
use crate::ops::{Weights, gram_sum_grad};
use crate::{Device, Error, Matrix, Result};

/// An estimate of the log marginal likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct StochasticEvidence {
    /// `log p(y | X, θ)`, the sum over all columns of y.
    pub value: f64,
    /// Of the value, from the spread of the probes and the rounding of the determinant.
    pub standard_error: f64,
    /// By each of [`GpRegressor::theta`](super::super::GpRegressor::theta), on the scale of the optimiser.
    pub gradient: Vec<f64>,
}

/// A process conditioned on data at given hyper-parameters.
#[derive(Debug)]
pub(in crate::models::gp) struct Parts {
    pub(super) system: System,
    pub trend: Trend,
    /// `C⁻¹(y - Hβ)`, `n x q`.
    pub alpha: Array2<f64>,
    pub info: CgInfo,
    /// The same in the words of a factored solve.
    pub certificate: Certificate,
    pub log_det: LogDet,
    pub value: f64,
}

impl Parts {
    pub fn new(
        model: &GpRegressor,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        rank: usize,
        params: &LargeParams,
    ) -> Result<Self> {
        let (n, q) = y.dim();
        let system = System::new(model, device, x, rank)?;
        let design = Design::new(model.mean, x, y)?;
        let right = design.right()?;
        let solution = system.solve(right.view(), params.tolerance, params)?;
        let certificate = certificate(&system, right.view(), &solution)?;
        let CgSolution { x: solved, info } = solution;
        let (trend, alpha, residual) = design.solved(solved)?;
        let log_det = system.log_det(params)?;
        let fit: f64 = residual.iter().zip(&alpha).map(|(r, a)| r * a).sum();
        let constant = n as f64 * std::f64::consts::TAU.ln();
        let value = -0.5 * (fit + q as f64 * (log_det.value + constant));
        Ok(Parts { system, trend, alpha, info, certificate, log_det, value })
    }

    /// x, on the host.
    pub fn points(&self) -> &Matrix {
        &self.system.x_host
    }

    /// Of the value: the determinant is all that is estimated.
    pub fn standard_error(&self) -> f64 {
        0.5 * self.alpha.ncols() as f64 * self.log_det.standard_error
    }

    /// By each of `GpRegressor::theta`.
    pub fn gradient(&self, model: &GpRegressor, params: &LargeParams) -> Result<Vec<f64>> {
        let (z, m) = self.system.probes(params)?;
        let solved = self.system.solve(z.view(), params.variance_tolerance, params)?.x;
        let (q, probes) = (self.alpha.ncols() as f64, z.ncols() as f64);
        let u = self.system.inverse_factor();
        let kernel = model.kernel();
        let mut gradient = Vec::new();
        if kernel.params().iter().any(|p| !p.fixed) {
            // For every parameter of the kernel the c of its amplitude: `∂C = K` takes one product, the others many.
            let image = self.system.apply_kernel(m.view())?;
            let c = coefficients(dots(&solved, &image).view(), dots(&m, &image).view());
            let mean = c.sum() / probes;
            let correction = (&solved - &(&m * &c)) * (-q / probes);
            // The weight of each pair is the product of these two, and on the diagonal also that of `tr(noise⁻¹ ∂C)`.
            let left = joined(&[self.alpha.view(), (&u * (mean * q)).view(), correction.view()])?;
            let right = joined(&[self.alpha.view(), u.view(), m.view()])?;
            let diagonal = self.system.noise().mapv(|v| -q * mean / v);
            let on = |a: &Array2<f64>| Matrix::upload(OP, &self.system.x.device(), a.view());
            let weights = Weights::LowRank { u: &on(&left)?, v: &on(&right)? };
            let pairs = gram_sum_grad(kernel, &self.system.x, None, weights)?.gradient;
            let own = kernel.variance_gradient(self.system.x_host.cpu().view(), diagonal.view())?;
            let by_value = pairs.iter().zip(own).map(|(a, b)| a + b);
            for (p, by_value) in kernel.params().iter().zip(by_value).filter(|(p, _)| !p.fixed) {
                gradient.push(0.5 * by_value * if p.scale == Scale::Log { p.value } else { 1.0 });
            }
        }
        if let Some(noise) = model.learned_noise() {
            let (a, b) = (dots(&solved, &m), dots(&m, &m));
            let c = coefficients(a.view(), b.view());
            let inverse = self.system.noise().mapv(f64::recip).sum() - dots(&u, &u).sum();
            let trace = (&c * inverse + a - &c * &b).sum() / probes;
            gradient.push(0.5 * noise * (dots(&self.alpha, &self.alpha).sum() - q * trace));
        }
        Ok(gradient)
    }
}

/// Iterations as steps. The backward error is a bound: `‖C‖∞` is not known, but no less than its largest entry.
fn certificate(system: &System, b: ArrayView2<f64>, solution: &CgSolution) -> Result<Certificate> {
    let residuals = &solution.info.relative_residuals;
    let most = |v: ArrayView1<f64>| v.iter().fold(0f64, |m, v| m.max(v.abs()));
    let norm = system.largest()?;
    let bound = |(c, relative): (usize, &f64)| {
        let (b, x) = (b.column(c), solution.x.column(c));
        let size = norm * most(x) + most(b);
        if size > 0.0 { relative * b.dot(&b).sqrt() / size } else { 0.0 }
    };
    Ok(Certificate {
        steps: solution.info.iterations,
        backward_error: residuals.iter().enumerate().map(bound).fold(0.0, f64::max),
        relative_residual: residuals.iter().copied().fold(0.0, f64::max),
        jitter: 0.0,
        condition: f64::NAN,
        fallback: system.fallback,
    })
}

fn joined(blocks: &[ArrayView2<f64>]) -> Result<Array2<f64>> {
    concatenate(Axis(1), blocks).map_err(|e| Error::Shape { op: OP, what: e.to_string() })
}
