//! Bilinear forms, one for each pair of columns: what a matrix of permutations is multiplied by.

use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use super::{Trans, gemm, product, product_alone};
use crate::matrix::Shared;
use crate::matrix::window::windows;
use crate::ops::{Along, Reduction, Zip, reduce, require, zip};
use crate::{Matrix, Result};

/// Columns that one thread multiplies at a time: the product of 512 rows stays in the second-level cache.
const COLUMNS: usize = 64;

/// `q_b = u_b^T A v_b` for every column b: `1 x r` from `u` (`n x r`), `a` (`n x m`) and `v` (`m x r`).
///
/// It is the diagonal of `U^T A V`. The CPU holds 64 columns of `A V` a thread at a time, a GPU all of it.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the shapes do not fit,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::bilinear_forms};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let a = on(ndarray::array![[2.0, 1.0], [1.0, 3.0]])?;
/// let w = on(ndarray::array![[1.0, 1.0], [1.0, -1.0]])?;
/// assert_eq!(bilinear_forms(&w, &a, &w)?.to_array()?, ndarray::array![[7.0, 3.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bilinear_forms(u: &Matrix, a: &Matrix, v: &Matrix) -> Result<Matrix> {
    let ((n, m), r) = (a.shape(), u.cols());
    require("bilinear_forms", u.rows() == n && v.rows() == m && v.cols() == r, || {
        format!("u is {:?}, a is {n} x {m}, v is {:?}", u.shape(), v.shape())
    })?;
    match a.shared("bilinear_forms", &[u, v])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu(u.cpu().view(), a.cpu().view(), v.cpu().view()))),
        Shared::Gpu(gpu) => gpu.guard("bilinear_forms", || {
            let product = gemm(1.0, a, Trans::No, v, Trans::No)?;
            reduce(&zip(&product, u, Zip::Mul)?, Along::EachColumn, Reduction::Sum)
        }),
    }
}

fn cpu(u: ArrayView2<f64>, a: ArrayView2<f64>, v: ArrayView2<f64>) -> Array2<f64> {
    let (n, r) = u.dim();
    let mut out = vec![0.0; r];
    if r < 2 * COLUMNS {
        let mut av = Array2::zeros((n, r));
        product(1.0, a, v, 0.0, av.view_mut());
        add_products(u, av.view(), &mut out);
    } else {
        let parts: Vec<_> = windows(r, COLUMNS).zip(out.chunks_mut(COLUMNS)).collect();
        parts.into_par_iter().for_each_init(
            || Array2::zeros((n, COLUMNS)),
            |scratch, (cols, out)| {
                let mut av = scratch.slice_mut(s![.., ..cols.len()]);
                product_alone(1.0, a, v.slice(s![.., cols.clone()]), av.view_mut());
                add_products(u.slice(s![.., cols]), av.view(), out);
            },
        );
    }
    Array2::from_shape_vec((1, r), out).expect("one form for each column")
}

/// Adds the sum of `u_ib v_ib` over i to `out[b]`, by blocks of rows, so that long columns round well.
fn add_products(u: ArrayView2<f64>, v: ArrayView2<f64>, out: &mut [f64]) {
    let mut sums = vec![0.0; out.len()];
    for rows in windows(u.nrows(), 64) {
        sums.fill(0.0);
        for (u, v) in u.slice(s![rows.clone(), ..]).rows().into_iter().zip(v.slice(s![rows, ..]).rows()) {
            for ((s, u), v) in sums.iter_mut().zip(u).zip(v) {
                *s += u * v;
            }
        }
        out.iter_mut().zip(&sums).for_each(|(o, s)| *o += s);
    }
}
