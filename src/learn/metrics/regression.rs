//! Metrics of numbers: errors and shares of variance. Checked in `tests/learn/metrics.rs` against scikit-learn.

use ndarray::{ArrayRef, ArrayView1, ArrayView2, Axis};

use crate::Result;
use crate::check::{finite, numbers, parameter, require};
use crate::learn::data::{TargetDim, Targets};

/// `mean (y - ŷ)²`, the mean squared error.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the two do not have the same shape or are empty,
/// [`Error::NotFinite`](crate::Error::NotFinite).
pub fn mse<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    of_columns("mse", truth, predicted, |y, p| mean(residuals(y, p).map(|r| r * r)))
}

/// `Σ (y - ŷ)²`, the sum of squares, over all rows and columns; half of it is the error function of least squares.
///
/// # Errors
/// As [`mse`].
pub fn sum_of_squares<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    let entries = D::columns(&truth.targets()).len() as f64;
    Ok(entries * mse(truth, predicted)?)
}

/// `√mse`, in the units of y; of several columns the mean of their roots.
///
/// # Errors
/// As [`mse`].
pub fn rmse<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    of_columns("rmse", truth, predicted, |y, p| mean(residuals(y, p).map(|r| r * r)).sqrt())
}

/// `mean |y - ŷ|`, the mean absolute error.
///
/// # Errors
/// As [`mse`].
pub fn mae<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    of_columns("mae", truth, predicted, |y, p| mean(residuals(y, p).map(f64::abs)))
}

/// `R² = 1 - Σ(y - ŷ)² / Σ(y - ȳ)²`, the mean over the columns. Of a column without spread it is 1 if it is met exactly
/// and 0 if not.
///
/// # Errors
/// As [`mse`], and [`Error::Shape`](crate::Error::Shape) for fewer than two rows.
pub fn r2<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    r_squared("r2", D::columns(&truth.targets()), D::columns(&predicted.targets()))
}

/// `1 - var(y - ŷ) / var(y)`: R² of predictions whose bias is forgiven.
///
/// # Errors
/// As [`r2`].
pub fn explained_variance<T, P, D>(truth: &T, predicted: &P) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    let op = "explained_variance";
    least_two(op, D::columns(&truth.targets()))?;
    of_columns(op, truth, predicted, |y, p| {
        let bias = mean(residuals(y, p));
        share(y, residuals(y, p).map(|r| (r - bias) * (r - bias)).sum())
    })
}

/// `mean max(q (y - ŷ), (q - 1)(y - ŷ))`, the loss whose minimum is the q-quantile; at q = 1/2 half of [`mae`].
///
/// It makes the metric of a level: `cross_validate(.., pinball(0.9))`.
///
/// ```
/// use mercer::prelude::*;
/// use ndarray::array;
/// assert!((pinball(0.9)(&array![1.0, 2.0], &array![0.0, 3.0])? - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// # Errors
/// As [`mse`], and [`Error::Parameter`](crate::Error::Parameter) for a level outside (0, 1).
pub fn pinball<T, P, D>(level: f64) -> impl Fn(&T, &P) -> Result<f64> + Clone
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    move |truth, predicted| {
        parameter("level", level, level > 0.0 && level < 1.0, "must lie between 0 and 1")?;
        let loss = |r: f64| (level * r).max((level - 1.0) * r);
        of_columns("pinball", truth, predicted, |y, p| mean(residuals(y, p).map(loss)))
    }
}

/// `mean log N(y | m, v)`: how well normal predictions with means m and variances v foretell y; larger is better.
///
/// # Errors
/// As [`mse`], and [`Error::Parameter`](crate::Error::Parameter) for a variance that is not positive.
pub fn gaussian_log_density<T, M, V, D>(truth: &T, mean: &M, variance: &V) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    M: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    V: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    let op = "gaussian_log_density";
    let (y, m, v) = (truth.targets(), mean.targets(), variance.targets());
    let (y, m, v) = (D::columns(&y), D::columns(&m), D::columns(&v));
    alike(op, y, m)?;
    alike(op, y, v)?;
    if let Some(v) = v.iter().find(|v| **v <= 0.0) {
        parameter("variance", *v, false, "must be positive")?;
    }
    let density = |((y, m), v): ((&f64, &f64), &f64)| {
        -0.5 * ((y - m) * (y - m) / v + v.ln() + (2.0 * std::f64::consts::PI).ln())
    };
    defined(op, y.iter().zip(m).zip(v).map(density).sum::<f64>() / y.len() as f64)
}

/// [`r2`] of columns, in the name of `op`.
pub(crate) fn r_squared(op: &'static str, y: ArrayView2<f64>, predicted: ArrayView2<f64>) -> Result<f64> {
    alike(op, y, predicted)?;
    least_two(op, y)?;
    columns(op, y, predicted, |y, p| share(y, residuals(y, p).map(|r| r * r).sum()))
}

/// `1 - rest / Σ(y - ȳ)²`, or whether the rest is nothing if y has no spread.
fn share(y: ArrayView1<f64>, rest: f64) -> f64 {
    let centre = mean(y.iter().copied());
    let total: f64 = y.iter().map(|v| (v - centre) * (v - centre)).sum();
    // The mean of equal numbers may be off by a rounding.
    let spread = y.iter().any(|v| *v != y[0]);
    if spread { 1.0 - rest / total } else { f64::from(u8::from(rest == 0.0)) }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len();
    values.sum::<f64>() / n as f64
}

fn residuals<'a>(
    y: ArrayView1<'a, f64>,
    p: ArrayView1<'a, f64>,
) -> impl ExactSizeIterator<Item = f64> + use<'a> {
    y.into_iter().zip(p).map(|(y, p)| y - p)
}

fn of_columns<T, P, D>(
    op: &'static str,
    truth: &T,
    predicted: &P,
    f: impl Fn(ArrayView1<f64>, ArrayView1<f64>) -> f64,
) -> Result<f64>
where
    T: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    P: Targets<Of = ArrayRef<f64, D>> + ?Sized,
    D: TargetDim,
{
    let (y, p) = (truth.targets(), predicted.targets());
    let (y, p) = (D::columns(&y), D::columns(&p));
    alike(op, y, p)?;
    columns(op, y, p, f)
}

fn columns(
    op: &'static str,
    y: ArrayView2<f64>,
    p: ArrayView2<f64>,
    f: impl Fn(ArrayView1<f64>, ArrayView1<f64>) -> f64,
) -> Result<f64> {
    let each = y.axis_iter(Axis(1)).zip(p.axis_iter(Axis(1))).map(|(y, p)| f(y, p));
    defined(op, each.sum::<f64>() / y.ncols() as f64)
}

/// A number that sums of squares have not overflowed.
fn defined(op: &'static str, value: f64) -> Result<f64> {
    parameter(op, value, value.is_finite(), "the metric must be finite: scale the data")?;
    Ok(value)
}

fn alike(op: &'static str, y: ArrayView2<f64>, p: ArrayView2<f64>) -> Result<()> {
    finite(op, "y", y)?;
    require(op, y.dim() == p.dim(), || format!("the predictions are {:?}, y is {:?}", p.dim(), y.dim()))?;
    numbers(op, "predictions", p)
}

fn least_two(op: &'static str, y: ArrayView2<f64>) -> Result<()> {
    require(op, y.nrows() > 1, || "a share of variance takes at least two observations".to_owned())
}
