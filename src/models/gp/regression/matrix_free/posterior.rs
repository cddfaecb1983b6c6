//! The posterior of a process whose covariance is not stored: what conjugate gradients and Lanczos quadrature found.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::params::MatrixFreeParams;
use super::system::System;
use crate::Result;
use crate::learn::ranks::Meeting;
use crate::linalg::{Certificate, CgInfo, CgSolution, LogDet};
use crate::matrix::Points;
use crate::models::gp::regression::model::GpRegressor;

#[derive(Debug)]
pub(in crate::models::gp::regression) struct MatrixFreePosterior {
    pub(super) system: System,
    pub info: CgInfo,
    pub log_det: LogDet,
}

impl MatrixFreePosterior {
    /// With `C⁻¹ b`, and its solve in the words of a factored one.
    pub fn new(
        all: &Meeting,
        model: &GpRegressor,
        points: &Points,
        b: ArrayView2<f64>,
        rank: usize,
    ) -> Result<(Self, Array2<f64>, Certificate)> {
        let system = System::new(model, points, rank)?;
        let params = &model.matrix_free;
        let solution = system.solve(all, b, params.tolerance, params)?;
        let certificate = certificate(&system, b, &solution)?;
        let log_det = system.log_det(all, params)?;
        let CgSolution { x, info } = solution;
        Ok((MatrixFreePosterior { system, info, log_det }, x, certificate))
    }

    /// From what was found before; its preconditioner is made again, in the time of a few iterations.
    #[cfg(feature = "serde")]
    pub fn restored(
        model: &GpRegressor,
        points: &Points,
        rank: usize,
        (info, log_det): (CgInfo, LogDet),
    ) -> Result<Self> {
        Ok(MatrixFreePosterior { system: System::new(model, points, rank)?, info, log_det })
    }

    /// `C⁻¹ b`, as exactly as α.
    pub fn solve(&self, b: ArrayView2<f64>, params: &MatrixFreeParams) -> Result<Array2<f64>> {
        Ok(self.system.solve(&Meeting::alone_here(), b, params.tolerance, params)?.x)
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
