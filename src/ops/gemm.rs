//! Matrix products: `alpha op(A) op(B) + beta C`, and the symmetric `alpha op(A) op(A)^T`.
//!
//! The CPU path is the `gemm` crate in f64. On the GPU there are two shapes of one algorithm: a tile staged in
//! workgroup memory for hardware, a direct one for software adapters, where barriers cost and caches are large.
//! Both are checked against the triple loop in `tests/ops/gemm.rs`.

use std::ops::Range;

use gemm::Parallelism;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::window::{step, windows};
use super::{require, transpose};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::{Matrix, Precision, Result};

const TILED: &str = include_str!("../../shaders/gemm_tiled.wgsl");
const DIRECT: &str = include_str!("../../shaders/gemm_direct.wgsl");
const TILE: usize = 64; // rows and columns per workgroup, in both shaders
/// Longest sum in one dispatch: llvmpipe ends loops after 65,535 iterations, and shorter sums round less.
const MAX_K: usize = 16_384;

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

/// Mirrors `Params` in both shaders.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    m: u32,
    n: u32,
    k: u32,
    a_stride: u32,
    b_stride: u32,
    c_stride: u32,
    a_col: u32,
    b_col: u32,
    c_col: u32,
    shift: i32,
    alpha: f32,
    beta: f32,
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
        Shared::Cpu => {
            Ok(Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, 0.0, Array2::zeros((m, n)))))
        }
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
/// As [`gemm`], and if `c` does not have the product's shape.
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
        Shared::Cpu => Ok(Matrix::from_host(cpu(alpha, a.cpu(), ta, b.cpu(), tb, beta, c.cpu().clone()))),
        Shared::Gpu(gpu) => gpu.guard("gemm_add", || {
            let out = Matrix::alloc(gpu, "gemm.out", (m, n), Precision::Single)?;
            gpu.copy(c.buffer(), 0, out.buffer(), 0, out.bytes());
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
            let part = if out.bytes() <= gpu.limits().binding_bytes { Part::Mirrored } else { Part::All };
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
    let n = a.nrows();
    let mut c = Array2::zeros((n, n));
    for rows in windows(n, 512.max(n.div_ceil(8))) {
        let upto = rows.end;
        let (left, right) = (a.slice(ndarray::s![rows.clone(), ..]), a.slice(ndarray::s![..upto, ..]));
        product(alpha, left, right.t(), 0.0, c.slice_mut(ndarray::s![rows, ..upto]));
    }
    mirror_lower(&mut c);
    c
}

/// Copies the lower triangle onto the upper one, in blocks that stay in cache.
pub(crate) fn mirror_lower(c: &mut Array2<f64>) {
    const B: usize = 64;
    let n = c.nrows();
    for i0 in (0..n).step_by(B) {
        for j0 in (0..=i0).step_by(B) {
            for i in i0..n.min(i0 + B) {
                for j in j0..(j0 + B).min(i) {
                    c[[j, i]] = c[[i, j]];
                }
            }
        }
    }
}

/// A rectangle of a matrix on a GPU. `row` is a multiple of 32, `col` of 4, so that it can be bound and read by vec4s.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub of: &'a Matrix,
    pub row: usize,
    pub col: usize,
    pub rows: usize,
    pub cols: usize,
}

impl<'a> Block<'a> {
    pub fn whole(of: &'a Matrix) -> Self {
        Block { of, row: 0, col: 0, rows: of.rows(), cols: of.cols() }
    }
}

/// Which part of a symmetric product is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// Tiles on and below the diagonal; those above keep what they hold.
    Lower,
    /// The lower tiles, and their mirror images above; needs a whole output in one binding and `beta` = 0.
    Mirrored,
}

/// What to compute into an output that already exists (and is read when `beta` is not zero).
pub(super) struct Product<'a> {
    pub alpha: f64,
    pub a: Block<'a>,
    pub ta: Trans,
    pub b: Block<'a>,
    pub tb: Trans,
    pub beta: f64,
    pub part: Part,
}

