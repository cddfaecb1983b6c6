//! Boosting by the exponential loss. Checked in `tests/classify/boosting.rs` against scikit-learn and its own bound.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::stump::{Sorted, Stump};
use crate::check::{parameter, require, room};
use crate::learn::classify::{Body, Probable, Task, classifier_fits, fitted_classifier, sigmoid};
use crate::learn::configure::{getters, setters};
use crate::learn::{Report, Reported, Stop};
use crate::{Device, Progress, Result};

/// `a(x) = Σ_m π_m f_m(x)` over stumps `f_m = ±1`: each minimises the error with weights `exp(-t_i a(x_i))` so far, and
/// `π_m = ½ ln((1 - ε_m)/ε_m)`.
///
/// The share of rows that are wrong is at most the mean exponential loss, which is `Π_m 2√(ε_m(1 - ε_m))`. It ends when a
/// stump makes no error or no stump is better than chance. Features are sorted once. `p(second | x) = σ(2a(x))`. Two
/// classes alone; computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
/// let y = [false, false, true, false, true, true];
/// let fit = AdaBoost::new(20).fit(&Device::cpu(), &x, y)?;
/// assert!(fit.score(&x, y)? > 0.8);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AdaBoost {
    rounds: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl AdaBoost {
    /// So many stumps at most.
    pub fn new(rounds: usize) -> Self {
        AdaBoost { rounds, progress: Progress::none() }
    }
}

setters!(AdaBoost {
    /// How many stumps there are at most.
    rounds: usize,
    /// Called after every stump with the mean exponential loss; it can cancel.
    progress: Progress,
});

classifier_fits!(AdaBoost: FittedAdaBoost);

impl AdaBoost {
    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        let op = "AdaBoost::fit";
        parameter("rounds", self.rounds as f64, self.rounds > 0, "must be at least 1")?;
        room("rounds", self.rounds, 64)?;
        require(op, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        let t: Array1<f64> = task.index.iter().map(|k| if *k == 1 { 1.0 } else { -1.0 }).collect();
        let sorted = Sorted::new(task.x.view());
        let mut w = &task.weights / task.weights.sum();
        let (mut stumps, mut shares, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut loss, mut stop) = (1.0, Stop::Iterations);
        let mut trace = vec![loss];
        for round in 0..self.rounds {
            let Some((stump, error)) = sorted.best_sign(&t, &w).filter(|(_, error)| *error < 0.5 - 1e-12)
            else {
                stop = Stop::Stalled;
                break;
            };
            // Without an error the share would be infinite; this one decides against all others.
            let least = error.max(1e-12);
            let share = 0.5 * ((1.0 - least) / least).ln();
            loss *= 2.0 * (error.max(0.0) * (1.0 - error)).sqrt();
            let said = sorted.apply(&stump);
            w = &w * &(-share * &t * &said).mapv(f64::exp);
            w /= w.sum();
            stumps.push(stump);
            shares.push(share);
            errors.push(error.max(0.0));
            trace.push(loss);
            self.progress.report(op, round + 1, self.rounds, loss)?;
            if error <= 1e-12 {
                stop = Stop::Converged;
                break;
            }
        }
        if stumps.is_empty() {
            // No feature tells the classes apart: the larger one everywhere.
            let mass = task.mass();
            let prior = 0.5 * (mass[1] / mass[0]).ln();
            shares.push(prior);
        }
        let report = Report { iterations: stumps.len(), stop, trace, starts: vec![loss] };
        let features = task.x.ncols();
        Ok(Found { features, stumps, shares: shares.into(), errors: errors.into(), report })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    features: usize,
    stumps: Vec<Stump>,
    /// One for each stump; a constant if there are none.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    shares: Array1<f64>,
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::vector"))]
    errors: Array1<f64>,
    report: Report,
}

impl Found {
    fn activation(&self, x: ArrayView2<f64>) -> Array1<f64> {
        if self.stumps.is_empty() {
            return Array1::from_elem(x.nrows(), self.shares[0]);
        }
        let at = |row: ndarray::ArrayView1<f64>| {
            self.stumps.iter().zip(&self.shares).map(|(s, p)| p * s.at(row)).sum()
        };
        x.rows().into_iter().map(at).collect()
    }
}

impl Body for Found {
    fn features(&self) -> usize {
        self.features
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(self.activation(x).insert_axis(Axis(1)))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits = classes == 2
            && self.shares.len() == self.stumps.len().max(1)
            && self.errors.len() == self.stumps.len();
        let fine =
            self.stumps.iter().all(|s| s.fits(self.features)) && self.shares.iter().all(|s| s.is_finite());
        require(op, fits && fine, || "stumps and shares that do not fit".to_owned())
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let second = self.activation(x).mapv(|a| sigmoid(2.0 * a));
        Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second])
    }
}

fitted_classifier! {
    /// Fitted [`AdaBoost`].
    FittedAdaBoost(Found): Probable
}

getters!(FittedAdaBoost<L> {
    /// The stumps, in the order in which they were found; -1 speaks for the first class.
    stumps => found.stumps: &[Stump],
    /// The share `π_m` of each stump; a single constant if there is no stump.
    shares => found.shares: &Array1<f64>,
    /// The weighted error `ε_m` of each stump.
    errors => found.errors: &Array1<f64>,
    /// How the fit went; its objectives are bounds `Π 2√(ε(1 - ε))` of the training error.
    report => found.report: &Report,
});

impl<L> Reported for FittedAdaBoost<L> {
    fn report(&self) -> &Report {
        &self.found.report
    }
}
