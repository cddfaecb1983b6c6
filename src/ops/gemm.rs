//! Matrix products: `alpha op(A) op(B) + beta C`, and the symmetric `alpha op(A) op(A)^T`.
//!
//! The CPU path is the `gemm` crate in f64. On the GPU there are two shapes of one algorithm: a tile staged in
//! workgroup memory for hardware, a direct one for software adapters, where barriers cost and caches are large.
//! Both are checked against the triple loop in `tests/ops/gemm.rs`.

mod forms;
mod on_gpu;

use std::ops::Range;

use gemm::Parallelism;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use rayon::prelude::*;

use super::half::single;
use super::require;
use crate::matrix::Shared;
use crate::matrix::host::{copy, mirror_lower, zeros};
use crate::matrix::window::windows;
use crate::{Matrix, Precision, Result};

pub use forms::bilinear_forms;
pub(super) use on_gpu::{Block, Part, Product, on_gpu};

/// Shares that the sums of a small symmetric product are cut into.
const LANES: usize = 8;

/// Whether an operand is used as it is or transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trans {
    /// As it is.
    No,
    /// Transposed.
    Yes,
}

impl Trans {
    fn shape(self, m: &Matrix) -> (usize, usize) {
        if self == Trans::No { (m.rows(), m.cols()) } else { (m.cols(), m.rows()) }
    }

    pub(super) fn flip(self) -> Self {
        if self == Trans::No { Trans::Yes } else { Trans::No }
    }
}

/// `C = alpha op(A) op(B)`.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the inner dimensions differ,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{gemm, Trans}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0]].view())?;
/// let outer = gemm(1.0, &a, Trans::Yes, &a, Trans::No)?;
/// assert_eq!(outer.to_array()?, ndarray::array![[1.0, 2.0], [2.0, 4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gemm(alpha: f64, a: &Matrix, ta: Trans, b: &Matrix, tb: Trans) -> Result<Matrix> {
    let (m, n, _) = check(a, ta, b, tb)?;
    match a.shared("gemm", &[b])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, 0.0, zeros(m, n)))),
        Shared::Gpu(gpu) => gpu.guard("gemm", || {
            let out = Matrix::alloc(gpu, "gemm.out", (m, n), Precision::Single)?;
            let (a, b) = (Block::whole(a), Block::whole(b));
            on_gpu(gpu, &Product { alpha, a, ta, b, tb, beta: 0.0, part: Part::All }, Block::whole(&out))?;
            Ok(out)
        }),
    }
}

/// `alpha op(A) op(B) + beta C`.
///
/// # Errors
/// As [`gemm()`], and if `c` does not have the product's shape.
pub fn gemm_add(
    alpha: f64,
    a: &Matrix,
    ta: Trans,
    b: &Matrix,
    tb: Trans,
    beta: f64,
    c: &Matrix,
) -> Result<Matrix> {
    let (m, n, _) = check(a, ta, b, tb)?;
    require("gemm_add", c.shape() == (m, n), || format!("c is {:?}, the product {:?}", c.shape(), (m, n)))?;
    match a.shared("gemm_add", &[b, c])? {
        Shared::Cpu => {
            Ok(Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, beta, copy(c.cpu().view()))))
        }
        Shared::Gpu(gpu) => gpu.guard("gemm_add", || {
            let out = Matrix::alloc(gpu, "gemm.out", (m, n), Precision::Single)?;
            gpu.copy(single(c)?.buffer(), 0, out.buffer(), 0, out.bytes());
            let (a, b) = (Block::whole(a), Block::whole(b));
            on_gpu(gpu, &Product { alpha, a, ta, b, tb, beta, part: Part::All }, Block::whole(&out))?;
            Ok(out)
        }),
    }
}

/// `alpha op(A) op(A)^T`, exactly symmetric: one triangle is computed, the other copied.
///
/// # Errors
/// Only those of the device.
pub fn syrk(alpha: f64, a: &Matrix, t: Trans) -> Result<Matrix> {
    let (n, _) = t.shape(a);
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(syrk_cpu(alpha, a.cpu(), t))),
        Shared::Gpu(gpu) => gpu.guard("syrk", || {
            let out = Matrix::alloc(gpu, "syrk.out", (n, n), Precision::Single)?;
            // The mirror image of a window lies outside of it: only a result in one piece can be mirrored.
            // The direct shape computes both triangles, by the same sums and so with the same bits.
            let whole = out.bytes() <= gpu.limits().binding_bytes;
            let part = if whole && !gpu.direct() { Part::Mirrored } else { Part::All };
            let a = Block::whole(a);
            on_gpu(
                gpu,
                &Product { alpha, a, ta: t, b: a, tb: t.flip(), beta: 0.0, part },
                Block::whole(&out),
            )?;
            Ok(out)
        }),
    }
}

