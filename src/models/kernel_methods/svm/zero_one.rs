//! The margin problem that counts errors, which the hinge loss stands in for. Checked in `tests/svm/classify.rs`.

use ndarray::{ArrayView1, Axis};

use super::classifier::SvmClassifier;
use crate::check::{not_negative, parameter, require};
use crate::learn::Inputs;
use crate::{Device, Error, Kernel, Result};

/// Most points whose subsets are all tried.
const MOST: usize = 12;

fn terms(op: &'static str, norm: f64, f: ArrayView1<f64>, y: &[bool], c: f64) -> Result<Vec<f64>> {
    require(op, f.len() == y.len(), || format!("{} decisions, {} labels", f.len(), y.len()))?;
    not_negative("the squared norm", norm)?;
    not_negative("C", c)?;
    let bad = f.iter().find(|f| !f.is_finite()).copied();
    parameter("a decision", bad.unwrap_or(0.0), bad.is_none(), "must be finite")?;
    Ok(f.iter().zip(y).map(|(f, y)| if *y { *f } else { -f }).collect())
}

/// `½‖w‖² + C Σ_i 𝟏{y_i f(x_i) ≤ 0}` from `‖w‖²`, the decisions f and whether each label is the positive one.
///
/// At every w it is at most [`hinge_objective`], which is convex where this one is not even continuous.
///
/// # Errors
/// [`Error::Shape`] if there are not as many labels as decisions, [`Error::Parameter`] for a norm or a C below zero, or a
/// decision that is not finite.
///
/// ```
/// use mercer::models::kernel_methods::{hinge_objective, zero_one_objective};
/// let (f, y) = (ndarray::array![2.0, 0.5, -0.1], [true, true, true]);
/// assert_eq!(zero_one_objective(1.0, f.view(), &y, 3.0)?, 3.5);
/// assert!((hinge_objective(1.0, f.view(), &y, 3.0)? - (0.5 + 3.0 * 1.6)).abs() < 1e-14);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn zero_one_objective(squared_norm: f64, f: ArrayView1<f64>, y: &[bool], c: f64) -> Result<f64> {
    let margins = terms("zero_one_objective", squared_norm, f, y, c)?;
    Ok(0.5 * squared_norm + c * margins.iter().filter(|m| **m <= 0.0).count() as f64)
}

/// `½‖w‖² + C Σ_i max(0, 1 - y_i f(x_i))`, the same with the hinge loss.
///
/// # Errors
/// As [`zero_one_objective`].
pub fn hinge_objective(squared_norm: f64, f: ArrayView1<f64>, y: &[bool], c: f64) -> Result<f64> {
    let margins = terms("hinge_objective", squared_norm, f, y, c)?;
    Ok(0.5 * squared_norm + c * margins.iter().map(|m| (1.0 - m).max(0.0)).sum::<f64>())
}

/// The least number of errors that any function of the kernel's space with an offset makes on at most twelve points, by
/// trying every subset of them: C times it is the infimum of [`zero_one_objective`], which w → 0 approaches.
///
/// # Errors
/// [`Error::Parameter`] for more than twelve points, [`Error::Shape`] for labels that do not fit, and those of the kernel.
pub fn fewest_errors(kernel: &Kernel, x: impl Inputs, y: &[bool]) -> Result<usize> {
    let x = x.inputs();
    let x = x.view();
    let n = x.nrows();
    require("fewest_errors", n == y.len(), || format!("{n} points, {} labels", y.len()))?;
    parameter("points", n as f64, n <= MOST, "at most twelve: every subset is tried")?;
    let machine = SvmClassifier::hard_margin(kernel.clone()).tolerance(1e-6);
    let separable = |kept: &[usize]| -> Result<bool> {
        let labels: Vec<bool> = kept.iter().map(|&i| y[i]).collect();
        if labels.iter().all(|l| *l == labels[0]) {
            return Ok(true);
        }
        match machine.fit(&Device::cpu(), x.select(Axis(0), kept), &labels) {
            Ok(_) => Ok(true),
            Err(Error::Parameter { .. } | Error::NoConvergence { .. }) => Ok(false),
            Err(e) => Err(e),
        }
    };
    let mut subsets: Vec<u32> = (1..1u32 << n).collect();
    subsets.sort_by_key(|s| std::cmp::Reverse(s.count_ones()));
    for subset in subsets {
        let kept: Vec<usize> = (0..n).filter(|i| subset >> i & 1 == 1).collect();
        if separable(&kept)? {
            return Ok(n - kept.len());
        }
    }
    Ok(0)
}
