//! The columns of relevance vector machines: a constant, and the kernel at each point.

use ndarray::{Array2, ArrayView2, s};

use crate::check::finite;
use crate::ops::gram;
use crate::{Kernel, Matrix, Result};

/// `[1, k(x_i, x_1), ..., k(x_i, x_n)]` for each row, `n x (n + 1)`.
pub(super) fn columns(op: &'static str, kernel: &Kernel, x: ArrayView2<f64>) -> Result<Array2<f64>> {
    let mut all = Array2::ones((x.nrows(), x.nrows() + 1));
    let k = gram(kernel, &Matrix::from_host(x.to_owned()), None)?.into_array()?;
    all.slice_mut(s![.., 1..]).assign(&k);
    finite(op, "the kernel matrix", all.view())?;
    Ok(all)
}

/// The columns that remain, at new rows: one of the constant if it does, and one of each of the points z.
pub(super) fn columns_at(
    kernel: &Kernel,
    constant: bool,
    z: &Array2<f64>,
    x: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    let first = usize::from(constant);
    let mut all = Array2::ones((x.nrows(), first + z.nrows()));
    if z.nrows() > 0 {
        let (x, z) = (Matrix::from_host(x.to_owned()), Matrix::from_host(z.clone()));
        all.slice_mut(s![.., first..]).assign(&gram(kernel, &x, Some(&z))?.into_array()?);
    }
    Ok(all)
}

/// The order in which the columns that are in ascend, and the rows whose points they are, without the constant.
pub(super) fn ascending(used: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..used.len()).collect();
    order.sort_by_key(|&i| used[i]);
    let rows = order.iter().map(|&i| used[i]).filter(|&j| j > 0).map(|j| j - 1).collect();
    (order, rows)
}
