//! Metrics of labels and of probabilities of classes. Checked in `tests/learn/metrics.rs` against scikit-learn.

use ndarray::ArrayView2;

use super::confusion::{ClassAverage, ConfusionMatrix, same_length};
use crate::Result;
use crate::check::{finite, parameter, require};
use crate::learn::data::{Inputs, Targets};
use crate::learn::labels::Labels;

/// The share of labels that are predicted as they are.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are none, or not as many of one as of the other.
pub fn accuracy<T, P, L>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Clone + PartialEq,
{
    matched("accuracy", &truth.targets(), &predicted.targets())
}

/// The number of labels that are predicted as something else.
///
/// # Errors
/// As [`accuracy`].
pub fn error_count<T, P, L>(truth: &T, predicted: &P) -> Result<usize>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Clone + PartialEq,
{
    let (y, p) = (truth.targets(), predicted.targets());
    matched("error_count", &y, &p)?;
    Ok(y.iter().zip(p.iter()).filter(|(y, p)| y != p).count())
}

/// [`accuracy`] of slices, in the name of `op`.
pub(crate) fn matched<L: PartialEq>(op: &'static str, y: &[L], predicted: &[L]) -> Result<f64> {
    same_length(op, y.len(), predicted.len())?;
    let met = y.iter().zip(predicted).filter(|(y, p)| y == p).count();
    Ok(met as f64 / y.len() as f64)
}

/// The mean recall over the classes that occur: accuracy as if all were equally frequent.
///
/// # Errors
/// As [`accuracy`].
pub fn balanced_accuracy<T, P, L>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Ord + Clone,
{
    let c = ConfusionMatrix::named("balanced_accuracy", truth, predicted)?;
    let occurring: Vec<f64> =
        (0..c.classes().len()).filter(|&i| c.support(i) > 0).map(|i| c.recall(i)).collect();
    Ok(occurring.iter().sum::<f64>() / occurring.len() as f64)
}

/// The metric `tp / (tp + fp)`: the share of those predicted as a class that are of it, averaged over the classes.
///
/// # Errors
/// As [`accuracy`], and for [`ClassAverage::Binary`] of other than two classes.
pub fn precision<T, P, L>(average: ClassAverage) -> impl Fn(&T, &P) -> Result<f64> + Clone
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Ord + Clone,
{
    move |truth, predicted| {
        let c = ConfusionMatrix::named("precision", truth, predicted)?;
        c.averaged(average, |i| c.precision(i))
    }
}

/// The metric `tp / (tp + fn)`: the share of a class that is predicted as such, averaged over the classes.
///
/// # Errors
/// As [`precision`].
pub fn recall<T, P, L>(average: ClassAverage) -> impl Fn(&T, &P) -> Result<f64> + Clone
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Ord + Clone,
{
    move |truth, predicted| {
        let c = ConfusionMatrix::named("recall", truth, predicted)?;
        c.averaged(average, |i| c.recall(i))
    }
}

/// The metric `F_β = (1 + β²) tp / ((1 + β²) tp + β² fn + fp)`: the harmonic mean of [`precision`] and [`recall`] if
/// β = 1.
///
/// ```
/// use mercer::prelude::*;
/// let f1 = f_score(1.0, ClassAverage::Binary);
/// assert_eq!(f1(&[false, true, true, true], &[false, true, false, true])?, 0.8);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`precision`], and [`Error::Parameter`](crate::Error::Parameter) for a negative β.
pub fn f_score<T, P, L>(beta: f64, average: ClassAverage) -> impl Fn(&T, &P) -> Result<f64> + Clone
where
    T: Targets<Of = [L]> + ?Sized,
    P: Targets<Of = [L]> + ?Sized,
    L: Ord + Clone,
{
    move |truth, predicted| ConfusionMatrix::named("f_score", truth, predicted)?.f_averaged(beta, average)
}

/// `-mean log p(y)` of probabilities whose columns are the distinct labels of `truth` in ascending order.
///
/// A probability of 0 counts as 2.2e-16, as in scikit-learn. Where a class may be missing from `truth` use
/// [`log_loss_of`].
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for other numbers of rows or columns,
/// [`Error::Parameter`](crate::Error::Parameter) for rows that are not probabilities.
pub fn log_loss<T, P, L>(truth: &T, probabilities: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Inputs + ?Sized,
    L: Ord + Clone,
{
    let y = truth.targets();
    log_loss_of(Labels::of(&y)?.0.classes(), &*y, probabilities)
}

/// [`log_loss`] of probabilities whose columns are these classes, in ascending order.
///
/// # Errors
/// As [`log_loss`], and for a label that is none of the classes.
pub fn log_loss_of<T, P, L>(classes: &[L], truth: &T, probabilities: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Inputs + ?Sized,
    L: Ord + Clone,
{
    let p = probabilities.inputs();
    let index = columns_of("log_loss", classes, &truth.targets(), p.view())?;
    let loss = |(i, &j): (usize, &usize)| -p[[i, j]].clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln();
    Ok(index.iter().enumerate().map(loss).sum::<f64>() / index.len() as f64)
}

/// `mean Σ_k (p_k - 1{y = k})²`, halved for two classes, as in scikit-learn: then it is `mean (p - y)²` of the second.
///
/// Columns as in [`log_loss`].
///
/// # Errors
/// As [`log_loss`].
pub fn brier<T, P, L>(truth: &T, probabilities: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Inputs + ?Sized,
    L: Ord + Clone,
{
    let y = truth.targets();
    brier_of(Labels::of(&y)?.0.classes(), &*y, probabilities)
}

/// [`brier`] of probabilities whose columns are these classes, in ascending order.
///
/// # Errors
/// As [`log_loss_of`].
pub fn brier_of<T, P, L>(classes: &[L], truth: &T, probabilities: &P) -> Result<f64>
where
    T: Targets<Of = [L]> + ?Sized,
    P: Inputs + ?Sized,
    L: Ord + Clone,
{
    let p = probabilities.inputs();
    let index = columns_of("brier", classes, &truth.targets(), p.view())?;
    let square = |((i, j), p): ((usize, usize), &f64)| (p - f64::from(u8::from(index[i] == j))).powi(2);
    let sum: f64 = p.indexed_iter().map(square).sum();
    Ok(sum / index.len() as f64 * if classes.len() == 2 { 0.5 } else { 1.0 })
}

/// The column of each row's label, once the rows are known to be probabilities.
fn columns_of<L: Ord + Clone>(
    op: &'static str,
    classes: &[L],
    y: &[L],
    p: ArrayView2<f64>,
) -> Result<Vec<usize>> {
    finite(op, "probabilities", p)?;
    require(op, p.dim() == (y.len(), classes.len()), || {
        let (n, k) = p.dim();
        format!("the probabilities are {n} x {k}, there are {} labels of {} classes", y.len(), classes.len())
    })?;
    require(op, classes.is_sorted(), || "the classes are not in ascending order".to_owned())?;
    for row in p.rows() {
        if let Some(p) = row.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            parameter("probability", *p, false, "must lie between 0 and 1")?;
        }
        let sum = row.sum();
        // What a sum of f32 leaves.
        parameter("sum of probabilities", sum, (sum - 1.0).abs() < 1e-5, "rows must sum to one")?;
    }
    let find = |(at, label): (usize, &L)| {
        let found = classes.binary_search(label).ok();
        parameter(&format!("label {at}"), at as f64, found.is_some(), "must be one of the classes")?;
        Ok(found.unwrap_or_default())
    };
    y.iter().enumerate().map(find).collect()
}
