//! The perceptron. Checked in `tests/classify/perceptron.rs` by its mistake bound.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::scores::LinearScores;
use crate::check::{parameter, positive, require};
use crate::learn::classify::{Body, Task, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::inherent::fits;
use crate::learn::{Fit, Report, Reported, Stop};
use crate::random::shuffle;
use crate::saved::Format;
use crate::{Device, Progress, Result};

/// Rosenblatt's perceptron: row after row, a misclassified one moves the plane, `w ← w + η t x̃` with t = ±1 and `x̃ = (x, 1)`.
///
/// Rows that a plane through the origin of `x̃` separates with margin γ cost at most `(R/γ)²` mistakes, R the largest
/// `‖x̃‖`. Others never end: passes are capped, and the report says so. It starts at zero, where a score of zero
/// speaks for the second class, as in every pass. Two classes alone; computed in f64 on the CPU, whatever the device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 1.0], [0.0, -2.0]];
/// let fit = Perceptron::new().fit(&Device::cpu(), &x, [1, 1, -1, -1, -1])?;
/// assert_eq!(fit.coefficients(), &array![[1.0], [1.0]]);
/// assert_eq!((fit.intercept()[0], fit.mistakes()), (-1.0, 1));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Perceptron {
    rate: f64,
    intercept: bool,
    max_passes: usize,
    shuffled: Option<u64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    progress: Progress,
}

impl Perceptron {
    /// Steps of size 1, rows in their order, at most 1000 passes.
    pub fn new() -> Self {
        Perceptron {
            rate: 1.0,
            intercept: true,
            max_passes: 1000,
            shuffled: None,
            progress: Progress::none(),
        }
    }
}

impl Default for Perceptron {
    fn default() -> Self {
        Self::new()
    }
}

setters!(Perceptron {
    /// The step η; from a start at zero it scales the result, and changes no prediction.
    rate: f64,
    /// Whether there is an intercept.
    intercept: bool,
    /// Most passes over the rows.
    max_passes: usize,
    /// The seed of a new order of the rows before each pass; none keeps theirs.
    shuffled: into Option<u64>,
    /// Called after every pass with the number of its mistakes; it can cancel.
    progress: Progress,
});

fits!(Perceptron: Classify -> FittedPerceptron);

impl<L: Ord + Clone> Fit<[L]> for Perceptron {
    type Fitted = FittedPerceptron<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedPerceptron<L>> {
        let (labels, task) = Task::new("Perceptron::fit", x, y, None)?;
        Ok(FittedPerceptron { format: Format, labels, found: self.run(&task)? })
    }
}

impl Perceptron {
    fn run(&self, task: &Task) -> Result<Found> {
        let op = "Perceptron::fit";
        positive("rate", self.rate)?;
        parameter("max_passes", self.max_passes as f64, self.max_passes > 0, "must be at least 1")?;
        require(op, task.classes == 2, || {
            format!("{} classes; put it in OneVsRest for more than two", task.classes)
        })?;
        let (n, d) = task.x.dim();
        let (mut w, mut b) = (Array1::<f64>::zeros(d), 0.0);
        let mut order: Vec<usize> = (0..n).collect();
        let (mut trace, mut mistakes, mut stop) = (Vec::new(), 0, Stop::Iterations);
        while trace.len() < self.max_passes {
            if let Some(seed) = self.shuffled {
                shuffle(&mut order, seed, trace.len() as u64);
            }
            let mut wrong = 0;
            for &i in &order {
                let row = task.x.row(i);
                let up = task.index[i] == 1;
                if (w.dot(&row) + b >= 0.0) != up {
                    let step = if up { self.rate } else { -self.rate };
                    w.scaled_add(step, &row);
                    b += if self.intercept { step } else { 0.0 };
                    wrong += 1;
                }
            }
            mistakes += wrong;
            trace.push(wrong as f64);
            self.progress.report(op, trace.len(), self.max_passes, wrong as f64)?;
            if wrong == 0 {
                stop = Stop::Converged;
                break;
            }
        }
        let scores = LinearScores::of(op, w.insert_axis(Axis(1)), Array1::from_elem(1, b))?;
        let starts = trace.last().copied().into_iter().collect();
        let report = Report { iterations: trace.len(), stop, trace, starts };
        Ok(Found { scores, mistakes, report })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    scores: LinearScores,
    mistakes: usize,
    report: Report,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.scores.coefficients().nrows()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        // A score of zero speaks for the second class, as it does while learning.
        Ok(self.scores.raw(x).mapv(|s| if s == 0.0 { f64::MIN_POSITIVE } else { s }))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        require(op, classes == 2, || format!("{classes} classes"))?;
        self.scores.check(op, 1)
    }
}

fitted_classifier! {
    /// Fitted [`Perceptron`].
    FittedPerceptron(Found)
}

getters!(FittedPerceptron<L> {
    /// The linear score, and the plane between the classes.
    scores => found.scores: &LinearScores,
    /// Steps that were made: the mistakes of all passes.
    mistakes => found.mistakes: usize,
    /// How the fit went; its objectives are the mistakes of each pass. It converged if the last pass made none.
    report => found.report: &Report,
});

impl<L> FittedPerceptron<L> {
    /// The coefficients w, `d x 1`.
    pub fn coefficients(&self) -> &Array2<f64> {
        self.found.scores.coefficients()
    }

    /// The intercept, of length 1.
    pub fn intercept(&self) -> &Array1<f64> {
        self.found.scores.intercept()
    }
}

impl<L> Reported for FittedPerceptron<L> {
    fn report(&self) -> &Report {
        &self.found.report
    }
}
