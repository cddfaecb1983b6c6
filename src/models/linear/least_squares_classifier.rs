//! Classes by least squares on their one-hot codes. Checked in `tests/classify/geometry.rs`.

use ndarray::{Array1, Array2, ArrayView2, Ix2};

use super::ridge::Ridge;
use super::scores::LinearScores;
use crate::check::not_negative;
use crate::learn::classify::{Body, Task, classifier_fits, contrast, fitted_classifier};
use crate::learn::configure::{getters, setters};
use crate::learn::{Fit, FitWeighted};
use crate::{Device, Result};

/// `W = X̃⁺T`: least squares of the one-hot codes T of the classes on `x̃ = (1, x)`; the largest of `Wᵀx̃` wins.
///
/// The outputs sum to one for every x but are no probabilities: they leave [0, 1], and points that are far on the right
/// side of a boundary pull it as much as points on the wrong one. A penalty λ makes it ridge regression; `fit` is that
/// of [`Ridge`], on its device.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0], [4.0, 3.0], [-2.0, 4.0]];
/// let fit = LeastSquaresClassifier::new(0.0).fit(&Device::cpu(), &x, ["a", "a", "b", "b", "c", "c"])?;
/// let y = fit.outputs(array![[-5.0, 9.0]])?;
/// assert!((y.sum() - 1.0).abs() < 1e-12 && (y[[0, 2]] - 2.07576).abs() < 1e-5);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSquaresClassifier {
    penalty: f64,
    intercept: bool,
}

impl LeastSquaresClassifier {
    /// With the penalty λ ≥ 0 of the coefficients, and an intercept.
    pub fn new(penalty: f64) -> Self {
        LeastSquaresClassifier { penalty, intercept: true }
    }
}

setters!(LeastSquaresClassifier {
    /// The penalty λ ≥ 0.
    penalty: f64,
    /// Whether there is an intercept; without one the outputs do not sum to one.
    intercept: bool,
});

classifier_fits!(LeastSquaresClassifier: FittedLeastSquaresClassifier);

impl LeastSquaresClassifier {
    fn run(&self, device: &Device, task: &Task) -> Result<Found> {
        not_negative("penalty", self.penalty)?;
        let codes = Array2::from_shape_fn((task.index.len(), task.classes), |(i, k)| {
            f64::from(u8::from(task.index[i] == k))
        });
        let ridge = Ridge::new(self.penalty).intercept(self.intercept);
        let fit = if task.kept.is_some() {
            FitWeighted::<ndarray::ArrayRef<f64, Ix2>>::fit_weighted(
                &ridge,
                device,
                task.x.view(),
                &codes,
                task.weights.view(),
            )?
        } else {
            Fit::<ndarray::ArrayRef<f64, Ix2>>::fit(&ridge, device, task.x.view(), &codes)?
        };
        let op = "LeastSquaresClassifier::fit";
        Ok(Found { scores: LinearScores::of(op, fit.coefficients().clone(), fit.intercept().clone())? })
    }
}

#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Found {
    scores: LinearScores,
}

impl Body for Found {
    fn features(&self) -> usize {
        self.scores.coefficients().nrows()
    }

    fn scores(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok(contrast(self.scores.raw(x)))
    }

    #[cfg(feature = "serde")]
    fn check(&self, op: &'static str, classes: usize) -> Result<()> {
        self.scores.check(op, classes)
    }
}

fitted_classifier! {
    /// Fitted [`LeastSquaresClassifier`].
    FittedLeastSquaresClassifier(Found)
}

getters!(FittedLeastSquaresClassifier<L> {
    /// The linear outputs, and the planes between classes.
    scores => found.scores: &LinearScores,
});

impl<L> FittedLeastSquaresClassifier<L> {
    /// The outputs `Wᵀx + b`, one column for each class.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) for another number of features, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn outputs(&self, x: impl crate::learn::Inputs) -> Result<Array2<f64>> {
        self.found.scores.scores(x)
    }

    /// The coefficients, `d x K`.
    pub fn coefficients(&self) -> &Array2<f64> {
        self.found.scores.coefficients()
    }

    /// The intercepts, one for each class.
    pub fn intercept(&self) -> &Array1<f64> {
        self.found.scores.intercept()
    }
}
