//! Inputs on their way to a device that has f32 only.
//!
//! In f32 the neighbours of 50,000 are 0.004 away: far from the origin a matrix made of rounded inputs is that of other
//! points. A kernel that sees only differences does not mind where they are measured from, so that they are taken from
//! the middle of the data, in f64. For any other kernel, and for data spread over many length scales, `moved` says what
//! rounding has done.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::ops::{gram, gram_diagonal};
use crate::{Device, Kernel, Matrix, Result};

/// Rows that stand for all of them.
const ROWS: usize = 32;

/// What is subtracted from inputs, in f64, before they are rounded to f32.
#[derive(Debug, Clone)]
pub(crate) struct Anchor {
    shift: Array1<f64>,
}

impl Anchor {
    /// About the middle of `x`, `n x d`, if the kernel is stationary; the origin if not.
    pub fn new(kernel: &Kernel, x: ArrayView2<f64>) -> Self {
        let shift = if kernel.is_stationary() {
            x.axis_iter(Axis(1)).map(middle).collect()
        } else {
            Array1::zeros(x.ncols())
        };
        Anchor { shift }
    }

    /// What is subtracted from each feature.
    pub fn shift(&self) -> &Array1<f64> {
        &self.shift
    }

    /// `x` on a device: as it is on the CPU, relative to the anchor on a GPU.
    ///
    /// # Errors
    /// As [`Matrix::from_array`].
    pub fn upload(&self, op: &'static str, device: &Device, x: ArrayView2<f64>) -> Result<Matrix> {
        if device.is_gpu() {
            Matrix::upload(op, device, (&x - &self.shift).view())
        } else {
            Matrix::upload(op, device, x)
        }
    }

    /// The most that rounding to f32 moves `k(x_i, y_j)`, relative to `√(k(x_i, x_i) k(y_j, y_j))`.
    ///
    /// An estimate: of the rows of `y` only those that rounding moves furthest are tried, and a few of the others.
    ///
    /// # Errors
    /// As [`gram`].
    pub fn moved(&self, kernel: &Kernel, x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64> {
        let some = y.select(Axis(0), &self.telling(y));
        let at = |x: &Array2<f64>, y: &Array2<f64>| {
            gram(kernel, &Matrix::from_host(y.clone()), Some(&Matrix::from_host(x.clone())))?.into_array()
        };
        let own = |x: Array2<f64>| gram_diagonal(kernel, &Matrix::from_host(x))?.into_array();
        let off = at(&x.to_owned(), &some)? - at(&self.rounded(x), &self.rounded(some.view()))?;
        let (rows, columns) = (own(some)?, own(x.to_owned())?);
        let relative = |((i, j), off): ((usize, usize), &f64)| {
            let size = (rows[[i, 0]] * columns[[j, 0]]).sqrt();
            if size > 0.0 { off.abs() / size } else { 0.0 }
        };
        // What is not a number is as far off as can be.
        let worst = |worst: f64, off: f64| if off.is_nan() { f64::INFINITY } else { worst.max(off) };
        Ok(off.indexed_iter().map(relative).fold(0.0, worst))
    }

    /// `x` as a GPU sees it.
    fn rounded(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (&x - &self.shift).mapv(|v| f64::from(v as f32)) + &self.shift
    }

    /// The rows of `y` furthest from the anchor, and as many evenly spread over the others.
    fn telling(&self, y: ArrayView2<f64>) -> Vec<usize> {
        let m = y.nrows();
        if m <= ROWS {
            return (0..m).collect();
        }
        let far =
            |i: &usize| y.row(*i).iter().zip(&self.shift).map(|(v, s)| (v - s).abs()).fold(0.0, f64::max);
        let mut order: Vec<(usize, f64)> = (0..m).map(|i| (i, far(&i))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        let rest = m - ROWS / 2;
        let spread = (0..ROWS / 2).map(|k| ROWS / 2 + k * rest / (ROWS / 2));
        (0..ROWS / 2).chain(spread).map(|at| order[at].0).collect()
    }
}

/// Near the middle of a column, on a grid so coarse that what f32 holds exactly it still holds exactly when shifted; the
/// origin if that is as near.
fn middle(column: ArrayView1<f64>) -> f64 {
    let (low, high) =
        column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let range = high - low;
    if range == 0.0 {
        return low;
    }
    let step = (range.log2().floor() - 2.0).exp2();
    let middle = ((0.5 * low + 0.5 * high) / step).round() * step;
    if middle.is_finite() { middle } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::{Anchor, middle};
    use crate::Kernel;

    #[test]
    fn the_middle_is_near_and_even() {
        for (low, high) in [(50_000.0, 50_003.0), (-1.0, 1.0), (0.0, 7.0), (1e-9, 2e-9), (-3e5, -2e5)] {
            let found = middle(array![low, high].view());
            let (range, off) = (high - low, (found - 0.5 * (low + high)).abs());
            assert!(off <= 0.126 * range, "{low} to {high}: {found}");
        }
        assert_eq!(middle(array![-1.0, 1.2].view()), 0.0);
        assert_eq!(middle(array![5e4].view()), 5e4);
        assert_eq!(middle(array![-1.7e308, 1.7e308].view()), 0.0);
        // Sixteenths near 50,000 are exact in f32, before and after.
        let x = array![[50_000.062_5], [50_003.437_5]];
        let anchor = Anchor::new(&Kernel::rbf(1.0), x.view());
        assert_eq!(anchor.rounded(x.view()), x);
    }

    #[test]
    fn what_rounding_does_is_measured() {
        let x = ndarray::Array2::from_shape_fn((100, 1), |(i, _)| 5e4 + 0.1 * i as f64);
        let moved = |k: &Kernel| Anchor::new(k, x.view()).moved(k, x.view(), x.view()).unwrap();
        let stationary = moved(&Kernel::rbf(1.0));
        assert!(stationary < 1e-6, "{stationary}");
        let other = moved(&Kernel::rbf(1.0).warp("one", |_| 1.0));
        // An eighth of 2^-8 is about the most that x may be off by, twice; the slope of the kernel is at most 0.61.
        assert!((1e-3..5e-3).contains(&other), "{other}");
    }
}
