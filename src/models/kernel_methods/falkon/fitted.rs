//! What kernel ridge regression on landmarks has found.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayView2, Ix2};

#[cfg(feature = "serde")]
use crate::check::{not_negative, positive, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::plan::Plan;
use crate::learn::{Inputs, Predict, TargetDim};
use crate::linalg::{Fallback, SolveReport};
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// The function `x ↦ Σ_j a_j k(z_j, x)` over m landmarks, and how it was found.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedFalkon<D = Ix2> {
    pub(super) format: Format,
    pub(super) expansion: Expansion,
    pub(super) which: Vec<usize>,
    pub(super) penalty: f64,
    pub(super) jitter: f64,
    pub(super) plan: Plan,
    pub(super) report: SolveReport,
    pub(super) fallback: Option<Fallback>,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    pub(super) device: Device,
    pub(super) targets: PhantomData<D>,
}

getters!(FittedFalkon<D> {
    /// The coefficients a, m x t: one column for each target.
    coefficients => expansion.coefficients: &Array2<f64>,
    /// The landmarks z, m x d.
    landmarks => expansion.points: &Array2<f64>,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// The penalty λ.
    penalty: f64,
    /// The rows of x that the landmarks are.
    indices => which: &[usize],
    /// What was added to the diagonal of `K_zz`, in absolute terms: landmarks near each other make it singular.
    jitter: f64,
    /// What was done, and what it took.
    plan: &Plan,
    /// How conjugate gradients went.
    report: &SolveReport,
    /// Why the products were made in f64 on the CPU although a GPU was asked for, if they were: `K_zz` of landmarks near
    /// each other amplifies the rounding of f32 beyond what corrections can reach.
    fallback: Option<Fallback>,
    /// The device that the products ran on.
    device: &Device,
});

inherent!(FittedFalkon<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedFalkon<D> {
    type Output = Array<f64, D>;

    /// In f64 on the CPU.
    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        self.predict_on(&Device::cpu(), x)
    }
}

impl<D: TargetDim> FittedFalkon<D> {
    /// `predict` on a device; on a GPU the sum is f32, with its rounding amplified by the cancellation among the
    /// coefficients.
    ///
    /// # Errors
    /// As `predict`, and those of the device.
    pub fn predict_on(&self, device: &Device, x: impl Inputs) -> Result<Array<f64, D>> {
        self.expansion.at("FittedFalkon::predict", device, x.inputs().view()).map(D::shaped)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedFalkon<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedFalkon<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedFalkon";
        self.expansion.check()?;
        D::fits(OP, self.expansion.coefficients.ncols())?;
        let (m, held) = (self.expansion.points.nrows(), self.which.len());
        require(OP, held == m, || format!("{m} landmarks, {held} rows that they are"))?;
        not_negative("jitter", self.jitter)?;
        positive("penalty", self.penalty)
    }
}
