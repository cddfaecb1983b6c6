//! Triangular solves: `op(T) X = B` and `X op(T) = B`, for many right-hand sides.
//!
//! On the CPU halves of the matrix, and halves of those, until 64 rows are left for faer, or 256 for a kernel of our own where
//! there is one; all between is matrix products.
//! On the GPU every step is a matrix product with the inverse of a 64 x 64 diagonal block: a Cholesky factor brings those
//! inverses along, those of any other matrix are made first, in one dispatch. Checked in `tests/ops/solve_triangular.rs` against `op(T) X = B`.

mod on_cpu;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::cholesky::BLOCK;
use super::gemm::{Block, Part, Product, Trans, on_a_worker, on_gpu as product};
use super::half::single;
use super::{Map, add_diagonal, map, require, transpose};
use crate::gpu::{Gpu, Pass, Shader};
use crate::host::memory::copy;
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};

pub(crate) use on_cpu::solve_in_place;

const SHADER: &str = include_str!("../../shaders/solve_triangular.wgsl");

/// Which triangle holds the matrix; the other is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    /// On and below the diagonal.
    Lower,
    /// On and above the diagonal.
    Upper,
}

impl Triangle {
    fn flip(self) -> Self {
        if self == Triangle::Lower { Triangle::Upper } else { Triangle::Lower }
    }
}

/// Which side of the unknown the triangular matrix stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `op(T) X = B`.
    Left,
    /// `X op(T) = B`.
    Right,
}

/// Mirrors `Params` in `shaders/solve_triangular.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    stride: u32,
    col: u32,
}

/// `X` with `op(T) X = B` (left) or `X op(T) = B` (right).
///
/// `t` is `n x n` triangular; `b` is `n x r` on the left, `r x n` on the right.
///
/// # Errors
/// [`Error::Shape`] on misfits. On the CPU [`Error::Singular`] for a zero on the diagonal; a GPU gives infinities
/// there, because finding out would mean reading back.
///
/// ```
/// use mercer::{Device, Matrix, ops::{solve_triangular, Side, Trans, Triangle}};
/// let cpu = Device::cpu();
/// let l = Matrix::from_array(&cpu, ndarray::array![[2.0, 0.0], [1.0, 4.0]].view())?;
/// let b = Matrix::column(&cpu, &[2.0, 9.0])?;
/// let x = solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &b)?;
/// assert_eq!(x.to_array()?, ndarray::array![[1.0], [2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn solve_triangular(t: &Matrix, triangle: Triangle, op: Trans, side: Side, b: &Matrix) -> Result<Matrix> {
    let (n, m) = t.shape();
    require("solve_triangular", n == m, || format!("t is {n} x {m}, not square"))?;
    let fits = if side == Side::Left { b.rows() } else { b.cols() };
    require("solve_triangular", fits == n, || {
        format!("t is {n} x {n}, b is {:?}, on the {side:?}", b.shape())
    })?;
    match t.shared("solve_triangular", &[b])? {
        Shared::Cpu => cpu(t.cpu(), triangle, op, side, b.cpu()).map(Matrix::from_host),
        // X op(T) = B is op(T)^T X^T = B^T.
        Shared::Gpu(_) if side == Side::Right => {
            transpose(&solve_triangular(t, triangle, op.flip(), Side::Left, &transpose(b)?)?)
        }
        // The columns of an upper matrix are the rows of a lower one.
        Shared::Gpu(_) if triangle == Triangle::Upper => {
            solve_triangular(&transpose(t)?, Triangle::Lower, op.flip(), Side::Left, b)
        }
        Shared::Gpu(gpu) => gpu.guard("solve_triangular", || on_gpu(gpu, &*single(t)?, op, &*single(b)?)),
    }
}

fn cpu(t: &Array2<f64>, triangle: Triangle, op: Trans, side: Side, b: &Array2<f64>) -> Result<Array2<f64>> {
    regular(t)?;
    // Solving from the right is solving the transposed system from the left; both are only other strides.
    let flipped = (op == Trans::Yes) != (side == Side::Right);
    let triangle = if flipped { triangle.flip() } else { triangle };
    let mut x = copy(b.view());
    let view = if side == Side::Right { x.view_mut().reversed_axes() } else { x.view_mut() };
    substitute(if flipped { t.t() } else { t.view() }, triangle, view);
    Ok(x)
}

/// `x = t⁻¹ x` for a triangle on the host, in the memory of x.
///
/// # Errors
/// As [`solve_triangular()`].
pub(crate) fn solve_triangular_in_place(t: &Matrix, triangle: Triangle, x: ArrayViewMut2<f64>) -> Result<()> {
    let (n, rows) = (t.rows(), x.nrows());
    require("solve_triangular", t.cols() == n && rows == n, || {
        format!("t is {n} x {}, x has {rows} rows", t.cols())
    })?;
    regular(t.cpu())?;
    substitute(t.cpu().view(), triangle, x);
    Ok(())
}

/// An error for a zero on the diagonal.
fn regular(t: &Array2<f64>) -> Result<()> {
    match t.diag().indexed_iter().find(|(_, v)| **v == 0.0) {
        None => Ok(()),
        Some((index, &value)) => Err(Error::Singular { op: "solve_triangular", index, value }),
    }
}

fn substitute(t: ArrayView2<f64>, triangle: Triangle, x: ArrayViewMut2<f64>) {
    // Few columns are one call of faer, which wakes its own.
    let terms = if x.ncols() < 16 { 0 } else { x.len() * t.nrows() / 2 };
    on_a_worker(terms, || solve_in_place(t, triangle, x));
}

