//! Woodbury's identity and the determinant lemma.

use ndarray::{Array2, ArrayView2};

use super::factor::{forward, log_det, lower, symmetrised};
use crate::check::{finite, require, symmetric};
use crate::{Error, Result};

/// Whatever must be square of this size.
fn fits(a: ArrayView2<f64>, u: ArrayView2<f64>, c: ArrayView2<f64>, v: ArrayView2<f64>) -> Result<()> {
    let (n, k) = u.dim();
    for (what, m) in [("A", a), ("U", u), ("C", c), ("V", v)] {
        finite("woodbury", what, m)?;
    }
    require("woodbury", a.dim() == (n, n) && c.dim() == (k, k) && v.dim() == (k, n), || {
        format!("A is {:?}, U {:?}, C {:?}, V {:?}", a.dim(), u.dim(), c.dim(), v.dim())
    })
}

/// `(A + UCV)⁻¹ = A⁻¹ - A⁻¹U (C⁻¹ + VA⁻¹U)⁻¹ VA⁻¹`, from `a_inverse` = A⁻¹, `n x n`; U is `n x k`, C `k x k`, V `k x n`.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`], [`Error::Singular`] if C or the sum has no inverse.
pub fn woodbury_inverse(
    a_inverse: ArrayView2<f64>,
    u: ArrayView2<f64>,
    c: ArrayView2<f64>,
    v: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    fits(a_inverse, u, c, v)?;
    // (C⁻¹ + VA⁻¹U)⁻¹ = C (I + VA⁻¹U C)⁻¹: C itself need not be inverted.
    let right = v.dot(&a_inverse);
    let inner = right.dot(&u).dot(&c) + Array2::<f64>::eye(c.nrows());
    let middle = c.dot(&solve_general(inner, right)?.0);
    Ok(&a_inverse - &a_inverse.dot(&u).dot(&middle))
}

/// `ln |det(A + UCV)| = ln |det(C⁻¹ + VA⁻¹U)| + ln |det C| + ln |det A|`, from `A⁻¹` and `ln |det A|`.
///
/// # Errors
/// As [`woodbury_inverse`].
pub fn woodbury_log_det(
    a_inverse: ArrayView2<f64>,
    a_log_det: f64,
    u: ArrayView2<f64>,
    c: ArrayView2<f64>,
    v: ArrayView2<f64>,
) -> Result<f64> {
    fits(a_inverse, u, c, v)?;
    let inner = v.dot(&a_inverse).dot(&u).dot(&c) + Array2::<f64>::eye(c.nrows());
    Ok(a_log_det + solve_general(inner, Array2::zeros((c.nrows(), 0)))?.1)
}

/// `(K⁻¹ + D)⁻¹ = K - K(K + D⁻¹)⁻¹K` for a positive semi-definite K and a diagonal D that is not negative: what is left of
/// a prior covariance, without an inverse of it; and `ln |I + D^½ K D^½|`.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotFinite`], [`Error::Parameter`] for a K that is not symmetric or a negative D.
pub fn posterior_covariance(k: ArrayView2<f64>, d: &[f64]) -> Result<(Array2<f64>, f64)> {
    const OP: &str = "posterior_covariance";
    let k = symmetric(OP, k)?;
    let n = k.nrows();
    require(OP, d.len() == n, || format!("K is {n} x {n}, D has {}", d.len()))?;
    d.iter().enumerate().try_for_each(|(i, &v)| crate::check::not_negative(&format!("d[{i}]"), v))?;
    let root: Vec<f64> = d.iter().map(|v| v.sqrt()).collect();
    let mut b = Array2::from_shape_fn((n, n), |(i, j)| root[i] * k[[i, j]] * root[j]);
    b.diag_mut().mapv_inplace(|v| v + 1.0);
    let l = lower(OP, b.view())?;
    let scaled = Array2::from_shape_fn((n, n), |(i, j)| root[i] * k[[i, j]]);
    let half = forward(&l, scaled.view());
    Ok((symmetrised(&k - &half.t().dot(&half)), log_det(&l)))
}

/// `A⁻¹ b` and `ln |det A|` by elimination with row exchanges.
fn solve_general(mut a: Array2<f64>, mut b: Array2<f64>) -> Result<(Array2<f64>, f64)> {
    let n = a.nrows();
    let mut log = 0.0;
    for j in 0..n {
        let best = (j..n).fold(j, |best, i| if a[[i, j]].abs() > a[[best, j]].abs() { i } else { best });
        for m in [&mut a, &mut b] {
            for k in 0..m.ncols() {
                m.swap([j, k], [best, k]);
            }
        }
        let pivot = a[[j, j]];
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(Error::Singular { op: "woodbury", index: j, value: pivot });
        }
        log += pivot.abs().ln();
        for i in (0..n).filter(|&i| i != j) {
            let times = a[[i, j]] / pivot;
            if times != 0.0 {
                for m in [&mut a, &mut b] {
                    for k in 0..m.ncols() {
                        let above = m[[j, k]];
                        m[[i, k]] -= times * above;
                    }
                }
            }
        }
        for m in [&mut a, &mut b] {
            m.row_mut(j).mapv_inplace(|v| v / pivot);
        }
    }
    Ok((b, log))
}
