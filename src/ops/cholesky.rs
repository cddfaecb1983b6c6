//! Cholesky factors: `A = L L^T`.
//!
//! On the CPU halves of the matrix, and halves of those, until faer factors 128 rows; all between is matrix products. On
//! the GPU in panels of 256 columns (1024 on a software adapter), all recorded in one go. A panel goes from left to right
//! in blocks of 64: subtract what the panel's earlier blocks contribute, factor and invert the diagonal block (one
//! workgroup), multiply the rows below by that inverse. After it the panel's outer product comes off the lower tiles on
//! its right. A status word holds the first pivot that is not positive; it is read once, at the end.
//! Checked in `tests/ops/cholesky.rs` against `L L^T = A`.

mod on_cpu;

use std::borrow::Cow;

use ndarray::Array2;

use super::gemm::{Block, Part, Product, Trans, on_gpu as product};
use super::half::single;
use super::require;
use crate::gpu::{Bind, Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Device, Error, Matrix, Precision, Result};

use on_cpu::{Pivot, factored, factored_in_place};

const FACTOR: &str = include_str!("../../shaders/cholesky_factor.wgsl");
const PANEL: &str = include_str!("../../shaders/cholesky_panel.wgsl");
pub(super) const BLOCK: usize = 64; // rows of a diagonal block, as in the shaders
const TALL: usize = 64; // rows of a panel per workgroup

/// Mirrors `Params` in both `cholesky_*.wgsl`; each stage uses what it needs.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    stride: u32,
    col: u32,
    first: u32,
    wide: u32,
}

/// The lower triangular `L` with `L L^T = A`, zeros above the diagonal.
///
/// `a` is `n x n` and symmetric; one triangle of it is read.
///
/// # Errors
/// [`Error::Shape`] if `a` is not square; [`Error::NotPositiveDefinite`] with the first pivot that is not positive.
///
/// ```
/// use mercer::{Device, Matrix, ops::cholesky};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[4.0, 2.0], [2.0, 5.0]].view())?;
/// assert_eq!(cholesky(&a)?.to_array()?, ndarray::array![[2.0, 0.0], [1.0, 2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn cholesky(a: &Matrix) -> Result<Matrix> {
    let (n, m) = a.shape();
    require("cholesky", n == m, || format!("a is {n} x {m}, not square"))?;
    match a.place() {
        Shared::Cpu => factored(a.cpu()).map(Matrix::from_host).map_err(refused),
        Shared::Gpu(gpu) => gpu.guard("cholesky", || on_gpu(gpu, a)),
    }
}

/// [`cholesky`] of a square host matrix in its own memory; the lower triangle is read.
pub(crate) fn cholesky_in_place(a: Array2<f64>) -> Result<Matrix> {
    factored_in_place(a).map(Matrix::from_host).map_err(refused)
}

fn refused((pivot, value): Pivot) -> Error {
    Error::NotPositiveDefinite { op: "cholesky", pivot, value }
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    let n = a.rows();
    let l = copied(gpu, a)?;
    let status = gpu.upload("cholesky.status", bytemuck::cast_slice(&[0u32; 4]))?;
    let wide = wide(n, gpu.direct());
    // The panel's finished columns, as they are and transposed: a dispatch may not read the buffer that it writes.
    let panel = Matrix::alloc(gpu, "cholesky.panel", (n, wide), Precision::Single)?;
    let across = Matrix::alloc(gpu, "cholesky.across", (wide, n), Precision::Single)?;
    // The transposed inverses of all diagonal blocks, which stay with the factor: whole blocks, whatever n is.
    let inverses =
        Matrix::alloc(gpu, "cholesky.inverses", (n.next_multiple_of(BLOCK), BLOCK), Precision::Single)?;
    let (ta, tb) = (Trans::No, Trans::No);
    // Takes what the panel's first `depth` columns contribute from `cols` columns at the diagonal, from `at` downwards.
    let subtract = |at: usize, cols: usize, depth: usize, part: Part| {
        let a = Block { of: &panel, row: at, col: 0, rows: n - at, cols: depth };
        let b = Block { of: &across, row: 0, col: at, rows: depth, cols };
        let out = Block { of: &l, row: at, col: at, rows: n - at, cols };
        product(gpu, &Product { alpha: -1.0, a, ta, b, tb, beta: 1.0, part }, out)
    };
    for j in (0..n).step_by(BLOCK) {
        let next = n.min(j + BLOCK);
        let done = j % wide;
        if done > 0 {
            subtract(j, next - j, done, Part::All)?;
        }
        let params = Params {
            rows: (next - j) as u32,
            stride: l.vec4s() as u32,
            col: (j / 4) as u32,
            first: j as u32,
            wide: panel.vec4s() as u32,
        };
        let block = (4 * BLOCK * BLOCK) as f64;
        let binds =
            [l.rows_bind(j, next).touching(2.0 * block), inverses.rows_bind(j, j + BLOCK), status.whole()];
        // A factor and its inverse.
        let work = 2.0 / 3.0 * BLOCK.pow(3) as f64;
        stage(gpu, "cholesky_factor", FACTOR, &binds, &params, [1, 1, 1], work)?;
        let rest = n - next;
        if rest == 0 {
            break;
        }
        let a = Block { of: &l, row: next, col: j, rows: rest, cols: BLOCK };
        let own = Block { of: &panel, row: next, col: done, rows: rest, cols: BLOCK };
        let b = Block { of: &inverses, row: j, col: 0, rows: BLOCK, cols: BLOCK };
        let solve = Product { alpha: 1.0, a, ta, b, tb, beta: 0.0, part: Part::All };
        product(gpu, &solve, own)?;
        put_panel(gpu, &panel, &l, &across, j)?;
        if next.is_multiple_of(wide) {
            subtract(next, rest, wide, Part::Lower)?;
        }
    }
    let told = gpu.download(&status, 0, 16)?;
    let word = |i: usize| bytemuck::pod_read_unaligned::<u32>(&told[4 * i..4 * i + 4]);
    match word(0) {
        0 => Ok(l.with_inverses(inverses)),
        at => Err(Error::NotPositiveDefinite {
            op: "cholesky",
            pivot: at as usize - 1,
            value: f64::from(f32::from_bits(word(1))),
        }),
    }
}

