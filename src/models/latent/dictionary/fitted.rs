//! What dictionary learning has learned, and the codes of rows.

use ndarray::{Array2, ArrayView2};

use super::code::SparseCoder;
use super::model::{Sparsity, encode};
use crate::check::{finite, inputs};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{InverseTransform, Report, Reported, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// A fitted [`DictionaryLearning`](super::DictionaryLearning).
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedDictionary {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    atoms: Array2<f64>,
    sparsity: Sparsity,
    coder: SparseCoder,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedDictionary {
    /// The atoms, k x d.
    atoms: &Array2<f64>,
    /// How the fit went; the trace is the objective.
    report: &Report,
    /// Where codes are found.
    device: &Device,
});

inherent!(FittedDictionary: Transform, InverseTransform);

impl FittedDictionary {
    pub(super) fn new(
        device: &Device,
        atoms: Array2<f64>,
        (sparsity, coder): (Sparsity, SparseCoder),
        report: Report,
    ) -> Self {
        FittedDictionary { format: Format, atoms, sparsity, coder, report, device: device.clone() }
    }

    /// The same atoms, with codes found on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }
}

impl Transform for FittedDictionary {
    /// The codes of rows.
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedDictionary::transform", x, self.atoms.ncols())?;
        let start = Array2::zeros((x.nrows(), self.atoms.nrows()));
        let z = encode(&self.device, (self.sparsity, self.coder), self.atoms.view(), x, start)?;
        finite("FittedDictionary::transform", "the codes", z.view())?;
        Ok(z)
    }
}

impl InverseTransform for FittedDictionary {
    /// Sums of atoms.
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        inputs("FittedDictionary::inverse_transform", z, self.atoms.nrows())?;
        Ok(z.dot(&self.atoms))
    }
}

impl Reported for FittedDictionary {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedDictionary);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedDictionary {
    fn check(&self) -> Result<()> {
        finite("a saved FittedDictionary", "the atoms", self.atoms.view())
    }
}
