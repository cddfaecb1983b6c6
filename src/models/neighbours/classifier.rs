//! Classes by the nearest rows. Checked in `tests/classify/neighbours.rs` against scikit-learn.

use ndarray::{Array2, ArrayView2, Axis};

use super::search::{Vote, neighbours};
use crate::check::components;
#[cfg(feature = "serde")]
use crate::check::{finite, require};
use crate::learn::classify::{Body, Probable, Task, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::fits;
use crate::learn::{Fit, Inputs};
use crate::saved::Format;
use crate::{Device, Result};

/// The class that most of the k nearest rows have; `p(class | x)` is their share.
///
/// Distances are Euclidean; of rows at the same distance the one with the lower index is nearer, and of classes with the
/// same share the first wins. All rows are kept. Searches run on the device: a GPU finds neighbours in f32, and the CPU
/// in f64.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [10.0], [11.0]];
/// let fit = KNearest::new(3).fit(&Device::cpu(), &x, ["a", "a", "b", "b", "b"])?;
/// assert_eq!(fit.predict(array![[0.4], [9.0]])?, ["a", "b"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KNearest {
    neighbours: usize,
    vote: Vote,
}

impl KNearest {
    /// With k neighbours that count the same.
    pub fn new(k: usize) -> Self {
        KNearest { neighbours: k, vote: Vote::Uniform }
    }
}

setters!(KNearest {
    /// How many neighbours vote: k.
    neighbours: usize,
    /// How much each of them counts.
    vote: Vote,
});

fits!(KNearest: Classify -> FittedKNearest);

impl<L: Ord + Clone> Fit<[L]> for KNearest {
    type Fitted = FittedKNearest<L>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedKNearest<L>> {
        let (labels, task) = Task::new("KNearest::fit", x, y, None)?;
        components("neighbours", self.neighbours, x.nrows())?;
        let (data, device) = (x.to_owned(), device.clone());
        let found = Found { model: *self, data, index: task.index, classes: task.classes, device };
        Ok(FittedKNearest { format: Format, labels, found })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    model: KNearest,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::matrix"))]
    data: Array2<f64>,
    index: Vec<usize>,
    classes: usize,
    #[cfg_attr(feature = "serde", serde(skip, default = "Device::cpu"))]
    device: Device,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.data.ncols()
    }

    /// Shares of votes; of two classes that of the second less that of the first.
    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(crate::learn::classify::contrast(self.probabilities(x)?))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits = self.classes == classes && self.index.len() == self.data.nrows();
        require(op, fits && self.index.iter().all(|k| *k < classes), || {
            "classes that do not fit the rows".to_owned()
        })?;
        components("neighbours", self.model.neighbours, self.data.nrows())?;
        finite(op, "the rows", self.data.view())
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let k = self.model.neighbours;
        let (rows, squares) = neighbours("FittedKNearest::predict", &self.device, x, self.data.view(), k)?;
        let mut out = Array2::zeros((x.nrows(), self.classes));
        for (i, mut row) in out.axis_iter_mut(Axis(0)).enumerate() {
            let weights = self.model.vote.weights(&squares.row(i).to_vec());
            for (&j, w) in rows.row(i).iter().zip(&weights) {
                row[self.index[j]] += w;
            }
            let sum = row.sum();
            row /= sum;
        }
        Ok(out)
    }
}

fitted_classifier! {
    /// Fitted [`KNearest`]: the rows themselves.
    FittedKNearest(Found): Probable
}

getters!(FittedKNearest<L> {
    /// Where neighbours are searched for.
    device => found.device: &Device,
});

impl<L> FittedKNearest<L> {
    /// The classifier on another device.
    #[must_use]
    pub fn on(mut self, device: &Device) -> Self {
        self.found.device = device.clone();
        self
    }

    /// The indices of the k nearest rows of the fit for each row of `x`, nearest first, and their distances: `m x k`.
    ///
    /// # Errors
    /// As `predict`.
    pub fn neighbours(&self, x: impl Inputs) -> Result<(Array2<usize>, Array2<f64>)> {
        let x = x.inputs();
        let op = "FittedKNearest::neighbours";
        crate::check::inputs(op, x.view(), self.found.data.ncols())?;
        let k = self.found.model.neighbours;
        let (rows, squares) = neighbours(op, &self.found.device, x.view(), self.found.data.view(), k)?;
        Ok((rows, squares.mapv(f64::sqrt)))
    }
}
