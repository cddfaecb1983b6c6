//! The gradient of the log evidence without a stored matrix.
//!
//! `log p(y) = -½ rᵀα - ½ log det C - ½ n log 2π` with an estimate for the determinant, and for the gradient
//! `½ αᵀ ∂C α - ½ tr(C⁻¹ ∂C)`, where `tr(C⁻¹ ∂C) = c tr(M⁻¹ ∂C) + E[(C⁻¹z - c M⁻¹z)ᵀ ∂C M⁻¹z]` over probes z of
//! covariance M, whatever c is: the first term is exact, from `M⁻¹ = noise⁻¹ - UUᵀ`, and the second is small where M is
//! good and c is one. Where M is poor a c of one adds variance, so that `control.rs` chooses it.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::control::coefficients;
use super::posterior::MatrixFreePosterior;
use crate::learn::ranks::Meeting;
use crate::linalg::dots;
use crate::matrix::Points;
use crate::models::gp::hyper_space::by_theta;
use crate::models::gp::regression::fit::OP;
use crate::models::gp::regression::model::GpRegressor;
use crate::ops::{Weights, gram_sum_grad};
use crate::{Error, Kernel, Matrix, Result};

impl MatrixFreePosterior {
    /// The derivative of the log evidence by each of `GpRegressor::theta`.
    pub fn gradient(
        &self,
        all: &Meeting,
        model: &GpRegressor,
        points: &Points,
        alpha: &Array2<f64>,
    ) -> Result<Vec<f64>> {
        let params = &model.matrix_free;
        let (z, m) = self.system.probes(params)?;
        let solved = self.system.solve(all, z.view(), params.variance_tolerance, params)?.x;
        let (q, probes) = (alpha.ncols() as f64, z.ncols() as f64);
        let u = self.system.inverse_factor();
        let kernel = model.kernel();
        let mut gradient = Vec::new();
        if !kernel.theta().is_empty() {
            // For every parameter of the kernel the c of its amplitude: `∂C = K` takes one product, the others many.
            let image = self.system.apply_kernel(all, m.view())?;
            let c = coefficients(dots(&solved, &image).view(), dots(&m, &image).view());
            let mean = c.sum() / probes;
            let correction = (&solved - &(&m * &c)) * (-q / probes);
            // The weight of each pair is the product of these two, and on the diagonal also that of `tr(noise⁻¹ ∂C)`.
            let left = joined(&[alpha.view(), (&u * (mean * q)).view(), correction.view()])?;
            let right = joined(&[alpha.view(), u.view(), m.view()])?;
            let diagonal = self.system.noise().mapv(|v| -q * mean / v);
            let pairs = self.pairs(all, kernel, points, &left, &right)?;
            let own = kernel.variance_gradient(points.host(), diagonal.view())?;
            let natural: Vec<f64> = pairs.iter().zip(own).map(|(a, b)| 0.5 * (a + b)).collect();
            gradient.extend(by_theta(kernel, &natural));
        }
        if let Some(noise) = model.learned_noise() {
            let (a, b) = (dots(&solved, &m), dots(&m, &m));
            let c = coefficients(a.view(), b.view());
            let inverse = self.system.noise().mapv(f64::recip).sum() - dots(&u, &u).sum();
            let trace = (&c * inverse + a - &c * &b).sum() / probes;
            gradient.push(0.5 * noise * (dots(alpha, alpha).sum() - q * trace));
        }
        Ok(gradient)
    }
}

impl MatrixFreePosterior {
    /// `Σ_ij (left_i·right_j) ∂k(x_i, x_j)`; each rank has a share of the i.
    fn pairs(
        &self,
        all: &Meeting,
        kernel: &Kernel,
        points: &Points,
        left: &Array2<f64>,
        right: &Array2<f64>,
    ) -> Result<Vec<f64>> {
        let on = |a: ArrayView2<f64>| Matrix::upload(OP, self.system.device(), a);
        let (x, v) = (self.system.x(points)?, on(right.view())?);
        if all.alone() {
            let weights = Weights::LowRank { u: &on(left.view())?, v: &v };
            return Ok(gram_sum_grad(kernel, x, None, weights)?.gradient);
        }
        let rows = all.share(left.nrows());
        let own = if rows.is_empty() {
            vec![0.0; kernel.params().len()]
        } else {
            let some = on(points.host().slice(s![rows.clone(), ..]))?;
            let weights = Weights::LowRank { u: &on(left.slice(s![rows, ..]))?, v: &v };
            gram_sum_grad(kernel, &some, Some(x), weights)?.gradient
        };
        all.sum(OP, own)
    }
}

fn joined(blocks: &[ArrayView2<f64>]) -> Result<Array2<f64>> {
    concatenate(Axis(1), blocks).map_err(|e| Error::Shape { op: OP, what: e.to_string() })
}
