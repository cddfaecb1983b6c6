//! The class-conditional distribution as a table of all combinations: why structure is needed.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayView2};

use super::naive_bayes::{NEVER, log, possible};
#[cfg(feature = "serde")]
use crate::check::require;
use crate::check::{not_negative, parameter};
use crate::learn::classify::{
    Body, Joint, Probable, Task, classifier_fits, contrast, fitted_classifier, softmax_rows,
};
use crate::learn::configure::{getters, setters};
use crate::{Device, Result};

/// `p(x | k)` as a table over all combinations of d features of 0 and 1: `(K - 1) + K (2^d - 1)` parameters, where naive
/// Bayes has `(K - 1) + K d`.
///
/// By maximum likelihood it is the empirical distribution; with a prior count a of every combination
/// `(n_kx + a)/(n_k + a 2^d)`. Combinations that were never seen are not stored. It is computed in f64 on the CPU,
/// whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let xor = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let fit = TableClassifier::new(0.0).fit(&Device::cpu(), &xor, [false, true, true, false])?;
/// assert_eq!(fit.predict(&xor)?, [false, true, true, false]);
/// assert_eq!(TableClassifier::parameters(3, 10), Some(3071));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TableClassifier {
    smoothing: f64,
}

impl TableClassifier {
    /// With the prior count a ≥ 0 of every combination; 0 is maximum likelihood.
    pub fn new(smoothing: f64) -> Self {
        TableClassifier { smoothing }
    }

    /// Free parameters of k classes and d features; none if that is no number of 64 bits.
    pub fn parameters(classes: usize, features: usize) -> Option<u64> {
        let each = 1u64.checked_shl(u32::try_from(features).ok()?)?.checked_sub(1)?;
        (classes as u64).checked_mul(each)?.checked_add((classes as u64).checked_sub(1)?)
    }
}

setters!(TableClassifier {
    /// The prior count a of every combination.
    smoothing: f64,
});

classifier_fits!(TableClassifier: FittedTableClassifier);

/// Features of 0 and 1 as the bits of bytes.
fn patterns(x: ArrayView2<f64>) -> Result<Vec<Vec<u8>>> {
    let mut all = Vec::with_capacity(x.nrows());
    for (i, row) in x.rows().into_iter().enumerate() {
        let mut bits = vec![0u8; row.len().div_ceil(8)];
        for (j, v) in row.iter().enumerate() {
            if *v == 1.0 {
                bits[j / 8] |= 1 << (j % 8);
            } else if *v != 0.0 {
                parameter(&format!("x[{i}, {j}]"), *v, false, "must be 0 or 1")?;
            }
        }
        all.push(bits);
    }
    Ok(all)
}

impl TableClassifier {
    fn run(self, _: &Device, task: &Task) -> Result<Found> {
        not_negative("smoothing", self.smoothing)?;
        let mut table: BTreeMap<Vec<u8>, Vec<f64>> = BTreeMap::new();
        for (i, bits) in patterns(task.x.view())?.into_iter().enumerate() {
            table.entry(bits).or_insert_with(|| vec![0.0; task.classes])[task.index[i]] += task.weights[i];
        }
        let (keys, counts) = table.into_iter().unzip();
        Ok(Found { smoothing: self.smoothing, features: task.x.ncols(), keys, counts, mass: task.mass() })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    smoothing: f64,
    features: usize,
    /// Combinations in ascending order, and how often each class had them.
    keys: Vec<Vec<u8>>,
    counts: Vec<Vec<f64>>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    mass: Array1<f64>,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.features
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let joint = self.log_joint(x)?;
        possible(&joint)?;
        Ok(contrast(joint))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits =
            self.keys.len() == self.counts.len() && self.keys.is_sorted() && self.mass.len() == classes;
        let fits = fits && self.keys.iter().all(|k| k.len() == self.features.div_ceil(8));
        let counts =
            self.counts.iter().all(|c| c.len() == classes && c.iter().all(|n| *n >= 0.0 && n.is_finite()));
        require(op, fits && counts, || "a table that does not fit".to_owned())?;
        not_negative("smoothing", self.smoothing)?;
        self.mass.iter().try_for_each(|m| not_negative("class count", *m))
    }
}

impl Joint for Found {
    fn log_joint(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let (a, total) = (self.smoothing, self.mass.sum());
        let combinations = (self.features as f64).exp2();
        let nothing = vec![0.0; self.mass.len()];
        let mut out = Array2::zeros((x.nrows(), self.mass.len()));
        for (mut row, bits) in out.rows_mut().into_iter().zip(patterns(x)?) {
            let counts = self.keys.binary_search(&bits).map_or(&nothing, |at| &self.counts[at]);
            for (k, v) in row.iter_mut().enumerate() {
                // Without smoothing there is nothing to share, however many combinations there are.
                let spread = if a == 0.0 { 0.0 } else { a * combinations };
                let share = (counts[k] + a) / (self.mass[k] + spread);
                *v = (log(share) + log(self.mass[k] / total)).max(NEVER);
            }
        }
        Ok(out)
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let joint = self.log_joint(x)?;
        possible(&joint)?;
        Ok(softmax_rows(joint))
    }
}

fitted_classifier! {
    /// Fitted [`TableClassifier`]. A `log_joint` of -1e30 is that of probability zero.
    FittedTableClassifier(Found): Probable, Joint
}

getters!(FittedTableClassifier<L> {
    /// The weight of each class.
    mass => found.mass: &Array1<f64>,
});
