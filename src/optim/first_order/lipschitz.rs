//! How long a step may be, and gradients that are made in parts.

use ndarray::{Array1, ArrayView2};
use rayon::prelude::*;

use crate::Result;
use crate::check::symmetric;

/// Products after which a power iteration is as good as it gets.
const PRODUCTS: usize = 1000;

/// The largest eigenvalue of a positive semi-definite matrix by power iteration: the Lipschitz constant L of the gradient
/// `Hx`, whose safe step is 1/L.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for a matrix that is not square, [`Error::Parameter`](crate::Error::Parameter)
/// for one that is not symmetric, [`Error::NotFinite`](crate::Error::NotFinite).
///
/// ```
/// let h = ndarray::array![[2.0, 1.0], [1.0, 2.0]];
/// assert!((mercer::optim::largest_eigenvalue(h.view())? - 3.0).abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn largest_eigenvalue(h: ArrayView2<f64>) -> Result<f64> {
    let h = symmetric("largest_eigenvalue", h)?;
    let n = h.nrows();
    // Not orthogonal to any eigenvector that a person would write down.
    let mut v: Array1<f64> = (0..n).map(|i| 1.0 + (0.7 * i as f64).sin() * 0.5).collect();
    let mut value = 0.0;
    for _ in 0..PRODUCTS {
        v /= v.dot(&v).sqrt();
        let next = h.dot(&v);
        let found = v.dot(&next);
        let length = next.dot(&next).sqrt();
        if length == 0.0 || (found - value).abs() <= 1e-15 * found.abs() {
            return Ok(found);
        }
        (value, v) = (found, next);
    }
    Ok(value)
}

/// `Σ_k f(k)` of a value and a gradient over `parts` shards of the data, each on a thread of its own, added in order: the
/// same bits on any number of threads.
///
/// # Errors
/// Whatever `f` meets first.
pub fn sum_of_parts(
    parts: usize,
    f: impl Fn(usize) -> Result<(f64, Vec<f64>)> + Send + Sync,
) -> Result<(f64, Vec<f64>)> {
    let each: Result<Vec<(f64, Vec<f64>)>> = (0..parts).into_par_iter().map(f).collect();
    let mut total: Option<(f64, Vec<f64>)> = None;
    for (value, gradient) in each? {
        match &mut total {
            None => total = Some((value, gradient)),
            Some((sum, sums)) => {
                let (n, m) = (sums.len(), gradient.len());
                crate::check::require("sum_of_parts", n == m, || format!("gradients of {n} and {m}"))?;
                *sum += value;
                sums.iter_mut().zip(&gradient).for_each(|(s, g)| *s += g);
            }
        }
    }
    Ok(total.unwrap_or((0.0, Vec::new())))
}
