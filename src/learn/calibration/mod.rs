//! Probabilities that mean what they say: maps from scores to probabilities, learned from scores and outcomes. Checked in
//! `tests/classify/calibration.rs` against scikit-learn.
//!
//! | map | of |
//! |---|---|
//! | [`Platt`] | a score of the second of two classes, to `σ(a s + b)` |
//! | [`Isotonic`] | the same, to the nearest function that never falls |
//! | [`Temperature`] | scores of any number of classes, to `softmax(s / T)` |
//! | [`Calibrated`] | a classifier and one of the first two, learned on other rows than the classifier was |

mod calibrated;
mod isotonic;
mod platt;
mod temperature;

pub use calibrated::{Calibrated, CalibrationMap, FittedCalibrated};
pub use isotonic::Isotonic;
pub use platt::Platt;
pub use temperature::Temperature;

use ndarray::{Array1, ArrayRef, Ix1};

use super::data::Targets;
use super::labels::Labels;
use crate::Result;
use crate::check::{numbers, parameter, require};

/// Scores and whether each was of the second of two classes.
fn outcomes<L: Ord + Clone>(
    op: &'static str,
    scores: &(impl Targets<Of = ArrayRef<f64, Ix1>> + ?Sized),
    y: &(impl Targets<Of = [L]> + ?Sized),
) -> Result<(Array1<f64>, Vec<bool>)> {
    let (scores, y) = (scores.targets().into_owned(), y.targets());
    numbers(op, "the scores", scores.view().insert_axis(ndarray::Axis(1)))?;
    require(op, scores.len() == y.len(), || format!("{} scores, {} labels", scores.len(), y.len()))?;
    let (labels, index) = Labels::of_classes(&y)?;
    let k = labels.classes().len();
    parameter("classes", k as f64, k == 2, "there must be two")?;
    Ok((scores, index.into_iter().map(|k| k == 1).collect()))
}
