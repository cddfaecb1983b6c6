//! What kernel ridge regression has found.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayView2, Ix2};

#[cfg(feature = "serde")]
use crate::check::positive;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::plan::{Method, Plan};
use crate::learn::{Inputs, Predict, TargetDim};
use crate::linalg::SolveReport;
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// How the system was solved, how well, and where.
pub(super) struct Solved {
    pub plan: Plan,
    pub report: SolveReport,
    pub device: Device,
}

/// The function `x ↦ Σ_i a_i k(x_i, x)`, and how it was found.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedKernelRidge<D = Ix2> {
    format: Format,
    expansion: Expansion,
    penalty: f64,
    plan: Plan,
    report: SolveReport,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
    targets: PhantomData<D>,
}

getters!(FittedKernelRidge<D> {
    /// The coefficients a, n x t: one column for each target.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The points `x_i`, n x d.
    points => expansion.points: &Array2<f64>,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// The penalty λ.
    penalty: f64,
    /// What was done, and what it took.
    plan: &Plan,
    /// How the system was solved: dense or matrix-free.
    method => plan.method: Method,
    /// How good the solution is.
    report: &SolveReport,
    /// The device that the system was solved on.
    device: &Device,
});

inherent!(FittedKernelRidge<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedKernelRidge<D> {
    type Output = Array<f64, D>;

    /// In f64 on the CPU.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.predict_on(&Device::cpu(), x)
    }
}

impl<D: TargetDim> FittedKernelRidge<D> {
    pub(super) fn new(expansion: Expansion, penalty: f64, how: Solved) -> Self {
        let Solved { plan, report, device } = how;
        FittedKernelRidge { format: Format, expansion, penalty, plan, report, device, targets: PhantomData }
    }

    /// `predict` on a device. On a GPU the sum is f32: its error is about `1e-7 ‖a‖₂` times the kernel's size, which for
    /// a small penalty is much more than 1e-7 of the prediction.
    ///
    /// # Errors
    /// As `predict`, and those of the device.
    pub fn predict_on(&self, device: &Device, x: impl Inputs) -> Result<Array<f64, D>> {
        self.expansion.at("FittedKernelRidge::predict", device, x.inputs().view()).map(D::shaped)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKernelRidge<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedKernelRidge<D> {
    fn check(&self) -> Result<()> {
        self.expansion.check()?;
        D::fits("a saved FittedKernelRidge", self.expansion.coefficients.ncols())?;
        positive("penalty", self.penalty)
    }
}
