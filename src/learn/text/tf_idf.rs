//! Words weighed by how rare they are.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{columns, finite, numbers, parameter};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::traits::{Fit, Transform};
use crate::saved::Format;
use crate::{Device, Result};

/// `ln(1 + x_ij) · idf_j` with `idf_j = ln(n / n_j)`, `n_j` the rows that have word j at all.
///
/// A word that all rows have weighs nothing, and neither does one that none has. `smooth` is scikit-learn's
/// `ln((1 + n)/(1 + n_j)) + 1`, `raw_counts` takes `x_ij` itself for the first factor, `unit_rows` divides each row
/// by its length; the three together are scikit-learn's default.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let counts = array![[1.0, 2.0], [1.0, 0.0]];
/// let x = TfIdfFeatures::new().fit(&Device::cpu(), &counts)?.transform(&counts)?;
/// assert!((x[[0, 1]] - 3f64.ln() * 2f64.ln()).abs() < 1e-15);
/// assert_eq!(x.row(1), array![0.0, 0.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TfIdfFeatures {
    smooth: bool,
    raw_counts: bool,
    unit_rows: bool,
}

impl TfIdfFeatures {
    /// Logarithms of both, and rows as they are.
    pub fn new() -> Self {
        TfIdfFeatures { smooth: false, raw_counts: false, unit_rows: false }
    }
}

impl Default for TfIdfFeatures {
    fn default() -> Self {
        Self::new()
    }
}

setters!(TfIdfFeatures {
    /// Whether the rarity is `ln((1 + n)/(1 + n_j)) + 1`.
    smooth: bool,
    /// Whether counts are taken as they are.
    raw_counts: bool,
    /// Whether rows are divided by their length; one without words stays zero.
    unit_rows: bool,
});

fits!(TfIdfFeatures: Fit -> FittedTfIdfFeatures);

fn counts(x: ArrayView2<f64>) -> Result<()> {
    let bad = x.indexed_iter().find(|(_, v)| **v < 0.0);
    bad.map_or(Ok(()), |((i, j), v)| {
        parameter(&format!("x[{i}, {j}]"), *v, false, "a count must not be negative")
    })
}

impl Fit for TfIdfFeatures {
    type Fitted = FittedTfIdfFeatures;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, (): &()) -> Result<FittedTfIdfFeatures> {
        finite("TfIdfFeatures::fit", "x", x)?;
        counts(x)?;
        let n = x.nrows() as f64;
        let rarity = |c: ArrayView1<f64>| {
            let with = c.iter().filter(|v| **v > 0.0).count() as f64;
            if self.smooth {
                ((1.0 + n) / (1.0 + with)).ln() + 1.0
            } else if with > 0.0 {
                (n / with).ln()
            } else {
                0.0
            }
        };
        Ok(FittedTfIdfFeatures {
            format: Format,
            model: *self,
            idf: x.columns().into_iter().map(rarity).collect(),
        })
    }
}

/// Fitted [`TfIdfFeatures`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(remote = "Self"))]
pub struct FittedTfIdfFeatures {
    format: Format,
    model: TfIdfFeatures,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    idf: Array1<f64>,
}

getters!(FittedTfIdfFeatures {
    /// The rarity of each word.
    idf: &Array1<f64>,
});

inherent!(FittedTfIdfFeatures: Transform);

impl Transform for FittedTfIdfFeatures {
    fn transform(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let op = "FittedTfIdfFeatures::transform";
        columns(op, x, self.idf.len())?;
        numbers(op, "x", x)?;
        counts(x)?;
        let mut out = if self.model.raw_counts { x.to_owned() } else { x.mapv(f64::ln_1p) } * &self.idf;
        if self.model.unit_rows {
            for mut row in out.rows_mut() {
                let length = row.dot(&row).sqrt();
                row.mapv_inplace(|v| if length > 0.0 { v / length } else { 0.0 });
            }
        }
        numbers(op, "the transformed x", out.view())?;
        Ok(out)
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedTfIdfFeatures);

#[cfg(feature = "serde")]
impl crate::saved::Checked for FittedTfIdfFeatures {
    fn check(&self) -> Result<()> {
        let fine = !self.idf.is_empty() && self.idf.iter().all(|v| *v >= 0.0 && v.is_finite());
        require("a saved FittedTfIdfFeatures", fine, || "a rarity that is none".to_owned())
    }
}