/// Records the product, split into windows of m, n and k such that each operand fits a binding.
pub(super) fn on_gpu(gpu: &Gpu, p: &Product, out: Block) -> Result<()> {
    let direct = gpu.direct();
    // Lanes run along columns: the direct shape wants b row-major, and a transpose is O(nk) beside O(mnk).
    let flipped = if direct && p.tb == Trans::Yes { Some(transpose(p.b.of)?) } else { None };
    let (b, tb) = match &flipped {
        None => (p.b, p.tb),
        Some(of) => (Block { of, row: p.b.col, col: p.b.row, rows: p.b.cols, cols: p.b.rows }, Trans::No),
    };
    let k = if p.ta == Trans::No { p.a.cols } else { p.a.rows };
    let limits = gpu.limits();
    // Each operand is bound by windows of its rows; which of m, n, k those are depends on its transposition.
    let (mut by_m, mut by_n, mut by_k) = (vec![out.of], vec![], vec![]);
    if p.ta == Trans::No {
        by_m.push(p.a.of)
    } else {
        by_k.push(p.a.of)
    }
    if tb == Trans::No {
        by_k.push(b.of)
    } else {
        by_n.push(b.of)
    }
    let (dm, dn) = (step(&limits, TILE, &by_m)?, step(&limits, TILE, &by_n)?);
    // A window of a triangle starts at a tile's edge, so that no tile straddles the diagonal.
    let dm = if p.part == Part::All { dm } else { (dm / TILE).max(1) * TILE };
    let dk = step(&limits, TILE, &by_k)?.min(MAX_K);
    let [half_a, half_b] = [p.a.of, b.of].map(|m| m.precision() == Precision::Half);
    let source = [super::half::operand("a", 0, half_a), super::half::operand("b", 1, half_b)];
    let (body, shape) = if direct { (DIRECT, "direct") } else { (TILED, "tiled") };
    let key = format!("gemm_{shape}{}{}", u8::from(half_a), u8::from(half_b));
    let flag = |on: bool| f64::from(u8::from(on));
    let mut constants = vec![
        ("TRANS_A", flag(p.ta == Trans::Yes)),
        ("LOWER", flag(p.part != Part::All)),
        ("MIRROR", flag(p.part == Part::Mirrored)),
    ];
    if !direct {
        constants.push(("TRANS_B", flag(tb == Trans::Yes)));
    }
    // Stored rows and first stored column of the window (i, j) of op(x).
    let place = |x: &Block, t: Trans, i: &Range<usize>, j: &Range<usize>| {
        let (rows, cols) = if t == Trans::No { (i, j) } else { (j, i) };
        (x.row + rows.start..x.row + rows.end, (x.col + cols.start) / 4)
    };
    for rm in windows(out.rows, dm) {
        for rn in windows(out.cols, dn) {
            for rk in windows(k, dk) {
                let (a_rows, a_col) = place(&p.a, p.ta, &rm, &rk);
                let (b_rows, b_col) = place(&b, tb, &rk, &rn);
                let (c_rows, c_col) = place(&out, Trans::No, &rm, &rn);
                let params = Params {
                    m: rm.len() as u32,
                    n: rn.len() as u32,
                    k: rk.len() as u32,
                    a_stride: p.a.of.vec4s() as u32,
                    b_stride: b.of.vec4s() as u32,
                    c_stride: out.of.vec4s() as u32,
                    a_col: a_col as u32,
                    b_col: b_col as u32,
                    c_col: c_col as u32,
                    shift: rm.start as i32 - rn.start as i32,
                    alpha: p.alpha as f32,
                    beta: if rk.start == 0 { p.beta as f32 } else { 1.0 },
                };
                gpu.run(&Pass {
                    op: "gemm",
                    shader: Shader { key: &key, parts: &[&source[0], &source[1], body] },
                    entry: "main",
                    constants: &constants,
                    binds: &[
                        p.a.of.rows_bind(a_rows.start, a_rows.end),
                        b.of.rows_bind(b_rows.start, b_rows.end),
                        out.of.rows_bind(c_rows.start, c_rows.end),
                    ],
                    params: bytemuck::bytes_of(&params),
                    grid: [rn.len().div_ceil(TILE) as u32, rm.len().div_ceil(TILE) as u32, 1],
                })?;
            }
        }
    }
    Ok(())
}
