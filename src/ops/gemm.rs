//! Matrix products: `alpha op(A) op(B) + beta C`, and the symmetric `alpha op(A) op(A)^T`.
//!
//! The CPU path is f64: `host/product` where there is AVX2, else the `gemm` crate. On the GPU there are two shapes of one algorithm: a tile staged in
//! workgroup memory for hardware, a direct one for software adapters, where barriers cost and caches are large.
//! Both are checked against the triple loop in `tests/ops/gemm.rs`.

mod forms;
mod on_cpu;
mod on_gpu;
mod relabelled_forms;

use ndarray::{Array2, ArrayView2};

use super::half::single;
use super::require;
use crate::host::memory::{copy, room};
use crate::matrix::Shared;
use crate::matrix::window::windows;
use crate::{Matrix, Precision, Result};

pub(crate) use crate::host::product::Entries;
pub use forms::bilinear_forms;
use on_cpu::syrk as syrk_cpu;
pub(crate) use on_cpu::{
    accumulate_alone, accumulate_lower_alone, add_lower, on_a_worker, product, product_alone,
};
use on_gpu::mirrored_in_one;
pub(super) use on_gpu::{Block, Part, Product, on_gpu};
pub use relabelled_forms::{Relabellings, relabelled_forms};

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
        Shared::Cpu => Ok(Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, 0.0, room(m, n)))),
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
            let (_, k) = t.shape(a);
            let whole = out.bytes() <= gpu.limits().binding_bytes && mirrored_in_one(gpu, n, k);
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

/// The first `cols` columns of `A op(B)`.
///
/// # Errors
/// As [`gemm()`], and for more columns than op(B) has.
pub(crate) fn leading(a: &Matrix, b: &Matrix, tb: Trans, cols: usize) -> Result<Matrix> {
    let (m, n, k) = check(a, Trans::No, b, tb)?;
    require("gemm", cols <= n && cols > 0, || format!("{cols} columns of {n}"))?;
    match a.shared("gemm", &[b])? {
        Shared::Cpu => {
            let mut out = Array2::zeros((m, cols));
            let part = view(b.cpu(), tb);
            product(1.0, a.cpu().view(), part.slice(ndarray::s![.., ..cols]), 0.0, out.view_mut());
            Ok(Matrix::from_host(out))
        }
        Shared::Gpu(gpu) => gpu.guard("gemm", || {
            let out = Matrix::alloc(gpu, "gemm.out", (m, cols), Precision::Single)?;
            let (rows, wide) = if tb == Trans::No { (k, cols) } else { (cols, k) };
            let (a, b) = (Block::whole(a), Block { of: b, row: 0, col: 0, rows, cols: wide });
            let (ta, part) = (Trans::No, Part::All);
            on_gpu(gpu, &Product { alpha: 1.0, a, ta, b, tb, beta: 0.0, part }, Block::whole(&out))?;
            Ok(out)
        }),
    }
}

/// `C ← alpha op(A) op(B) + C`, in C's own memory where nobody else holds it.
///
/// # Errors
/// As [`gemm_add`].
pub(crate) fn accumulate(
    alpha: f64,
    (a, ta): (&Matrix, Trans),
    (b, tb): (&Matrix, Trans),
    c: &mut Matrix,
) -> Result<()> {
    let (m, n, _) = check(a, ta, b, tb)?;
    require("gemm_add", c.shape() == (m, n), || format!("c is {:?}, the product {:?}", c.shape(), (m, n)))?;
    c.make_own()?;
    match a.shared("gemm_add", &[b, c])? {
        Shared::Cpu => {
            let own = std::mem::replace(c, Matrix::from_host(Array2::zeros((0, 0)))).into_array()?;
            *c = Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, 1.0, own));
            Ok(())
        }
        Shared::Gpu(gpu) => gpu.guard("gemm_add", || {
            let (a, b) = (Block::whole(a), Block::whole(b));
            on_gpu(gpu, &Product { alpha, a, ta, b, tb, beta: 1.0, part: Part::All }, Block::whole(c))
        }),
    }
}

/// Rows of a block of [`triangle_squared`].
const BLOCK_ROWS: usize = 512;

/// The lower triangle of `XᵀX` for a lower triangular X on a GPU, in `n³/6` multiply-adds where [`syrk`] takes `n³/2`: in
/// the sum of an entry no row counts above its own. What is above the diagonal is not to be read.
///
/// # Errors
/// Only those of the device.
pub(crate) fn triangle_squared(x: &Matrix) -> Result<Matrix> {
    let n = x.rows();
    match x.place() {
        Shared::Gpu(gpu) if !gpu.direct() && n > BLOCK_ROWS => gpu.guard("syrk", || {
            let out = Matrix::alloc(gpu, "syrk.out", (n, n), Precision::Single)?;
            for rows in windows(n, BLOCK_ROWS) {
                let below = n - rows.start;
                let a = Block { of: x, row: rows.start, col: rows.start, rows: below, cols: rows.len() };
                let b = Block { of: x, row: rows.start, col: 0, rows: below, cols: rows.end };
                let (ta, tb, part) = (Trans::Yes, Trans::No, Part::All);
                let place = Block { of: &out, row: rows.start, col: 0, rows: rows.len(), cols: rows.end };
                on_gpu(gpu, &Product { alpha: 1.0, a, ta, b, tb, beta: 0.0, part }, place)?;
            }
            Ok(out)
        }),
        // A software adapter would transpose X for each block.
        _ => syrk(1.0, x, Trans::Yes),
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
