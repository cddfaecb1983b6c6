//! Columns of mean zero and deviation one. Checked in `tests/learn/preprocess.rs` against scikit-learn.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::{bounded, kept, range};
use crate::check::{blame, columns, numbers};
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::inherent;
use crate::learn::ranks::{Meeting, fits_across};
use crate::learn::traits::{InverseTransform, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// `z_j = (x_j - m_j) / s_j` with the mean `m_j` and the standard deviation `s_j = √(Σ(x - m)² / n)` of each column.
///
/// The `s_j` of a constant column is 1, so that it becomes zeros.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[1.0, 7.0], [3.0, 7.0]];
/// let fit = Standardise::new().fit(&Device::cpu(), &x)?;
/// assert_eq!(fit.transform(&x)?, array![[-1.0, 0.0], [1.0, 0.0]]);
/// assert_eq!(fit.inverse_transform(array![[0.0, 0.0]])?, array![[2.0, 7.0]]);
/// assert_eq!(fit.constant(), [1]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Standardise {
    centre: bool,
    scale: bool,
}

impl Standardise {
    /// Centres and scales.
    pub fn new() -> Self {
        Standardise { centre: true, scale: true }
    }
}

impl Default for Standardise {
    fn default() -> Self {
        Self::new()
    }
}

setters!(Standardise {
    /// Whether the mean is subtracted.
    centre: bool,
    /// Whether to divide by the deviation.
    scale: bool,
});

fits_across!(Standardise: Fit -> FittedStandardise);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl Standardise {
    fn run(
        &self,
        all: &Meeting,
        _: &Device,
        x: ArrayView2<f64>,
        w: Option<ArrayView1<f64>>,
    ) -> Result<FittedStandardise> {
        const OP: &str = "Standardise::fit";
        numbers(OP, "x", x)?;
        all.part(OP, x)?;
        let (x, w) = kept(x, w);
        let (x, w) = (x.view(), w.view());
        let (least, most) = range(x);
        let (least, most) = all.extent(OP, least, most)?;
        let constant: Vec<usize> = (0..x.ncols()).filter(|&j| least[j] == most[j]).collect();
        let total = all.total(OP, w.sum())?;
        // Sums of what is left after subtracting the middle of the range: exact far from the origin, and never too large.
        let middle = 0.5 * &least + 0.5 * &most;
        let moments = |about: &Array1<f64>, power: i32| -> Result<Array1<f64>> {
            let moment = |c: ArrayView1<f64>, m: f64| {
                c.iter().zip(w).map(|(v, w)| w * (v - m).powi(power)).sum::<f64>()
            };
            let own = x.axis_iter(Axis(1)).zip(about).map(|(c, m)| moment(c, *m)).collect();
            Ok(Array1::from(all.sum(OP, own)?) / total)
        };
        let mut mean = &middle + &moments(&middle, 1)?;
        let mut scale = moments(&mean, 2)?.mapv(f64::sqrt);
        for &j in &constant {
            (mean[j], scale[j]) = (least[j], 1.0);
        }
        if !self.centre {
            mean.fill(0.0);
        }
        if !self.scale {
            scale.fill(1.0);
        }
        if mean.iter().all(|m| m.is_finite()) && scale.iter().all(|s| s.is_finite() && *s > 0.0) {
            return Ok(FittedStandardise { format: Format, mean, scale, constant });
        }
        Err(blame("Standardise::fit", x))
    }
}

/// The means and deviations of columns.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedStandardise {
    format: Format,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mean: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    scale: Array1<f64>,
    constant: Vec<usize>,
}

getters!(FittedStandardise {
    /// What is subtracted from each column.
    mean: &Array1<f64>,
    /// What each column is divided by.
    scale: &Array1<f64>,
    /// The columns that do not vary: they become zeros.
    constant: &[usize],
});

inherent!(FittedStandardise: Transform, InverseTransform);

impl Transform for FittedStandardise {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedStandardise::transform";
        columns(op, x, self.mean.len())?;
        numbers(op, "x", x)?;
        bounded(op, (&x - &self.mean) / &self.scale)
    }
}

impl InverseTransform for FittedStandardise {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedStandardise::inverse_transform";
        columns(op, z, self.mean.len())?;
        numbers(op, "z", z)?;
        bounded(op, &z * &self.scale + &self.mean)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedStandardise);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedStandardise {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedStandardise";
        let d = self.mean.len();
        let fits = d > 0 && self.scale.len() == d && self.constant.iter().all(|j| *j < d);
        require(op, fits, || "means and scales of different numbers of columns".to_owned())?;
        finite(op, "mean", self.mean.view().insert_axis(Axis(1)))?;
        self.scale.iter().try_for_each(|s| crate::check::positive("scale", *s))
    }
}
