//! What rounding to f32 does: to numbers, and to kernel values through their inputs.
//!
//! In f32 the neighbours of 50,000 are 0.004 away: far from the origin a matrix made of rounded inputs is that of other
//! points. [`Points`](crate::matrix::Points) shifts them where the kernel allows it; here is measured what is left.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::ops::{gram, gram_diagonal};
use crate::{Kernel, Matrix, Result};

/// Relative rounding of a number in f32.
pub(crate) const F32_ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
/// What a kernel value made in f32 is off by, relative to the diagonal: it takes a few roundings.
pub(crate) const F32_VALUE: f64 = 8.0 * F32_ROUNDING;

/// Rows that stand for all of them.
const ROWS: usize = 32;

/// The most that rounding `x - shift` and `y - shift` to f32 moves `k(x_i, y_j)`, relative to `√(k(x_i, x_i) k(y_j, y_j))`.
///
/// An estimate: of the rows of `y` only those that rounding moves furthest are tried, and a few of the others.
///
/// # Errors
/// As [`gram`].
pub(crate) fn rounding_error(
    kernel: &Kernel,
    shift: &Array1<f64>,
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
) -> Result<f64> {
    let some = y.select(Axis(0), &telling(y, shift));
    let at = |x: Array2<f64>, y: Array2<f64>| {
        gram(kernel, &Matrix::from_host(y), Some(&Matrix::from_host(x)))?.into_array()
    };
    let diagonal = |x: Array2<f64>| gram_diagonal(kernel, &Matrix::from_host(x))?.into_array();
    let off = at(x.to_owned(), some.clone())? - at(rounded(x, shift), rounded(some.view(), shift))?;
    let (rows, columns) = (diagonal(some)?, diagonal(x.to_owned())?);
    let relative = |((i, j), off): ((usize, usize), &f64)| {
        let size = (rows[[i, 0]] * columns[[j, 0]]).sqrt();
        if size > 0.0 { off.abs() / size } else { 0.0 }
    };
    // What is not a number is as far off as can be.
    let worst = |worst: f64, off: f64| if off.is_nan() { f64::INFINITY } else { worst.max(off) };
    Ok(off.indexed_iter().map(relative).fold(0.0, worst))
}

/// `x` as a GPU sees it.
fn rounded(x: ArrayView2<f64>, shift: &Array1<f64>) -> Array2<f64> {
    (&x - shift).mapv(|v| f64::from(v as f32)) + shift
}

/// The rows of `y` furthest from the shift, and as many evenly spread over the others.
fn telling(y: ArrayView2<f64>, shift: &Array1<f64>) -> Vec<usize> {
    let m = y.nrows();
    if m <= ROWS {
        return (0..m).collect();
    }
    let far = |i: &usize| y.row(*i).iter().zip(shift).map(|(v, s)| (v - s).abs()).fold(0.0, f64::max);
    let mut order: Vec<(usize, f64)> = (0..m).map(|i| (i, far(&i))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rest = m - ROWS / 2;
    let others = (0..ROWS / 2).map(|k| ROWS / 2 + k * rest / (ROWS / 2));
    (0..ROWS / 2).chain(others).map(|at| order[at].0).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::{rounded, rounding_error};
    use crate::Kernel;
    use crate::matrix::shift;

    #[test]
    fn what_rounding_does_is_measured() {
        let x = ndarray::Array2::from_shape_fn((100, 1), |(i, _)| 5e4 + 0.1 * i as f64);
        let moved = |k: &Kernel| rounding_error(k, &shift(x.view(), k.origin()), x.view(), x.view()).unwrap();
        let stationary = moved(&Kernel::rbf(1.0));
        assert!(stationary < 1e-6, "{stationary}");
        let other = moved(&Kernel::rbf(1.0).warp("one", |_| 1.0));
        // An eighth of 2^-8 is about the most that x may be off by, twice; the slope of the kernel is at most 0.61.
        assert!((1e-3..5e-3).contains(&other), "{other}");
        // Sixteenths near 50,000 are exact in f32, before and after.
        let x = array![[50_000.062_5], [50_003.437_5]];
        assert_eq!(rounded(x.view(), &shift(x.view(), Kernel::rbf(1.0).origin())), x);
    }
}
