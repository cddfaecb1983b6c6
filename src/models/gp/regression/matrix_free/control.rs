//! How much of a control variate to use.
//!
//! `E[a - c (b - E b)] = E a` for any c that does not depend on the same draw, and the variance is least at
//! `c = cov(a, b) / var(b)`. Each draw gets the c of all the others: nothing is biased by fitting it.

use ndarray::{Array1, ArrayView1};

/// For each draw the slope of `a` on `b` over the other draws, within [0, 1]; one where b hardly varies, and it matters
/// little.
pub(super) fn coefficients(a: ArrayView1<f64>, b: ArrayView1<f64>) -> Array1<f64> {
    let count = a.len() as f64;
    let (from, to) = (&b - b.sum() / count, &a - a.sum() / count);
    let (both, own) = (from.dot(&to), from.dot(&from));
    // Leaving draw i out moves both means: that takes n/(n-1) of its own product from a sum of products.
    let others = count / (count - 1.0).max(1.0);
    let slope = |(f, t): (&f64, &f64)| (both - others * f * t) / (own - others * f * f);
    from.iter().zip(&to).map(slope).map(|c| if c.is_finite() { c.clamp(0.0, 1.0) } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slope_is_that_of_the_other_draws() {
        let (a, b): (Array1<f64>, Array1<f64>) =
            (ndarray::array![1.0, 1.2, 2.1, 2.0, 3.5], ndarray::array![0.0, 1.5, 2.0, 4.0, 5.0]);
        for (i, c) in coefficients(a.view(), b.view()).iter().enumerate() {
            let keep: Vec<usize> = (0..5).filter(|j| *j != i).collect();
            let (a, b) = (a.select(ndarray::Axis(0), &keep), b.select(ndarray::Axis(0), &keep));
            let (a, b) = (&a - a.sum() / 4.0, &b - b.sum() / 4.0);
            assert!((c - a.dot(&b) / b.dot(&b)).abs() < 1e-14, "{i}: {c}");
        }
    }

    #[test]
    fn it_stays_between_nothing_and_all() {
        let b = ndarray::array![0.0, 1.0, 2.0, 3.0];
        assert_eq!(coefficients((&b * -1.0).view(), b.view()), Array1::<f64>::zeros(4));
        assert_eq!(coefficients((&b * 3.0).view(), b.view()), Array1::<f64>::ones(4));
        assert_eq!(coefficients(b.view(), Array1::<f64>::ones(4).view()), Array1::<f64>::ones(4));
        let two = ndarray::array![1.0, 2.0];
        assert_eq!(coefficients(two.view(), two.view()), Array1::<f64>::ones(2));
    }
}