fn check(a: &Matrix, ta: Trans, b: &Matrix, tb: Trans) -> Result<(usize, usize, usize)> {
    let ((m, k), (kb, n)) = (ta.shape(a), tb.shape(b));
    require("gemm", k == kb, || format!("op(a) is {m} x {k}, op(b) is {kb} x {n}"))?;
    Ok((m, n, k))
}

fn view(a: &Array2<f64>, t: Trans) -> ArrayView2<'_, f64> {
    if t == Trans::No { a.view() } else { a.t() }
}

fn cpu(
    alpha: f64,
    a: &Array2<f64>,
    ta: Trans,
    b: &Array2<f64>,
    tb: Trans,
    beta: f64,
    mut c: Array2<f64>,
) -> Array2<f64> {
    let (a, b) = (view(a, ta), view(b, tb));
    product(alpha, a, b, beta, c.view_mut());
    c
}

/// `c = alpha a b + beta c` on every core, whatever the strides.
pub(crate) fn product(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, beta: f64, c: ArrayViewMut2<f64>) {
    let small = a.nrows() * a.ncols() * b.ncols() < 40_000;
    on_threads(alpha, a, b, beta, c, if small { Parallelism::None } else { Parallelism::Rayon(0) });
}

/// `c = alpha a b` on the calling thread, for callers that are parallel themselves.
pub(crate) fn product_alone(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    on_threads(alpha, a, b, 0.0, c, Parallelism::None);
}

/// `c += alpha a b` on the calling thread.
pub(crate) fn accumulate_alone(alpha: f64, a: ArrayView2<f64>, b: ArrayView2<f64>, c: ArrayViewMut2<f64>) {
    on_threads(alpha, a, b, 1.0, c, Parallelism::None);
}

fn on_threads(
    alpha: f64,
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    beta: f64,
    mut c: ArrayViewMut2<f64>,
    threads: Parallelism,
) {
    let ((m, k), n) = (a.dim(), b.ncols());
    assert_eq!((b.nrows(), c.dim()), (k, (m, n)), "the caller has checked the shapes");
    let [c_rs, c_cs] = [c.strides()[0], c.strides()[1]];
    // SAFETY: the pointers and strides come from live views of the asserted shapes, and `c` is borrowed mutably.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            c_cs,
            c_rs,
            beta != 0.0,
            a.as_ptr(),
            a.strides()[1],
            a.strides()[0],
            b.as_ptr(),
            b.strides()[1],
            b.strides()[0],
            beta,
            alpha,
            false,
            false,
            false,
            threads,
        );
    }
}

/// Blocks of rows against all columns up to their diagonal: half the flops of the full product, then a mirror.
fn syrk_cpu(alpha: f64, a: &Array2<f64>, t: Trans) -> Array2<f64> {
    let a = view(a, t);
    let (n, k) = a.dim();
    if n <= 512 && k >= LANES * 64 && n * n * k >= 1 << 22 {
        return syrk_lanes(alpha, a);
    }
    let mut c = zeros(n, n);
    for rows in windows(n, 512.max(n.div_ceil(8))) {
        let upto = rows.end;
        let (left, right) = (a.slice(ndarray::s![rows.clone(), ..]), a.slice(ndarray::s![..upto, ..]));
        product(alpha, left, right.t(), 0.0, c.slice_mut(ndarray::s![rows, ..upto]));
    }
    mirror_lower(&mut c);
    c
}

/// A small result of long sums, as covariances are: threads share the terms of the sums, not the entries, which are too
/// few. The shares and their order are fixed, so that the bits do not depend on the number of threads.
fn syrk_lanes(alpha: f64, a: ArrayView2<f64>) -> Array2<f64> {
    let (n, k) = a.dim();
    let rows = n.div_ceil(3).next_multiple_of(8);
    let lane = |terms: Range<usize>| {
        let a = a.slice(ndarray::s![.., terms]);
        let mut c = Array2::zeros((n, n));
        for rows in windows(n, rows) {
            let (left, right) =
                (a.slice(ndarray::s![rows.clone(), ..]), a.slice(ndarray::s![..rows.end, ..]));
            let upto = rows.end;
            product_alone(alpha, left, right.t(), c.slice_mut(ndarray::s![rows, ..upto]));
        }
        c
    };
    let terms: Vec<Range<usize>> = windows(k, k.div_ceil(LANES)).collect();
    let parts: Vec<Array2<f64>> = terms.into_par_iter().map(lane).collect();
    let mut parts = parts.into_iter();
    let mut c = parts.next().unwrap_or_else(|| Array2::zeros((n, n)));
    parts.for_each(|part| c += &part);
    mirror_lower(&mut c);
    c
}
