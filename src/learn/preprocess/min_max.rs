//! Columns between two numbers. Checked in `tests/learn/preprocess.rs` against scikit-learn.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Zip};

use super::{bounded, kept, range};
use crate::check::{blame, columns, finite, numbers, parameter};
use crate::learn::configure::getters;
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::{InverseTransform, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// `z_j = a + (b - a) (x_j - min_j) / (max_j - min_j)`: every column from a to b, 0 to 1 by default.
///
/// A constant column becomes a. New rows beyond the range land beyond [a, b].
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let fit = MinMax::new().fit(&Device::cpu(), array![[10.0], [20.0]])?;
/// assert_eq!(fit.transform(array![[12.0], [25.0]])?, array![[0.2], [1.5]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MinMax {
    low: f64,
    high: f64,
}

impl MinMax {
    /// Onto [0, 1].
    pub fn new() -> Self {
        MinMax { low: 0.0, high: 1.0 }
    }

    /// Onto [low, high].
    #[must_use]
    pub fn onto(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (low, high);
        self
    }
}

impl Default for MinMax {
    fn default() -> Self {
        Self::new()
    }
}

fits!(MinMax: Weighed -> FittedMinMax);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as the macro calls it")]
impl MinMax {
    /// Weights count where they are zero: such a row is not there.
    fn run(&self, _: &Device, x: ArrayView2<f64>, w: Option<ArrayView1<f64>>) -> Result<FittedMinMax> {
        let width = self.high - self.low;
        parameter("high - low", width, width > 0.0 && width.is_finite(), "must be positive and finite")?;
        finite("MinMax::fit", "x", x)?;
        let (x, _) = kept(x, w);
        let x = x.view();
        let (least, most) = range(x);
        if (&most - &least).iter().any(|w| !w.is_finite()) {
            return Err(blame("MinMax::fit", x));
        }
        Ok(FittedMinMax { format: Format, low: self.low, high: self.high, least, most })
    }
}

/// The ranges of columns.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedMinMax {
    format: Format,
    low: f64,
    high: f64,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    least: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    most: Array1<f64>,
}

getters!(FittedMinMax {
    /// The least value of each column.
    least: &Array1<f64>,
    /// The largest value of each column.
    most: &Array1<f64>,
});

inherent!(FittedMinMax: Transform, InverseTransform);

impl FittedMinMax {
    /// The columns that do not vary.
    pub fn constant(&self) -> Vec<usize> {
        (0..self.least.len()).filter(|&j| self.least[j] == self.most[j]).collect()
    }

    /// What each column is divided by: its width, or 1 if it has none.
    fn width(&self) -> Array1<f64> {
        let width = |a: &f64, b: &f64| if a == b { 1.0 } else { b - a };
        Zip::from(&self.least).and(&self.most).map_collect(width)
    }
}

impl Transform for FittedMinMax {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedMinMax::transform";
        columns(op, x, self.least.len())?;
        numbers(op, "x", x)?;
        bounded(op, (&x - &self.least) / &self.width() * (self.high - self.low) + self.low)
    }
}

impl InverseTransform for FittedMinMax {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedMinMax::inverse_transform";
        columns(op, z, self.least.len())?;
        numbers(op, "z", z)?;
        bounded(op, (&z - self.low) / (self.high - self.low) * &self.width() + &self.least)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedMinMax);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedMinMax {
    fn check(&self) -> Result<()> {
        let op = "a saved FittedMinMax";
        crate::check::positive("high - low", self.high - self.low)?;
        let ordered = self.least.iter().zip(&self.most).all(|(a, b)| a <= b && (b - a).is_finite());
        let fits = !self.least.is_empty() && self.least.len() == self.most.len() && ordered;
        crate::check::require(op, fits, || "the ranges of columns are not ranges".to_owned())
    }
}
