//! A column of ones. Checked in `tests/learn/preprocess.rs`.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use crate::check::{columns, finite, numbers};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::{InverseTransform, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// `(1, x)`: a column of ones in front, for models without an intercept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BiasColumn;

fits!(BiasColumn: Weighed -> FittedBiasColumn);

#[allow(clippy::trivially_copy_pass_by_ref, clippy::unused_self, reason = "as the macro calls it")]
impl BiasColumn {
    fn run(&self, _: &Device, x: ArrayView2<f64>, _: Option<ArrayView1<f64>>) -> Result<FittedBiasColumn> {
        finite("BiasColumn::fit", "x", x)?;
        Ok(FittedBiasColumn { format: Format, features: x.ncols() })
    }
}

/// The number of features that ones are put in front of.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FittedBiasColumn {
    format: Format,
    features: usize,
}

inherent!(FittedBiasColumn: Transform, InverseTransform);

impl Transform for FittedBiasColumn {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedBiasColumn::transform";
        columns(op, x, self.features)?;
        numbers(op, "x", x)?;
        let ones = Array2::ones((x.nrows(), 1));
        Ok(concatenate(Axis(1), &[ones.view(), x]).expect("both have the rows of x"))
    }
}

impl InverseTransform for FittedBiasColumn {
    fn inverse_transform(&self, z: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedBiasColumn::inverse_transform";
        columns(op, z, self.features.saturating_add(1))?;
        numbers(op, "z", z)?;
        Ok(z.slice(s![.., 1..]).to_owned())
    }
}
