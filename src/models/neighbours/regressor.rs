//! Numbers by the nearest rows. Checked in `tests/classify/neighbours.rs` against scikit-learn.

use std::marker::PhantomData;

use ndarray::{Array, Array2, ArrayRef, ArrayView2, Ix1};

use super::search::{Vote, neighbours};
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{components, inputs, pairs};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::{fits, inherent};
use crate::learn::{Fit, Predict, TargetDim};
use crate::saved::Format;
use crate::{Device, Result};

/// `y(x) = Σ_i w_i y_i / Σ_i w_i` over the k rows nearest to x.
///
/// Neighbours are those of [`KNearest`](super::KNearest).
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0], [5.0]], array![1.0_f64, 2.0, 9.0]);
/// let fit = KNearestRegressor::new(2).fit(&Device::cpu(), &x, &y)?;
/// assert_eq!(fit.predict(array![[0.2], [9.0]])?, array![1.5, 5.5]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KNearestRegressor {
    neighbours: usize,
    vote: Vote,
}

impl KNearestRegressor {
    /// With k neighbours that count the same.
    pub fn new(k: usize) -> Self {
        KNearestRegressor { neighbours: k, vote: Vote::Uniform }
    }
}

setters!(KNearestRegressor {
    /// How many neighbours are averaged: k.
    neighbours: usize,
    /// How much each of them counts.
    vote: Vote,
});

fits!(KNearestRegressor: Regress -> FittedKNearestRegressor);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for KNearestRegressor {
    type Fitted = FittedKNearestRegressor<D>;

    fn fit(
        &self,
        device: &Device,
        x: ArrayView2<f64>,
        y: &ArrayRef<f64, D>,
    ) -> Result<FittedKNearestRegressor<D>> {
        let y = D::columns(y);
        pairs("KNearestRegressor::fit", x, y)?;
        components("neighbours", self.neighbours, x.nrows())?;
        Ok(FittedKNearestRegressor {
            format: Format,
            model: *self,
            data: x.to_owned(),
            targets: y.to_owned(),
            device: device.clone(),
            dimension: PhantomData,
        })
    }
}

/// Fitted [`KNearestRegressor`]: the rows themselves.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(remote = "Self", bound = "")
)]
pub struct FittedKNearestRegressor<D = Ix1> {
    format: Format,
    model: KNearestRegressor,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    data: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    targets: Array2<f64>,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
    dimension: PhantomData<D>,
}

getters!(FittedKNearestRegressor<D> {
    /// Where neighbours are searched for.
    device: &Device,
});

inherent!(FittedKNearestRegressor<D: TargetDim>: Predict -> Array<f64, D>, R2);

impl<D: TargetDim> Predict for FittedKNearestRegressor<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        const OP: &str = "FittedKNearestRegressor::predict";
        inputs(OP, x, self.data.ncols())?;
        let (rows, squares) = neighbours(OP, &self.device, x, self.data.view(), self.model.neighbours)?;
        let mut out = Array2::zeros((x.nrows(), self.targets.ncols()));
        for (i, mut row) in out.rows_mut().into_iter().enumerate() {
            let weights = self.model.vote.weights(&squares.row(i).to_vec());
            let sum: f64 = weights.iter().sum();
            for (&j, w) in rows.row(i).iter().zip(&weights) {
                row.scaled_add(w / sum, &self.targets.row(j));
            }
        }
        Ok(D::shaped(out))
    }
}

#[cfg(feature = "serde")]
crate::saved::saved!(FittedKNearestRegressor<D: TargetDim>);

#[cfg(feature = "serde")]
impl<D: TargetDim> crate::saved::Checked for FittedKNearestRegressor<D> {
    fn check(&self) -> Result<()> {
        const OP: &str = "a saved FittedKNearestRegressor";
        D::fits(OP, self.targets.ncols())?;
        pairs(OP, self.data.view(), self.targets.view())?;
        require(OP, self.model.neighbours > 0, || "no neighbours".to_owned())?;
        components("neighbours", self.model.neighbours, self.data.nrows())
    }
}
