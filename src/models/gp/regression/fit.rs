//! The fit of a process, of one process and of several ranks. Checked in `tests/gp` and `tests/ranks/suite/kernels.rs`.

use ndarray::{ArrayRef, ArrayView2};

use super::evidence::{Conditioned, Evidence};
use super::fitted::FittedGp;
use super::model::GpRegressor;
use crate::check::require;
use crate::learn::inherent::fits;
use crate::learn::plan::{Method, Plan};
use crate::learn::ranks::{Meeting, across};
use crate::learn::{Fit, TargetDim};
use crate::matrix::Points;
use crate::models::kernel_methods::split_kernel::gathered;
use crate::{Device, Result};

pub(super) const OP: &str = "GpRegressor::fit";

fits!(GpRegressor: Regress -> FittedGp);
across!(GpRegressor: Regress -> FittedGp);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for GpRegressor {
    type Fitted = FittedGp<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<FittedGp<D>> {
        self.run_across(&Meeting::alone_here(), device, x, D::columns(y))
    }
}

impl GpRegressor {
    /// Among several ranks every one has all points, on the CPU. Where the covariance is not stored each makes a share of
    /// the rows of all products; where it is, each factors it for itself. Noise of each observation is that of all rows,
    /// in the order of ranks.
    fn run_across<D: TargetDim>(
        &self,
        all: &Meeting,
        device: &Device,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
    ) -> Result<FittedGp<D>> {
        let part = all.pairs(OP, x, y)?;
        self.matrix_free.check()?;
        // Out of order it is refused even where nothing is added.
        self.spd.jitter.rungs()?;
        let space = self.space(part.total)?;
        let cpu = Device::cpu();
        let device = if all.alone() { device } else { &cpu };
        let (x, y, _) = gathered(all, OP, part, (x, y, None), self.budget)?;
        let (x, y) = (x.view(), y.view());
        let (points, plan) = self.place(OP, device, x, y.ncols())?;
        let stored = all.alone() || plan.method == Method::Dense;
        require(OP, stored || !self.kernel.has_white_noise(), || {
            "white noise in the kernel: ranks have it as the noise of the model".to_owned()
        })?;
        let start = self.theta();
        let Some(minimiser) = self.minimiser.as_ref().filter(|_| !start.is_empty()) else {
            return FittedGp::new(all, self.clone(), points, y, plan, None);
        };
        let sparing = GpRegressor { spd: self.spd.condition(false), ..self.clone() };
        let minimum = minimiser.run(&start, &space.bounds, |theta| {
            let found = sparing.with_theta(theta)?.evidence(all, &points, y, plan.method)?;
            Ok(space.objective(theta, (found.value, found.gradient)))
        })?;
        FittedGp::new(all, self.with_theta(&minimum.point)?, points, y, plan, Some(minimum))
    }

    /// The evidence and its gradient where the points are.
    pub(super) fn evidence(
        &self,
        all: &Meeting,
        points: &Points,
        y: ArrayView2<f64>,
        method: Method,
    ) -> Result<Evidence> {
        // The gradient needs the inverse: on a GPU it is there for the solves too.
        let inverted = GpRegressor { spd: self.spd.inverted(), ..self.clone() };
        let conditioned = Conditioned::new(all, &inverted, points, y, method)?;
        let value = conditioned.log_evidence;
        Ok(Evidence { value, gradient: conditioned.into_gradient(all, self, points)? })
    }

    /// The data where a fit will run, and what it will do there.
    pub(super) fn place(
        &self,
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        targets: usize,
    ) -> Result<(Points, Plan)> {
        let plan = self.plan(device, x.nrows(), x.ncols(), targets);
        let flops = plan.flops + plan.flops_per_iteration;
        let points = Points::new(op, device, x, self.kernel.origin(), flops)?;
        let plan = self.plan(points.device(), x.nrows(), x.ncols(), targets);
        Ok((points, plan))
    }
}
