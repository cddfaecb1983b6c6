//! The leading eigenpairs of a centred Gram matrix, and the means that centre it.

use ndarray::{Array1, ArrayView2, Axis};

use super::centred;
use crate::check::finite;
use crate::linalg::{EigenParams, Eigenpairs, Stored, leading_eigenpairs};
use crate::matrix::Points;
use crate::ops::{Along, Reduction, centre, gram, gram_diagonal, reduce};
use crate::{Device, Error, Kernel, Matrix, Result};

/// Rounding of one kernel value in f32, relative to the largest on the diagonal.
const ROUNDING: f64 = 2e-7;
/// How many times that noise the smallest eigenvalue must be whose eigenvector f32 gives.
const CLEAR: f64 = 1e4;

/// What a Gram matrix K says when it is centred.
pub(super) struct Leading {
    pub pairs: Eigenpairs,
    /// The means of the rows of K, and of all of it.
    pub rows: Array1<f64>,
    pub mean: f64,
    /// The trace of `HKH`.
    pub total: f64,
    /// The largest value on the diagonal of K.
    pub size: f64,
}

impl Leading {
    /// The first `count`: on the device where that is worth it and f32 can tell them from rounding, else in f64.
    pub fn of(
        op: &'static str,
        kernel: &Kernel,
        device: &Device,
        x: ArrayView2<f64>,
        count: usize,
        params: &EigenParams,
    ) -> Result<Self> {
        let (n, d) = x.dim();
        // About ten products with blocks of so many vectors.
        let flops = (n * n) as f64 * (2 * d + 20 * (count + params.oversample)) as f64;
        let points = Points::new(op, device, x, kernel.origin(), flops)?;
        let own = gram_diagonal(kernel, points.on_host())?.into_array()?;
        finite(op, "the kernel matrix", own.view())?;
        let size = own.iter().fold(0f64, |m, v| m.max(v.abs()));
        if points.device().is_gpu()
            && let Some(found) = in_f32(kernel, &points, count, params, own.sum(), size)?
        {
            return Ok(found);
        }
        in_f64(op, kernel, &points, count, params, size)
    }
}

fn in_f64(
    op: &'static str,
    kernel: &Kernel,
    points: &Points,
    count: usize,
    params: &EigenParams,
    size: f64,
) -> Result<Leading> {
    let mut k = gram(kernel, points.on_host(), None)?.into_array()?;
    finite(op, "the kernel matrix", k.view())?;
    let (rows, mean) = centred(&mut k);
    let total = k.diag().sum();
    let pairs = leading_eigenpairs(&Stored::new(&Matrix::from_host(k))?, count, params)?;
    Ok(Leading { pairs, rows, mean, total, size })
}

/// K, its centring and its products on the device; the small problems of the search in f64. Nothing if an eigenvalue is too
/// near the rounding of K, or a value is none that f32 holds.
fn in_f32(
    kernel: &Kernel,
    points: &Points,
    count: usize,
    params: &EigenParams,
    trace: f64,
    size: f64,
) -> Result<Option<Leading>> {
    let n = points.host().nrows() as f64;
    let k = match gram(kernel, points.matrix()?, None) {
        // A kernel that has no shader.
        Err(Error::Unsupported { .. }) => return Ok(None),
        k => k?,
    };
    let rows = reduce(&k, Along::EachColumn, Reduction::Mean)?.to_array()?.index_axis_move(Axis(0), 0);
    if rows.iter().any(|v| !v.is_finite()) {
        return Ok(None);
    }
    let mean = rows.sum() / n;
    let centred = centre(&k)?;
    drop(k);
    let pairs = match leading_eigenpairs(&Stored::new(&centred)?, count, params) {
        Err(Error::NoConvergence { .. }) => return Ok(None),
        found => found?,
    };
    // A matrix of independent errors has a norm of twice the root of n.
    let clear = pairs.values.iter().all(|v| *v > CLEAR * ROUNDING * 2.0 * n.sqrt() * size);
    Ok(clear.then(|| Leading { pairs, rows, mean, total: trace - n * mean, size }))
}
