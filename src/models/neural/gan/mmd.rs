//! The squared maximum mean discrepancy of two samples and its gradient by the second: what a generator can descend without a
//! discriminator.

use ndarray::{Array2, ArrayView2};

/// `MMD²(x, y)`, its V-statistic with the mean of Gaussian kernels of these lengthscales, and its gradient by the rows of y.
pub(super) fn mmd(x: ArrayView2<f64>, y: ArrayView2<f64>, lengthscales: &[f64]) -> (f64, Array2<f64>) {
    let (n, m) = (x.nrows() as f64, y.nrows() as f64);
    let share = 1.0 / lengthscales.len() as f64;
    // The kernel, and what (a - b) is multiplied by in its gradient by b.
    let kernel = |a: ndarray::ArrayView1<f64>, b: ndarray::ArrayView1<f64>| {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        lengthscales.iter().fold((0.0, 0.0), |(k, g), l| {
            let value = share * (-0.5 * square / (l * l)).exp();
            (k + value, g + value / (l * l))
        })
    };
    let mut gradient = Array2::zeros(y.raw_dim());
    let mut value = 0.0;
    for a in x.rows() {
        value += x.rows().into_iter().map(|b| kernel(a, b).0).sum::<f64>() / (n * n);
    }
    for (j, b) in y.rows().into_iter().enumerate() {
        let mut by = gradient.row_mut(j);
        for other in y.rows() {
            let (k, g) = kernel(other, b);
            value += k / (m * m);
            // Both places of the pair.
            by.zip_mut_with(&(&other - &b), |s, d| *s += 2.0 * g * d / (m * m));
        }
        for a in x.rows() {
            let (k, g) = kernel(a, b);
            value -= 2.0 * k / (n * m);
            by.zip_mut_with(&(&a - &b), |s, d| *s -= 2.0 * g * d / (n * m));
        }
    }
    (value, gradient)
}
