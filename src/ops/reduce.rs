//! Sums, means and extremes of each row or each column.
//!
//! On the GPU every reduction runs in a fixed order: chunks, then a tree in each workgroup, then the same again over
//! what the chunks left. Checked against the plain loops in `tests/ops/reduce.rs`.

use ndarray::{Array2, ArrayBase, ArrayView1, Data, Ix2};
use rayon::prelude::*;

use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/reduce.wgsl");
/// Invocations in a workgroup, in all the reducing shaders.
pub(super) const GROUP: usize = 64;
/// Rows that one invocation adds up before the tree: few enough to round well.
const LOOP: usize = 64;
/// Rows that the CPU adds up before it starts a new partial sum.
const BLOCK: usize = 1024;

/// Which way a reduction runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// One value for each row: the result is `n x 1`.
    EachRow,
    /// One value for each column: the result is `1 x m`.
    EachColumn,
}

/// What becomes of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The sum of their squares.
    SumSquares,
}

impl Reduction {
    /// As the shader numbers them.
    fn code(self) -> u32 {
        match self {
            Reduction::Sum | Reduction::Mean => 0,
            Reduction::Min => 1,
            Reduction::Max => 2,
            Reduction::SumSquares => 3,
        }
    }

    /// What joins the results of two parts.
    fn of_parts(self) -> Self {
        if matches!(self, Reduction::Min | Reduction::Max) { self } else { Reduction::Sum }
    }

    fn join(self, x: f64, y: f64) -> f64 {
        match self {
            Reduction::Min => x.min(y),
            Reduction::Max => x.max(y),
            _ => x + y,
        }
    }

    fn of(self, v: &[f64]) -> f64 {
        let view = ArrayView1::from(v);
        match self {
            Reduction::Sum => view.sum(),
            Reduction::Mean => view.sum() / v.len() as f64,
            Reduction::SumSquares => view.dot(&view),
            Reduction::Min | Reduction::Max => v.iter().copied().fold(v[0], |x, y| self.join(x, y)),
        }
    }
}

/// Mirrors `Params` in `shaders/reduce.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    cols: u32,
    vec4s: u32,
    chunk: u32,
    out_stride: u32,
    last: u32,
    carry: u32,
    scale: f32,
}

/// `out[i] = op_j a[i, j]` along each row, `out[j] = op_i a[i, j]` along each column.
///
/// `a` is `n x m`; the result is `n x 1` or `1 x m`. The sum of all entries is a reduction of a reduction. The order
/// of the additions is fixed: the same input on the same device gives the same bits.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::{reduce, Along, Reduction}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 5.0]].view())?;
/// let rows = reduce(&a, Along::EachRow, Reduction::Sum)?;
/// assert_eq!(rows.to_array()?, ndarray::array![[3.0], [8.0]]);
/// let columns = reduce(&a, Along::EachColumn, Reduction::Mean)?;
/// assert_eq!(columns.to_array()?, ndarray::array![[2.0, 3.5]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn reduce(a: &Matrix, along: Along, op: Reduction) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu(), along, op))),
        Shared::Gpu(gpu) => gpu.guard("reduce", || on_gpu(gpu, a, along, op)),
    }
}

fn cpu(a: &Array2<f64>, along: Along, op: Reduction) -> Array2<f64> {
    match along {
        Along::EachRow => {
            let values = by_row(a, |row| op.of(row));
            Array2::from_shape_fn((values.len(), 1), |(i, _)| values[i])
        }
        Along::EachColumn => columns_cpu(a, op),
    }
}

/// `f` of every row, on every core when there is enough to do.
pub(super) fn by_row<T: Send>(a: &Array2<f64>, f: impl Fn(&[f64]) -> T + Sync) -> Vec<T> {
    let (n, m) = a.dim();
    let rows = |i: usize| f(&flat(a)[i * m..(i + 1) * m]);
    // Tasks of some 16,000 entries: a task per row would cost more than a short row.
    let least = (16_384 / m).max(1);
    if n <= least {
        (0..n).map(rows).collect()
    } else {
        (0..n).into_par_iter().with_min_len(least).map(rows).collect()
    }
}

/// The entries of a matrix of ours, row after row.
pub(super) fn flat<S: Data<Elem = f64>>(a: &ArrayBase<S, Ix2>) -> &[f64] {
    a.as_slice().expect("host matrices are stored row after row")
}

/// Blocks of rows side by side, joined in order: the same bits however many threads there are.
fn columns_cpu(a: &Array2<f64>, op: Reduction) -> Array2<f64> {
    let (n, m) = a.dim();
    let block = |rows: &[f64]| {
        let mut sums = match op {
            Reduction::Min | Reduction::Max => rows[..m].to_vec(),
            _ => vec![0.0; m],
        };
        for row in rows.chunks_exact(m) {
            for (s, &v) in sums.iter_mut().zip(row) {
                *s = op.join(*s, if op == Reduction::SumSquares { v * v } else { v });
            }
        }
        sums
    };
    let parts: Vec<Vec<f64>> = flat(a).par_chunks(BLOCK * m).map(block).collect();
    let joined = parts.into_iter().reduce(|mut x, y| {
        x.iter_mut().zip(y).for_each(|(x, y)| *x = op.join(*x, y));
        x
    });
    let scale = if op == Reduction::Mean { n as f64 } else { 1.0 };
    let joined = joined.unwrap_or_default();
    Array2::from_shape_fn((1, m), |(_, j)| joined[j] / scale)
}

