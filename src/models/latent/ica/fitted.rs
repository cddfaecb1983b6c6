//! What independent component analysis has learned, and what it does with data.

use ndarray::{Array1, Array2, ArrayView2, Axis};

#[cfg(feature = "serde")]
use crate::check::finite;
use crate::check::{columns, numbers, require};
use crate::learn::configure::getters;
use crate::learn::inherent::inherent;
use crate::learn::{InverseTransform, Report, Reported, Transform};
use crate::linalg::small_cholesky::Small;
use crate::models::latent::FittedPca;
use crate::models::latent::axes::sign;
use crate::models::latent::centred::project;
use crate::saved::Format;
use crate::{Device, Result};

/// A fitted mixing of independent sources.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedIca {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    unmixing: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    mixing: Array2<f64>,
    report: Report,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

getters!(FittedIca {
    /// The mean m.
    mean: &Array1<f64>,
    /// The unmixing, `k x d`: sources from data.
    unmixing: &Array2<f64>,
    /// The mixing A, `d x k`: data from sources.
    mixing: &Array2<f64>,
    /// How the fit went. The trace of `FastICA` is how far the unmixing turned, that of `InfoMax` the log-likelihood per
    /// row of the white data.
    report: &Report,
    /// Where data are processed.
    device: &Device,
});

inherent!(FittedIca: Transform, InverseTransform);

impl FittedIca {
    /// `w` unmixes what `white` has whitened.
    pub(super) fn new(device: &Device, white: &FittedPca, w: Array2<f64>, report: Report) -> Result<Self> {
        let deviations = white.explained_variance.mapv(f64::sqrt);
        // White data has the identity for its covariance, so a source has the variance of its row.
        let lengths = w.map_axis(Axis(1), |row| row.dot(&row).sqrt());
        let w = &w / &lengths.insert_axis(Axis(1));
        // W⁻¹ = (W^T W)⁻¹ W^T.
        let inverse =
            Small::new("Ica::fit, mixing", w.t().dot(&w).view())?.solve_rows(w.view()).reversed_axes();
        let mut unmixing = (&w / &deviations).dot(&white.components);
        let mut mixing = white.components.t().dot(&(&inverse * &deviations.insert_axis(Axis(1))));
        let power = mixing.map_axis(Axis(0), |c| c.dot(&c));
        let mut order: Vec<usize> = (0..power.len()).collect();
        order.sort_by(|&i, &j| power[j].total_cmp(&power[i]));
        (unmixing, mixing) = (unmixing.select(Axis(0), &order), mixing.select(Axis(1), &order));
        for (mut column, mut row) in mixing.columns_mut().into_iter().zip(unmixing.rows_mut()) {
            if sign(column.view()) < 0.0 {
                column *= -1.0;
                row *= -1.0;
            }
        }
        let (mean, device) = (white.mean.clone(), device.clone());
        Ok(FittedIca { format: Format, mean, unmixing, mixing, report, device })
    }

    /// The same mixing, with data processed on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.device = device.clone();
        self
    }
}

/// The sources `s = B (x - m)`.
impl Transform for FittedIca {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        columns("FittedIca::transform", x, self.mean.len())?;
        numbers("FittedIca::transform", "x", x)?;
        project(&self.device, x, self.mean.view(), self.unmixing.t())
    }
}

/// `x = A s + m`.
impl InverseTransform for FittedIca {
    fn inverse_transform(&self, sources: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.mixing.ncols();
        let what = || format!("there are {} columns for {k} sources", sources.ncols());
        require("FittedIca::inverse_transform", sources.ncols() == k, what)?;
        numbers("FittedIca::inverse_transform", "sources", sources)?;
        Ok(sources.dot(&self.mixing.t()) + &self.mean)
    }
}

impl Reported for FittedIca {
    fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedIca);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedIca {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedIca";
        let (k, d) = self.unmixing.dim();
        require(OP, k > 0 && k <= d && self.mixing.dim() == (d, k) && self.mean.len() == d, || {
            let (mixing, mean) = (self.mixing.dim(), self.mean.len());
            format!("{k} sources in {d} dimensions, a mixing of {mixing:?} and a mean of {mean}")
        })?;
        finite(OP, "the unmixing", self.unmixing.view())?;
        finite(OP, "the mixing", self.mixing.view())?;
        finite(OP, "the mean", self.mean.view().insert_axis(Axis(0)))
    }
}
