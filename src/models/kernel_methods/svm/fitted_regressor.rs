//! What support vector regression has found.

use std::marker::PhantomData;

#[cfg(feature = "serde")]
use ndarray::Axis;
use ndarray::{Array, Array1, Array2, ArrayView2, Ix2};

use super::certificate::SvmCertificate;
#[cfg(feature = "serde")]
use crate::check::require;
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{Predict, Report, Reported, TargetDim};
use crate::models::kernel_methods::expansion::Expansion;
use crate::saved::Format;
use crate::{Device, Kernel, Result};

/// A fitted [`SvmRegressor`](super::SvmRegressor): `f(x) = Σ a_i k(x_i, x) + b` over the support vectors.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedSvmRegressor<D = Ix2> {
    pub(super) format: Format,
    pub(super) expansion: Expansion,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) offsets: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    pub(super) widths: Array1<f64>,
    pub(super) support: Vec<usize>,
    pub(super) certificates: Vec<SvmCertificate>,
    pub(super) report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    pub(super) device: Device,
    pub(super) targets: PhantomData<D>,
}

getters!(FittedSvmRegressor<D> {
    /// The rows of the data that have a coefficient for any target, ascending.
    support: &[usize],
    /// These rows themselves, m x d.
    support_points => expansion.points: &Array2<f64>,
    /// The coefficients of the support vectors, m x t.
    dual_coefficients => expansion.coefficients: &Array2<f64>,
    /// The offset b of each target.
    intercept => offsets: &Array1<f64>,
    /// The half width ε of the tube of each target.
    epsilon => widths: &Array1<f64>,
    /// The proof of each target's machine.
    certificates: &[SvmCertificate],
    /// Iterations, why they ended, and the objective of each target.
    report: &Report,
    /// The kernel.
    kernel => expansion.kernel: &Kernel,
    /// Where predictions are computed.
    device: &Device,
});

inherent!(FittedSvmRegressor<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D> FittedSvmRegressor<D> {
    /// The weights w of each target, t x d, if the kernel is linear: `f(x) = wᵀx + b`.
    pub fn coefficients(&self) -> Option<Array2<f64>> {
        self.expansion.linear_weights()
    }

    /// The same function, with predictions computed on another device: on a GPU in f32.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }
}

impl<D: TargetDim> Predict for FittedSvmRegressor<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Ok(D::shaped(self.expansion.at("FittedSvmRegressor::predict", &self.device, x)? + &self.offsets))
    }
}

impl<D> Reported for FittedSvmRegressor<D> {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedSvmRegressor<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedSvmRegressor<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedSvmRegressor";
        self.expansion.check()?;
        let t = self.expansion.coefficients.ncols();
        D::fits(OP, t)?;
        require(OP, self.offsets.len() == t && self.widths.len() == t, || {
            "its targets do not fit together".to_owned()
        })?;
        crate::check::numbers(OP, "an offset", self.offsets.view().insert_axis(Axis(1)))
    }
}
