//! `(K + λ S⁻¹) a = y`, by the method that the plan names.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::fitted::Solved;
use super::model::{KernelRidge, KernelSolver, OP};
use crate::learn::plan::Method;
use crate::learn::ranks::Meeting;
use crate::linalg::{
    CgParams, KernelOperator, LowRankPlusDiagonal, Noise, SolveReport, SpdFactor, SpdParams,
    conjugate_gradients, pivoted_cholesky, refined_conjugate_gradients, solve_mixed,
};
use crate::matrix::Points;
use crate::models::kernel_methods::split_kernel::SplitKernel;
use crate::ops::gram;
use crate::saved::{Checkpoint, garbled};
use crate::{Device, Matrix, Precision, Result};

/// Observations from which half the arithmetic is worth a few products more.
const LARGE: usize = 1000;

impl KernelRidge {
    pub(super) fn solve(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<(Array2<f64>, Solved)> {
        let noise = match w {
            None => Noise::Same(self.penalty),
            Some(w) => Noise::Each(w.iter().map(|w| self.penalty / w).collect()),
        };
        if !all.alone() {
            return self.split_solve(all, device, x, y, noise);
        }
        let plan = self.plan(device, x.nrows(), x.ncols(), y.ncols());
        self.affords(&plan)?;
        let device = device.suited_to(plan.flops + plan.flops_per_iteration);
        if let Method::MatrixFree { rank } = plan.method {
            let (a, report, device) = self.matrix_free_solve(&device, x, y, noise, rank)?;
            return Ok((a, Solved { plan, report, device }));
        }
        if !device.is_gpu() && x.nrows() >= LARGE {
            let points = Matrix::from_array(&device, x)?;
            let mut k = gram(&self.kernel, &points, None)?.into_array()?;
            let noise = KernelOperator::new(&self.kernel, &points, noise.clone())?.noise().clone();
            k.diag_mut().zip_mut_with(&noise, |k, noise| *k += noise);
            if let Some(found) = solve_mixed(&k, y)? {
                return Ok((found.x, Solved { plan, report: SolveReport::Iterative(found.info), device }));
            }
        }
        let factor = SpdFactor::of_kernel(&device, &self.kernel, x, noise, &SpdParams::default())?;
        let solution = factor.solve(y)?;
        let device = if solution.certificate.fallback.is_some() { Device::cpu() } else { device };
        Ok((solution.x, Solved { plan, report: SolveReport::Direct(solution.certificate), device }))
    }

    /// The same with the rows of K shared out among ranks, each of which multiplies on its device; residuals are in f64.
    fn split_solve(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        noise: Noise,
    ) -> Result<(Array2<f64>, Solved)> {
        let free = self.clone().solver(KernelSolver::MatrixFree);
        let plan = free.plan(device, x.nrows(), x.ncols(), y.ncols());
        self.affords(&plan)?;
        let Method::MatrixFree { rank } = plan.method else { return Err(garbled()) };
        let device = device.suited_to((plan.flops + plan.flops_per_iteration) / all.size() as f64);
        let points = Points::new(OP, &device, x, self.kernel.origin(), f64::INFINITY)?;
        let device = points.device().clone();
        let single = all.any(OP, device.is_gpu())?;
        let exact = KernelOperator::new(&self.kernel, points.on_host(), noise.clone())?;
        let low_rank = pivoted_cholesky(&exact.without_noise(), rank, 1e-12)?;
        let preconditioner = LowRankPlusDiagonal::new(&low_rank, exact.noise().view())?;
        let file = self.known_by(x).map(|file| all.checkpoint(&file)).transpose()?;
        let params = self.cg().checkpoint(file.clone());
        let measured = SplitKernel::new(all, &exact, Precision::Double)?;
        let found = if single {
            let here = KernelOperator::new(&self.kernel, points.matrix()?, noise)?;
            let fast = SplitKernel::new(all, &here, Precision::Single)?;
            refined_conjugate_gradients(&fast, &measured, y, &preconditioner, &params)?
        } else {
            conjugate_gradients(&measured, y, &preconditioner, &params)?
        };
        file.map_or(Ok(()), |file| file.done())?;
        Ok((found.x, Solved { plan, report: SolveReport::Iterative(found.info), device }))
    }

    fn cg(&self) -> CgParams {
        CgParams::new()
            .tolerance(self.tolerance)
            .max_iterations(self.max_iterations)
            .accept_unconverged(false)
            .progress(self.progress.clone())
    }

    /// The checkpoint of these settings and points; the equations themselves are known by their solver.
    fn known_by(&self, x: ArrayView2<f64>) -> Option<Checkpoint> {
        let settings = (&self.kernel, self.penalty, self.solver, self.budget);
        self.checkpoint.clone().map(|file| file.of(&settings).of_rows(x))
    }

    fn matrix_free_solve(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        noise: Noise,
        rank: usize,
    ) -> Result<(Array2<f64>, SolveReport, Device)> {
        let points = Points::new(OP, device, x, self.kernel.origin(), f64::INFINITY)?;
        let exact = KernelOperator::new(&self.kernel, points.on_host(), noise.clone())?;
        let preconditioner = {
            // In f64 whatever the device: its n x r kernel values are nothing beside one product.
            let low_rank = pivoted_cholesky(&exact.without_noise(), rank, 1e-12)?;
            LowRankPlusDiagonal::new(&low_rank, exact.noise().view())?
        };
        let file = self.known_by(x);
        let params = self.cg().checkpoint(file.clone());
        let found = if points.device().is_gpu() {
            let fast = KernelOperator::new(&self.kernel, points.matrix()?, noise)?;
            refined_conjugate_gradients(&fast, &exact, y, &preconditioner, &params)?
        } else {
            refined_conjugate_gradients(&exact, &exact, y, &preconditioner, &params)?
        };
        file.map_or(Ok(()), |file| file.done())?;
        Ok((found.x, SolveReport::Iterative(found.info), points.device().clone()))
    }
}
