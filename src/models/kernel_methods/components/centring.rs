//! Kernel values of new points, centred by the means of the data.

use ndarray::{Array2, ArrayView2, Axis};

use crate::Result;
use crate::check::{numbers, require};

/// `k̃(x)_i = k(x_i, x) - r_i - mean_j k(x_j, x) + m`: rows of kernel values between new points and the data (m x n), with the
/// mean of the data as origin of the feature space; `r` are the means of the rows of the data's own `gram` (n x n), `m` that
/// of all of it.
///
/// Rows of the gram matrix itself become those of [`centre`](crate::ops::centre()).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the matrices do not fit, [`Error::NotFinite`](crate::Error::NotFinite).
///
/// ```
/// use mercer::models::kernel_methods::centred_rows;
/// use ndarray::array;
/// // The linear kernel of the points 0 and 2 and of the new point 3: centred they are -1, 1 and 2.
/// let (gram, new) = (array![[0.0, 0.0], [0.0, 4.0]], array![[0.0, 6.0]]);
/// assert_eq!(centred_rows(gram.view(), new.view())?, array![[-2.0, 2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn centred_rows(gram: ArrayView2<f64>, new: ArrayView2<f64>) -> Result<Array2<f64>> {
    const OP: &str = "centred_rows";
    let (n, columns) = gram.dim();
    require(OP, n == columns && n > 0, || format!("the data's matrix is {n} x {columns}"))?;
    require(OP, new.ncols() == n, || format!("{n} points, rows of {}", new.ncols()))?;
    numbers(OP, "the kernel of the data", gram)?;
    numbers(OP, "the kernel of new points", new)?;
    let rows = gram.sum_axis(Axis(1)) / n as f64;
    let mean = rows.sum() / n as f64;
    let own = new.sum_axis(Axis(1)) / n as f64;
    Ok(&new - &rows - &own.insert_axis(Axis(1)) + mean)
}
