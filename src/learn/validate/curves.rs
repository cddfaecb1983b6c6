//! Scores against the number of rows, and against a setting. Checked in `tests/learn/validate.rs` against scikit-learn.

use super::cross::{Scores, fitted, prepared, scored};
use crate::check::parameter;
use crate::learn::data::{Inputs, Targets};
use crate::learn::split::Split;
use crate::learn::traits::{Fit, Predict};
use crate::{Device, Progress, Result};

/// One point of a curve: how models do on what they have learned from, and on what they have not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CurvePoint<T> {
    /// The number of training rows, or the setting.
    pub at: T,
    /// Scores of each fold on the rows that were learned from.
    pub train: Scores,
    /// Scores of each fold on the rows that were held out.
    pub test: Scores,
}

/// Scores of models that have learned from the first rows of each fold's training part: would more data help?
///
/// Shuffle the folds where the order of rows means something: training rows are taken in ascending order.
///
/// # Errors
/// As [`cross_validate`](super::cross_validate), and [`Error::Parameter`](crate::Error::Parameter) for a size of 0 or
/// beyond a fold's training rows; [`Error::Cancelled`](crate::Error::Cancelled).
#[expect(clippy::too_many_arguments, reason = "those of `cross_validate`, the sizes and a progress")]
pub fn learning_curve<M, Y, F>(
    model: &M,
    device: &Device,
    x: impl Inputs,
    y: Y,
    sizes: &[usize],
    split: &impl Split,
    metric: F,
    progress: &Progress,
) -> Result<Vec<CurvePoint<usize>>>
where
    Y: Targets,
    M: Fit<Y::Of, Fitted: Predict>,
    F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
{
    let (x, y, op) = (x.inputs(), y.targets(), "learning_curve");
    let folds = prepared(op, x.view(), &*y, split)?;
    let least = folds.iter().map(|fold| fold.0.len()).min().unwrap_or(0);
    let mut curve = Vec::new();
    for (done, &size) in sizes.iter().enumerate() {
        let fits = size > 0 && size <= least;
        parameter("size", size as f64, fits, "must be positive and within every fold's training rows")?;
        let (mut train, mut test) = (vec![], vec![]);
        for (k, fold) in folds.iter().enumerate() {
            let fit = fitted(model, device, x.view(), &*y, &fold.0[..size])?;
            train.push(scored(&fit, x.view(), &*y, &fold.0[..size], &metric)?);
            test.push(scored(&fit, x.view(), &*y, &fold.1, &metric)?);
            progress.report(op, done * folds.len() + k + 1, sizes.len() * folds.len(), test[k])?;
        }
        curve.push(CurvePoint { at: size, train: train.into(), test: test.into() });
    }
    Ok(curve)
}

/// Scores of a model for each value of a setting: too stiff, or too pliable?
///
/// `of` makes the model of a value: `validation_curve(|&l| KernelRidge::new(Kernel::rbf(l), 0.1), &[0.1, 1.0], ..)`.
///
/// # Errors
/// As [`cross_validate`](super::cross_validate), and [`Error::Cancelled`](crate::Error::Cancelled).
#[expect(clippy::too_many_arguments, reason = "those of `cross_validate`, the values and a progress")]
pub fn validation_curve<T, M, Y, F>(
    of: impl Fn(&T) -> M,
    values: &[T],
    device: &Device,
    x: impl Inputs,
    y: Y,
    split: &impl Split,
    metric: F,
    progress: &Progress,
) -> Result<Vec<CurvePoint<T>>>
where
    T: Clone,
    Y: Targets,
    M: Fit<Y::Of, Fitted: Predict>,
    F: Fn(&Y::Of, &<M::Fitted as Predict>::Output) -> Result<f64>,
{
    let (x, y, op) = (x.inputs(), y.targets(), "validation_curve");
    let folds = prepared(op, x.view(), &*y, split)?;
    let mut curve = Vec::new();
    for (done, value) in values.iter().enumerate() {
        let (model, mut train, mut test) = (of(value), vec![], vec![]);
        for (k, fold) in folds.iter().enumerate() {
            let fit = fitted(&model, device, x.view(), &*y, &fold.0)?;
            train.push(scored(&fit, x.view(), &*y, &fold.0, &metric)?);
            test.push(scored(&fit, x.view(), &*y, &fold.1, &metric)?);
            progress.report(op, done * folds.len() + k + 1, values.len() * folds.len(), test[k])?;
        }
        curve.push(CurvePoint { at: value.clone(), train: train.into(), test: test.into() });
    }
    Ok(curve)
}
