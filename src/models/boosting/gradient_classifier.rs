//! Two classes by gradient boosting. Checked in `tests/classify/boosting.rs` against scikit-learn.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::gradient::{Loss, Settings, sums};
use super::stump::Stump;
use crate::check::require;
use crate::learn::classify::{Body, Probable, Task, classifier_fits, fitted_classifier, sigmoid, softplus};
use crate::learn::configure::{getters, setters};
use crate::learn::{Report, Reported};
use crate::{Device, Progress, Result};

/// `p(second | x) = σ(f(x))`, `f = ln(n₂/n₁) + Σ_m f_m`: each stump follows the negative gradient of the logistic loss, its
/// values are one Newton step on either side, times η.
///
/// Two classes alone. It is computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
/// let y = [true, true, false, false, true, true];
/// let fit = GradientBoostingClassifier::new(50).fit(&Device::cpu(), &x, y)?;
/// assert_eq!(fit.predict(&x)?, y);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GradientBoostingClassifier {
    settings: Settings,
}

impl GradientBoostingClassifier {
    /// So many stumps, with the step η = 0.1.
    pub fn new(rounds: usize) -> Self {
        GradientBoostingClassifier { settings: Settings { rounds, rate: 0.1, progress: Progress::none() } }
    }

    fn run(&self, _: &Device, task: &Task) -> Result<Found> {
        let op = "GradientBoostingClassifier::fit";
        self.settings.check()?;
        require(op, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        let (mass, w) = (task.mass(), &task.weights);
        let total = mass.sum();
        let start = (mass[1] / mass[0]).ln();
        let t = |i: usize| task.index[i] as f64;
        let logistic = Loss {
            start,
            at: |f: &Array1<f64>| {
                (0..f.len()).map(|i| w[i] * (softplus(f[i]) - t(i) * f[i])).sum::<f64>() / total
            },
            slope: |f: &Array1<f64>| Array1::from_shape_fn(f.len(), |i| sigmoid(f[i]) - t(i)),
            side: |f: &Array1<f64>, rows: &[usize]| {
                let slope: f64 = rows.iter().map(|&i| w[i] * (t(i) - sigmoid(f[i]))).sum();
                let curvature: f64 = rows.iter().map(|&i| w[i] * sigmoid(f[i]) * sigmoid(-f[i])).sum();
                if curvature > 1e-150 { slope / curvature } else { 0.0 }
            },
        };
        let (stumps, report) = self.settings.boost(op, task.x.view(), w, &logistic)?;
        Ok(Found { features: task.x.ncols(), start, stumps, report })
    }
}

setters!(GradientBoostingClassifier {
    /// How many stumps there are.
    rounds => settings.rounds: usize,
    /// The step η in (0, 1].
    rate => settings.rate: f64,
    /// Called after every stump with the mean logistic loss; it can cancel.
    progress => settings.progress: Progress,
});

classifier_fits!(GradientBoostingClassifier: FittedGradientBoostingClassifier);

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    features: usize,
    start: f64,
    stumps: Vec<Stump>,
    report: Report,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.features
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(sums(x, self.start, &self.stumps).insert_axis(Axis(1)))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        let fits =
            classes == 2 && self.start.is_finite() && self.stumps.iter().all(|s| s.fits(self.features));
        require(op, fits, || "stumps that do not fit".to_owned())
    }
}

impl Probable for Found {
    fn probabilities(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let second = sums(x, self.start, &self.stumps).mapv(sigmoid);
        Ok(ndarray::stack![Axis(1), second.mapv(|p| 1.0 - p), second])
    }
}

fitted_classifier! {
    /// Fitted [`GradientBoostingClassifier`].
    FittedGradientBoostingClassifier(Found): Probable
}

getters!(FittedGradientBoostingClassifier<L> {
    /// The log-odds of the classes, which stumps are added to.
    start => found.start: f64,
    /// The stumps, in the order in which they were found, times η.
    stumps => found.stumps: &[Stump],
    /// How the fit went; its objectives are mean logistic losses.
    report => found.report: &Report,
});

impl<L> Reported for FittedGradientBoostingClassifier<L> {
    fn report(&self) -> &Report {
        &self.found.report
    }
}
