//! Positive definite matrices of a few rows, by the thousand: no allocation, no blocks.

/// `a`, `k x k` row after row, becomes its Cholesky factor in the lower triangle; the result is `log |a|`, or none if a
/// pivot is not positive.
pub(super) fn cholesky(a: &mut [f64], k: usize) -> Option<f64> {
    let mut log_det = 0.0;
    for j in 0..k {
        for i in j..k {
            let dot: f64 = (0..j).map(|p| a[i * k + p] * a[j * k + p]).sum();
            a[i * k + j] -= dot;
        }
        let pivot = a[j * k + j];
        // Written so that a NaN is refused.
        if !(pivot > 0.0) {
            return None;
        }
        log_det += pivot.ln();
        let root = pivot.sqrt();
        for i in j..k {
            a[i * k + j] /= root;
        }
    }
    Some(log_det)
}

/// `b` becomes `(L L^T)⁻¹ b`.
pub(super) fn solve(l: &[f64], b: &mut [f64]) {
    let k = b.len();
    for i in 0..k {
        let dot: f64 = (0..i).map(|p| l[i * k + p] * b[p]).sum();
        b[i] = (b[i] - dot) / l[i * k + i];
    }
    for i in (0..k).rev() {
        let dot: f64 = (i + 1..k).map(|p| l[p * k + i] * b[p]).sum();
        b[i] = (b[i] - dot) / l[i * k + i];
    }
}
