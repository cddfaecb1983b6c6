//! Powers of two that keep a computation within the range of f32; multiplying by them rounds nothing.

use ndarray::{Array1, Array2, Axis};

/// A diagonal is left alone if its largest entry is at most this many times the smallest one...
const EVEN: f64 = 1024.0;
/// ... and within this factor of one: far from where f32 ends.
const MODERATE: f64 = 1e9;

/// `2^k` for any k that f64 can hold both ways.
pub(in crate::linalg) fn power(k: f64) -> f64 {
    2f64.powi(k.clamp(-1000.0, 1000.0) as i32)
}

/// Scales each column to a largest entry in [1, 2); returns what to multiply it by to have it back.
pub(in crate::linalg) fn unit_columns(v: &mut Array2<f64>) -> Array1<f64> {
    let mut back = Array1::ones(v.ncols());
    for (mut column, back) in v.columns_mut().into_iter().zip(&mut back) {
        let largest = column.iter().fold(0f64, |s, x| s.max(x.abs()));
        if largest > 0.0 && largest.is_finite() {
            let k = largest.log2().floor();
            column *= power(-k);
            *back = power(k);
        }
    }
    back
}

/// `s` with `s_i² a_ii` in [1/2, 2]; none where the diagonal is even and of moderate size, or not positive.
pub(in crate::linalg) fn equilibration(diagonal: &Array1<f64>) -> Option<Array1<f64>> {
    let (low, high) = diagonal.iter().fold((f64::INFINITY, 0f64), |(l, h), d| (l.min(*d), h.max(*d)));
    let even = high <= EVEN * low && (1.0 / MODERATE..=MODERATE).contains(&high);
    (low > 0.0 && !even).then(|| diagonal.mapv(|d| power(-(d.log2() / 2.0).round())))
}

/// `v = diag(s) v`.
pub(in crate::linalg) fn scale_rows(v: &mut Array2<f64>, s: Option<&Array1<f64>>) {
    if let Some(s) = s {
        *v *= &s.view().insert_axis(Axis(1));
    }
}