fn on_gpu(gpu: &Gpu, a: &Matrix, along: Along, op: Reduction) -> Result<Matrix> {
    let count = if along == Along::EachRow { a.cols() } else { a.rows() };
    let scale = if op == Reduction::Mean { 1.0 / count as f64 } else { 1.0 };
    match along {
        Along::EachRow => each_row(gpu, a, op, scale as f32),
        Along::EachColumn => each_column(gpu, a, op, scale as f32),
    }
}

/// How a row of vec4s is shared among invocations; [`logsumexp`](super::logsumexp()) and
/// [`argmin`](super::argmin()) split their rows alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    /// Invocations on one chunk; a workgroup holds `GROUP / lanes` rows.
    pub lanes: usize,
    /// vec4s in a chunk.
    pub chunk: usize,
    /// Chunks in a row.
    pub chunks: usize,
}

impl Split {
    /// Three shapes only, since each is a pipeline. Neither a lane's walk (chunk / 64) nor the number of chunks
    /// exceeds 4096 in a row of 2^30 vec4s: llvmpipe ends loops after 65,535 iterations.
    pub fn of(vec4s: usize) -> Self {
        let (lanes, chunk) = match vec4s {
            0..=4 => (1, vec4s),
            5..=64 => (8, vec4s),
            _ => (GROUP, vec4s.div_ceil(4096).next_multiple_of(GROUP).max(1024)),
        };
        Split { lanes, chunk, chunks: vec4s.div_ceil(chunk) }
    }

    /// Rows in a workgroup.
    pub fn rows(self) -> usize {
        GROUP / self.lanes
    }
}

/// Pipeline key of a shader whose operand `a` has f32 or half storage, and the text that declares `a`.
pub(super) fn operand(stem: &str, a: &Matrix) -> (String, String) {
    let half = a.precision() == Precision::Half;
    (format!("{stem}{}", u8::from(half)), super::half::operand("a", 0, half))
}

fn each_row(gpu: &Gpu, a: &Matrix, op: Reduction, scale: f32) -> Result<Matrix> {
    let split = Split::of(a.vec4s());
    let last = split.chunks == 1;
    let out = Matrix::alloc(gpu, "reduce.out", (a.rows(), split.chunks), Precision::Single)?;
    let (key, source) = operand("reduce", a);
    for rows in windows(a.rows(), step(&gpu.limits(), split.rows(), &[a, &out])?) {
        let params = Params {
            rows: rows.len() as u32,
            cols: a.cols() as u32,
            vec4s: a.vec4s() as u32,
            chunk: split.chunk as u32,
            out_stride: 4 * out.vec4s() as u32,
            last: u32::from(last),
            carry: 0,
            scale: if last { scale } else { 1.0 },
        };
        gpu.run(&Pass {
            op: "reduce",
            shader: Shader::new(&key, &[&source, SHADER]),
            entry: "rows",
            constants: &[("OP", f64::from(op.code())), ("LANES", split.lanes as f64)],
            binds: &[a.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [rows.len().div_ceil(split.rows()) as u32, split.chunks as u32, 1],
            work: 0.0,
        })?;
    }
    if last { Ok(out) } else { each_row(gpu, &out, op.of_parts(), scale) }
}

fn each_column(gpu: &Gpu, a: &Matrix, op: Reduction, scale: f32) -> Result<Matrix> {
    let width = match a.vec4s() {
        0..=8 => 4,
        9..=128 => 16,
        _ => GROUP,
    };
    let chunk = GROUP / width * LOOP;
    let limits = gpu.limits();
    let most = step(&limits, LOOP, &[a])?;
    // Every window adds to the same partial results, which are therefore no larger than a window.
    let chunks = most.min(a.rows()).div_ceil(chunk);
    let out = Matrix::alloc(gpu, "reduce.out", (chunks, a.cols()), Precision::Single)?;
    let (key, source) = operand("reduce", a);
    let groups = a.vec4s().div_ceil(width) as u32;
    let across = groups.min(limits.groups_per_axis);
    for rows in windows(a.rows(), most) {
        let last = chunks == 1 && rows.end == a.rows();
        let params = Params {
            rows: rows.len() as u32,
            cols: a.cols() as u32,
            vec4s: a.vec4s() as u32,
            chunk: chunk as u32,
            out_stride: 0,
            last: 0,
            carry: u32::from(rows.start > 0),
            scale: if last { scale } else { 1.0 },
        };
        gpu.run(&Pass {
            op: "reduce",
            shader: Shader::new(&key, &[&source, SHADER]),
            entry: "columns",
            constants: &[("OP", f64::from(op.code())), ("WIDTH", width as f64)],
            binds: &[a.rows_bind(rows.start, rows.end), out.bind()],
            params: bytemuck::bytes_of(&params),
            grid: [across, chunks as u32, groups.div_ceil(across)],
            work: 0.0,
        })?;
    }
    if chunks == 1 { Ok(out) } else { each_column(gpu, &out, op.of_parts(), scale) }
}
