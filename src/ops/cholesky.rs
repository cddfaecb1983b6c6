//! Cholesky factors: `A = L L^T`.
//!
//! On the CPU halves of the matrix, and halves of those, until faer factors 128 rows; all between is matrix products. On
//! the GPU right-looking in blocks of 64, all recorded in one go: factor the diagonal
//! block (one workgroup), multiply the panel below by the block's inverse, subtract the panel's outer product from the
//! lower tiles. A status word holds the first pivot that is not positive; it is read once, at the end.
//! Checked in `tests/ops/cholesky.rs` against `L L^T = A`.

mod on_cpu;

use ndarray::Array2;

use super::gemm::{Block, Part, Product, Trans, on_gpu as product};
use super::solve_triangular::invert_blocks;
use super::{half, require};
use crate::gpu::{Bind, Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};

use on_cpu::{Pivot, factored, factored_in_place};

const LOWER: &str = include_str!("../../shaders/cholesky_lower.wgsl");
const FACTOR: &str = include_str!("../../shaders/cholesky_factor.wgsl");
const PANEL: &str = include_str!("../../shaders/cholesky_panel.wgsl");
pub(super) const BLOCK: usize = 64; // `BLOCK` in the shaders
const TALL: usize = 64; // rows of a panel per workgroup

/// Mirrors `Params` in the three `cholesky_*.wgsl`; each stage uses what it needs.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    stride: u32,
    col: u32,
    first: u32,
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
    let l = Matrix::alloc(gpu, "cholesky.l", (n, n), Precision::Single)?;
    let status = gpu.upload("cholesky.status", bytemuck::cast_slice(&[0u32; 4]))?;
    lower(gpu, a, &l)?;
    // The panel below a block, as it is and transposed: a dispatch may not read the buffer that it writes.
    let panel = Matrix::alloc(gpu, "cholesky.panel", (n, BLOCK), Precision::Single)?;
    let across = Matrix::alloc(gpu, "cholesky.across", (BLOCK, n), Precision::Single)?;
    for j in (0..n).step_by(BLOCK) {
        let next = n.min(j + BLOCK);
        let rows = Params {
            rows: (next - j) as u32,
            stride: l.vec4s() as u32,
            col: (j / 4) as u32,
            first: j as u32,
        };
        stage(gpu, "cholesky_factor", FACTOR, &[l.rows_bind(j, next), status.whole()], &rows, [1, 1, 1])?;
        let rest = n - next;
        if rest == 0 {
            break;
        }
        let inverse = invert_blocks(gpu, &l, j..next, Trans::Yes)?;
        let product = |alpha, a, b, beta, part, out| {
            product(gpu, &Product { alpha, a, ta: Trans::No, b, tb: Trans::No, beta, part }, out)
        };
        let below = Block { of: &l, row: next, col: j, rows: rest, cols: BLOCK };
        let own = Block { of: &panel, row: next, col: 0, rows: rest, cols: BLOCK };
        product(1.0, below, Block::whole(&inverse), 0.0, Part::All, own)?;
        put_panel(gpu, &panel, &l, &across, next, j)?;
        let turned = Block { of: &across, row: 0, col: next, rows: BLOCK, cols: rest };
        let trailing = Block { of: &l, row: next, col: next, rows: rest, cols: rest };
        product(-1.0, own, turned, 1.0, Part::Lower, trailing)?;
    }
    let told = gpu.download(&status, 0, 16)?;
    let word = |i: usize| bytemuck::pod_read_unaligned::<u32>(&told[4 * i..4 * i + 4]);
    match word(0) {
        0 => Ok(l),
        at => Err(Error::NotPositiveDefinite {
            op: "cholesky",
            pivot: at as usize - 1,
            value: f64::from(f32::from_bits(word(1))),
        }),
    }
}

/// The lower triangle of `a`, with zeros above it.
fn lower(gpu: &Gpu, a: &Matrix, l: &Matrix) -> Result<()> {
    let is_half = a.precision() == Precision::Half;
    let source = half::operand("a", 0, is_half);
    let key = format!("cholesky_lower{}", u8::from(is_half));
    for rows in windows(a.rows(), step(&gpu.limits(), 8, &[a, l])?) {
        let params =
            Params { rows: rows.len() as u32, stride: l.vec4s() as u32, col: 0, first: rows.start as u32 };
        gpu.run(&Pass {
            op: "cholesky",
            shader: Shader { key: &key, parts: &[&source, LOWER] },
            entry: "main",
            constants: &[],
            binds: &[a.rows_bind(rows.start, rows.end), l.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [l.vec4s().div_ceil(8) as u32, rows.len().div_ceil(8) as u32, 1],
        })?;
    }
    Ok(())
}

/// Copies rows `row..` of the panel to columns `col..` of `l`, and their transpose to columns `row..` of `across`.
fn put_panel(gpu: &Gpu, panel: &Matrix, l: &Matrix, across: &Matrix, row: usize, col: usize) -> Result<()> {
    for rows in windows(panel.rows() - row, step(&gpu.limits(), TALL, &[panel, l])?) {
        let params = Params {
            rows: rows.len() as u32,
            stride: l.vec4s() as u32,
            col: (col / 4) as u32,
            first: ((row + rows.start) / 4) as u32,
        };
        let (from, to) = (row + rows.start, row + rows.end);
        let binds = [panel.rows_bind(from, to), l.rows_bind(from, to), across.rows_bind(0, BLOCK)];
        stage(gpu, "cholesky_panel", PANEL, &binds, &params, [1, rows.len().div_ceil(TALL) as u32, 1])?;
    }
    Ok(())
}

fn stage(gpu: &Gpu, key: &str, text: &str, binds: &[Bind], params: &Params, grid: [u32; 3]) -> Result<()> {
    gpu.run(&Pass {
        op: "cholesky",
        shader: Shader { key, parts: &[text] },
        entry: "main",
        constants: &[],
        binds,
        params: bytemuck::bytes_of(params),
        grid,
    })
}
