//! `C = K + noise` as an operator: in f64 on the CPU, in f32 on a device, and roughly as a low rank plus noise.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::params::MatrixFreeParams;
use crate::check::parameter;
use crate::learn::ranks::Meeting;
use crate::linalg::{
    CgParams, CgSolution, Covariance, Fallback, KernelOperator, LogDet, LowRankPlusDiagonal, Operator,
    Preconditioner, lanczos_log_det, pivoted_cholesky, refined_conjugate_gradients, rounding_error,
};
use crate::matrix::Points;
use crate::models::gp::regression::model::GpRegressor;
use crate::models::kernel_methods::split_kernel::SplitKernel;
use crate::{Device, Matrix, Precision, Result};

/// Residual trace of the preconditioner's factor, relative to K's, beyond which more columns add nothing.
const ENOUGH: f64 = 1e-10;
/// What inputs rounded to f32 may do to a kernel value, relative to the diagonal, if products are to be made of them: no
/// residual in f64 stands behind a determinant.
const MOVED: f64 = 1e-4;

#[derive(Debug)]
pub(super) struct System {
    exact: KernelOperator,
    /// The same on a GPU; none if that is not where it runs.
    fast: Option<KernelOperator>,
    preconditioner: LowRankPlusDiagonal,
    /// Why the products are made in f64 on the CPU although a GPU was asked for, if they are.
    pub fallback: Option<Fallback>,
    device: Device,
}

impl System {
    pub fn new(model: &GpRegressor, points: &Points, rank: usize) -> Result<Self> {
        let operator = |x: &Matrix| KernelOperator::new(&model.kernel, x, model.noise.clone());
        let exact = operator(points.on_host())?;
        let least = exact.noise().fold(f64::INFINITY, |m, v| m.min(*v));
        let requirement = "must be positive where the covariance is not stored, jitter or not";
        parameter("noise", least, least > 0.0, requirement)?;
        // In f64 whatever the device: its n x r kernel values are nothing beside one product.
        let low_rank = pivoted_cholesky(&exact.without_noise(), rank, ENOUGH)?;
        let preconditioner = LowRankPlusDiagonal::new(&low_rank, exact.noise().view())?;
        let x = points.host();
        let on_gpu = points.device().is_gpu();
        // Written so that a NaN is too much.
        let in_place = !on_gpu || rounding_error(&model.kernel, points.shift(), x, x)? <= MOVED;
        let device = if in_place { points.device().clone() } else { Device::cpu() };
        let fast = if device.is_gpu() { Some(operator(points.matrix()?)?) } else { None };
        let fallback = (!in_place).then_some(Fallback::Inputs);
        Ok(System { exact, fast, preconditioner, fallback, device })
    }

    /// Where the products run.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// x where the products run.
    pub fn x<'a>(&self, points: &'a Points) -> Result<&'a Matrix> {
        if self.device.is_gpu() { points.matrix() } else { Ok(points.on_host()) }
    }

    fn fast(&self) -> &KernelOperator {
        self.fast.as_ref().unwrap_or(&self.exact)
    }

    pub fn noise(&self) -> &Array1<f64> {
        self.exact.noise()
    }

    /// `C⁻¹ b`, the residual measured in f64; the rows of C are shared out among ranks.
    pub fn solve(
        &self,
        all: &Meeting,
        b: ArrayView2<f64>,
        tolerance: f64,
        params: &MatrixFreeParams,
    ) -> Result<CgSolution> {
        let cg = CgParams::new()
            .tolerance(Some(tolerance))
            .max_iterations(params.max_iterations)
            .accept_unconverged(false)
            .progress(params.progress.clone());
        if !all.alone() {
            let split = SplitKernel::new(all, &self.exact, Precision::Double)?;
            return refined_conjugate_gradients(&split, &split, b, &self.preconditioner, &cg);
        }
        refined_conjugate_gradients(self.fast(), &self.exact, b, &self.preconditioner, &cg)
    }

    /// `C v` in f64.
    pub fn apply(&self, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        self.exact.apply(v)
    }

    /// The largest entry of its diagonal.
    pub fn largest(&self) -> Result<f64> {
        Ok(self.exact.diagonal()?.fold(0.0, |m: f64, v| m.max(*v)))
    }

    pub fn log_det(&self, all: &Meeting, params: &MatrixFreeParams) -> Result<LogDet> {
        if !all.alone() {
            return lanczos_log_det(
                &SplitKernel::new(all, &self.exact, Precision::Double)?,
                &self.preconditioner,
                &params.log_det,
            );
        }
        lanczos_log_det(self.fast(), &self.preconditioner, &params.log_det)
    }

    /// `K v`, as exactly as the device has it.
    pub fn apply_kernel(&self, all: &Meeting, v: ArrayView2<f64>) -> Result<Array2<f64>> {
        let product = if all.alone() {
            self.fast().apply(v)?
        } else {
            SplitKernel::new(all, &self.exact, Precision::Double)?.apply(v)?
        };
        Ok(product - &v * &self.noise().view().insert_axis(Axis(1)))
    }

    /// The probes z of the log-determinant and `M⁻¹ z`.
    pub fn probes(&self, params: &MatrixFreeParams) -> Result<(Array2<f64>, Array2<f64>)> {
        let (n, count, seed) = (self.exact.dim(), params.log_det.probes, params.log_det.seed);
        let z = self.preconditioner.draw(n, count, seed)?;
        let m = self.preconditioner.solve(z.view())?;
        Ok((z, m))
    }

    /// U with `M⁻¹ = noise⁻¹ - U Uᵀ`.
    pub fn inverse_factor(&self) -> Array2<f64> {
        self.preconditioner.inverse_factor()
    }
}