/// Columns of a panel.
///
/// A software adapter gains by long sums, which leave few entries to read and write; hardware by many tiles at once.
fn wide(n: usize, direct: bool) -> usize {
    n.next_multiple_of(BLOCK).min(if direct { 1024 } else { 256 })
}

/// Bytes of the inverses of its diagonal blocks that a factor of n rows brings along on a GPU.
pub(crate) fn inverses_bytes(n: usize) -> f64 {
    (4 * BLOCK) as f64 * (n as f64 + BLOCK as f64)
}

/// Bytes that a GPU holds while it factors an n x n matrix: that, its factor with the inverses of its diagonal blocks,
/// and a panel as it is and transposed.
///
/// In f64, whose conversion saturates where n is absurd.
pub(crate) fn factoring_bytes(device: &Device, n: usize) -> f64 {
    let (blocks, n, panel) = (inverses_bytes(n), n as f64, n.min(1 << 20));
    let row = 16.0 * (n / 4.0).ceil();
    2.0 * n * row + blocks + 2.0 * row * wide(panel, device.direct()) as f64
}

/// `a` in f32, in a buffer of its own.
fn copied(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    match single(a)? {
        Cow::Owned(l) => Ok(l),
        Cow::Borrowed(a) => {
            let l = Matrix::alloc(gpu, "cholesky.l", a.shape(), Precision::Single)?;
            gpu.copy(a.buffer(), 0, l.buffer(), 0, l.bytes());
            Ok(l)
        }
    }
}

/// Copies a block of the panel, below its diagonal block at `j`, to its columns of `l`, with zeros in the mirror image
/// of these, and its transpose to `across`.
fn put_panel(gpu: &Gpu, panel: &Matrix, l: &Matrix, across: &Matrix, j: usize) -> Result<()> {
    let (next, done) = (j + BLOCK, j % panel.cols());
    for rows in windows(l.rows() - next, step(&gpu.limits(), TALL, &[panel, l])?) {
        let (from, to) = (next + rows.start, next + rows.end);
        let params = Params {
            rows: rows.len() as u32,
            stride: l.vec4s() as u32,
            col: (j / 4) as u32,
            first: (from / 4) as u32,
            wide: panel.vec4s() as u32,
        };
        let columns = (4 * rows.len() * BLOCK) as f64;
        let binds = [
            panel.rows_bind(from, to).touching(columns),
            l.rows_bind(from, to).touching(columns),
            l.rows_bind(j, next).touching(columns),
            across.rows_bind(done, done + BLOCK).touching(columns),
        ];
        stage(gpu, "cholesky_panel", PANEL, &binds, &params, [1, rows.len().div_ceil(TALL) as u32, 1], 0.0)?;
    }
    Ok(())
}

fn stage(
    gpu: &Gpu,
    key: &str,
    text: &str,
    binds: &[Bind],
    params: &Params,
    grid: [u32; 3],
    work: f64,
) -> Result<()> {
    gpu.run(&Pass {
        op: "cholesky",
        shader: Shader::new(key, &[text]),
        entry: "main",
        constants: &[],
        binds,
        params: bytemuck::bytes_of(params),
        grid,
        work,
    })
}
