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

/// The function `x ↦ Σ_i a_i k(x_i, x)`, and how it was found.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self", bound = ""))]
pub struct FittedKernelRidge<D = Ix2> {
    format: Format,
    expansion: Expansion,
    penalty: f64,
    plan: Plan,
    report: SolveReport,
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
    pub(super) fn new(expansion: Expansion, penalty: f64, plan: Plan, report: SolveReport) -> Self {
        FittedKernelRidge { format: Format, expansion, penalty, plan, report, targets: PhantomData }
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