fn on_gpu(gpu: &Gpu, t: &Matrix, op: Trans, b: &Matrix) -> Result<Matrix> {
    let rest = Matrix::alloc(gpu, "solve_triangular.rest", b.shape(), Precision::Single)?;
    gpu.copy(b.buffer(), 0, rest.buffer(), 0, rest.bytes());
    let x = Matrix::alloc(gpu, "solve_triangular.x", b.shape(), Precision::Single)?;
    substitution(gpu, t, op, rest, x, false)
}

/// Block substitution with a lower triangular `t`: forwards, or backwards when transposed. It starts from `rest` and writes
/// `x`; where both are lower triangular only what is not zero is worked on.
fn substitution(
    gpu: &Gpu,
    t: &Matrix,
    op: Trans,
    rest: Matrix,
    x: Matrix,
    triangular: bool,
) -> Result<Matrix> {
    let (n, r) = rest.shape();
    let found;
    let inverses = if let Some(known) = t.inverses() {
        known
    } else {
        found = invert_blocks(gpu, t)?;
        &found
    };
    // They are stored transposed. The direct shape would turn all of them for every block: once will do.
    let upright = if op == Trans::No && gpu.direct() { Some(transpose(inverses)?) } else { None };
    // The direct shape would transpose t for every block: once will do.
    let turned = if op == Trans::Yes && gpu.direct() { Some(transpose(t)?) } else { None };
    let mut starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
    if op == Trans::Yes {
        starts.reverse();
    }
    for j in starts {
        let next = n.min(j + BLOCK);
        let size = next - j;
        let r = if triangular { next } else { r };
        let rows = |of| Block { of, row: j, col: 0, rows: size, cols: r };
        let (own, ta) = match (op, &upright) {
            (Trans::Yes, _) => (Block { of: inverses, row: j, col: 0, rows: size, cols: size }, Trans::No),
            (Trans::No, None) => (Block { of: inverses, row: j, col: 0, rows: size, cols: size }, Trans::Yes),
            (Trans::No, Some(of)) => (Block { of, row: 0, col: j, rows: size, cols: size }, Trans::No),
        };
        let solve =
            Product { alpha: 1.0, a: own, ta, b: rows(&rest), tb: Trans::No, beta: 0.0, part: Part::All };
        product(gpu, &solve, rows(&x))?;
        // What this block contributes to the rows that are still to come.
        let (a, ta, ahead) = match (op, &turned) {
            (Trans::No, _) => {
                (Block { of: t, row: next, col: j, rows: n - next, cols: size }, Trans::No, next..n)
            }
            (Trans::Yes, None) => (Block { of: t, row: j, col: 0, rows: size, cols: j }, Trans::Yes, 0..j),
            (Trans::Yes, Some(tt)) => {
                (Block { of: tt, row: 0, col: j, rows: j, cols: size }, Trans::No, 0..j)
            }
        };
        if !ahead.is_empty() {
            let out = Block { of: &rest, row: ahead.start, col: 0, rows: ahead.len(), cols: r };
            let minus =
                Product { alpha: -1.0, a, ta, b: rows(&x), tb: Trans::No, beta: 1.0, part: Part::All };
            product(gpu, &minus, out)?;
        }
    }
    Ok(x)
}

/// The inverse of a lower triangular matrix on a GPU, zeros above the diagonal: `n³/3` multiply-adds.
///
/// # Errors
/// Those of the device.
pub(crate) fn invert_lower(t: &Matrix) -> Result<Matrix> {
    let nothing = map(t, Map::Affine { scale: 0.0, shift: 0.0 })?;
    let one = add_diagonal(&nothing, 1.0)?;
    match t.shared("solve_triangular", &[&one])? {
        Shared::Cpu => cpu(t.cpu(), Triangle::Lower, Trans::No, Side::Left, one.cpu()).map(Matrix::from_host),
        Shared::Gpu(gpu) => {
            gpu.guard("solve_triangular", || substitution(gpu, &*single(t)?, Trans::No, one, nothing, true))
        }
    }
}

/// The transposed inverses of the 64 x 64 diagonal blocks of the lower triangular `t`, one below the other.
fn invert_blocks(gpu: &Gpu, t: &Matrix) -> Result<Matrix> {
    let n = t.rows();
    let out = Matrix::alloc(
        gpu,
        "solve_triangular.inverses",
        (n.next_multiple_of(BLOCK), BLOCK),
        Precision::Single,
    )?;
    let limits = gpu.limits();
    // A window of rows starts with a block.
    let most = step(&limits, BLOCK, &[t])?.min((limits.binding_bytes / (4 * BLOCK as u64)) as usize);
    for rows in windows(n, (most / BLOCK).max(1) * BLOCK) {
        let params =
            Params { rows: rows.len() as u32, stride: t.vec4s() as u32, col: (rows.start / 4) as u32 };
        gpu.run(&Pass {
            op: "solve_triangular",
            shader: Shader::new("solve_triangular", &[SHADER]),
            entry: "main",
            constants: &[],
            binds: &[
                t.rows_bind(rows.start, rows.end),
                out.rows_bind(rows.start, rows.start + rows.len().next_multiple_of(BLOCK)),
            ],
            params: bytemuck::bytes_of(&params),
            grid: [rows.len().div_ceil(BLOCK) as u32, 1, 1],
            work: (rows.len() * BLOCK * BLOCK) as f64,
        })?;
    }
    Ok(out)
}
