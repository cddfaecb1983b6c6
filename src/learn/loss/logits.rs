//! Log-loss from logits: no probability is formed, so that none is rounded to zero or one.

use ndarray::{ArrayView1, ArrayView2};

use super::family::Loss;
use crate::Result;
use crate::check::{finite, parameter, require};

/// `-(1/n) Σ ln p(class_i | x_i)`, where the probabilities are the softmax of each row of `logits`, `n x K`; one column
/// holds the log-odds of class 1 against class 0.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are not n classes, [`Error::Parameter`](crate::Error::Parameter) for a
/// class beyond the columns, [`Error::NotFinite`](crate::Error::NotFinite).
///
/// ```
/// let logits = ndarray::array![[0.0], [1000.0]];
/// let loss = mercer::learn::loss::log_loss_of_logits(&[1, 0], &logits)?;
/// assert!((loss - 0.5 * (2f64.ln() + 1000.0)).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn log_loss_of_logits(classes: &[usize], logits: &ndarray::ArrayRef2<f64>) -> Result<f64> {
    const OP: &str = "log_loss_of_logits";
    let logits: ArrayView2<f64> = logits.view();
    finite(OP, "the logits", logits)?;
    let (n, k) = logits.dim();
    require(OP, classes.len() == n, || format!("{n} rows of logits, {} classes", classes.len()))?;
    let most = k.max(2);
    if let Some(&c) = classes.iter().find(|c| **c >= most) {
        parameter("class", c as f64, false, "must be below the number of classes")?;
    }
    let each = classes.iter().zip(logits.rows()).map(|(&c, row)| {
        if k == 1 { Loss::Logistic.at(if c == 1 { row[0] } else { -row[0] }) } else { log_sum_exp(row) - row[c] }
    });
    Ok(each.sum::<f64>() / n as f64)
}

fn log_sum_exp(row: ArrayView1<f64>) -> f64 {
    let largest = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    largest + row.iter().map(|v| (v - largest).exp()).sum::<f64>().ln()
}
