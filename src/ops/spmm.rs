//! Sparse times dense: `A V` with A in compressed rows.
//!
//! Checked in `tests/ops/spmm.rs` against the dense product.

use ndarray::Array2;

use super::half::single;
use super::require;
use crate::device::Place;
use crate::gpu::{Buffer, Gpu, Pass, Shader};
use crate::matrix::window::{step, windows};
use crate::matrix::{Shared, SparseMatrix};
use crate::{Device, Matrix, Result};

const SHADER: &str = include_str!("../../shaders/spmm.wgsl");
/// Rows that one workgroup takes, and lanes that share a row.
const ROWS: usize = 8;
/// Entries of one row that one dispatch adds up: each lane makes an eighth as many iterations, far from 65,535.
const ROW_ENTRIES: usize = 32_768;

/// Mirrors `Params` in `shaders/spmm.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    across: u32,
    vec4s: u32,
    local: u32,
    out_first: u32,
    v_first: u32,
    v_end: u32,
}

/// `A V`: `a` is `n x m` and sparse, `v` is `m x r`; the result is `n x r` and lives where `v` does.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if `v` has not m rows or `a` has none,
/// [`Error::NotFinite`](crate::Error::NotFinite) for a value of `a` that f32 cannot hold on a GPU.
///
/// ```
/// use mercer::matrix::SparseMatrix;
/// use mercer::{Device, Matrix, ops::spmm};
/// let a = SparseMatrix::from_triplets(2, 2, &[(0, 0, 2.0), (1, 0, 1.0)])?;
/// let v = Matrix::from_array(&Device::cpu(), ndarray::array![[3.0, 1.0], [4.0, 1.0]].view())?;
/// assert_eq!(spmm(&a, &v)?.to_array()?, ndarray::array![[6.0, 2.0], [3.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn spmm(a: &SparseMatrix, v: &Matrix) -> Result<Matrix> {
    require("spmm", a.cols() == v.rows() && a.rows() > 0, || {
        format!("a is {} x {}, v is {} x {}", a.rows(), a.cols(), v.rows(), v.cols())
    })?;
    match v.place() {
        Shared::Cpu => cpu(a, v),
        Shared::Gpu(gpu) => {
            if let Some((row, col, value)) = a.entries().find(|e| e.2.abs() > f64::from(f32::MAX)) {
                return Err(crate::Error::NotFinite { op: "spmm", what: "a", value, row, col });
            }
            let v = single(v)?;
            let there = gpu.guard("spmm", || SparseThere::new(gpu, a))?;
            there.times(gpu, &v)
        }
    }
}

/// `spmm` of one sparse matrix by many dense ones: it goes up once.
pub(crate) struct Multiplier {
    a: SparseMatrix,
    there: Option<SparseThere>,
}

impl Multiplier {
    /// On this device; on a GPU f32 must hold its values.
    pub fn new(device: &Device, a: SparseMatrix) -> Result<Self> {
        let there = match device.place() {
            Place::Gpu(gpu) => Some(gpu.guard("spmm", || SparseThere::new(gpu, &a))?),
            Place::Cpu => None,
        };
        Ok(Multiplier { a, there })
    }

    /// `A V`, where `v` lives: on the same device.
    pub fn times(&self, v: &Matrix) -> Result<Matrix> {
        match (v.place(), &self.there) {
            (Shared::Gpu(gpu), Some(there)) => there.times(gpu, v),
            _ => spmm(&self.a, v),
        }
    }
}

fn cpu(a: &SparseMatrix, v: &Matrix) -> Result<Matrix> {
    Ok(Matrix::from_host(a.times(v.cpu().view())?))
}

/// Some rows of A, the first and the last perhaps not whole.
struct Chunk {
    first: usize,
    offsets: Vec<u32>,
    entries: std::ops::Range<usize>,
}

/// A in chunks of at most `most` entries, and of no more than [`ROW_ENTRIES`] of any row.
fn chunks(a: &SparseMatrix, most: usize) -> Vec<Chunk> {
    let ends = a.offsets();
    let (mut all, mut row, mut at) = (Vec::new(), 0, 0);
    while row < a.rows() {
        let (first, start) = (row, at);
        let mut offsets = vec![0];
        while row < a.rows() && offsets.len() < most {
            let left = most - (at - start);
            let take = (ends[row + 1] - at).min(left).min(ROW_ENTRIES);
            at += take;
            offsets.push((at - start) as u32);
            if at < ends[row + 1] {
                break;
            }
            row += 1;
        }
        all.push(Chunk { first, offsets, entries: start..at });
    }
    all.retain(|chunk| !chunk.entries.is_empty());
    all
}

/// The chunks of a sparse matrix on a GPU, each with its offsets, columns and values.
struct SparseThere {
    rows: usize,
    chunks: Vec<(Chunk, [Buffer; 3])>,
}

impl SparseThere {
    fn new(gpu: &Gpu, a: &SparseMatrix) -> Result<Self> {
        let most = (gpu.limits().binding_bytes / 4) as usize;
        let up = |chunk: Chunk| {
            let columns: Vec<u32> = a.columns()[chunk.entries.clone()].iter().map(|&j| j as u32).collect();
            let values: Vec<f32> = a.values()[chunk.entries.clone()].iter().map(|&v| v as f32).collect();
            let parts = [
                gpu.upload("spmm.offsets", bytemuck::cast_slice(&chunk.offsets))?,
                gpu.upload("spmm.columns", bytemuck::cast_slice(&columns))?,
                gpu.upload("spmm.values", bytemuck::cast_slice(&values))?,
            ];
            Ok((chunk, parts))
        };
        let chunks = chunks(a, most).into_iter().map(up).collect::<Result<_>>()?;
        Ok(SparseThere { rows: a.rows(), chunks })
    }

    fn times(&self, gpu: &Gpu, v: &Matrix) -> Result<Matrix> {
        // Outside of the guard: an upload has its own.
        let zeros = Array2::<f32>::zeros((self.rows, v.cols()));
        let out = Matrix::upload("spmm", &v.device(), zeros.view())?;
        gpu.guard("spmm", || on_gpu(gpu, self, v, &out))?;
        Ok(out)
    }
}

fn on_gpu(gpu: &Gpu, a: &SparseThere, v: &Matrix, out: &Matrix) -> Result<()> {
    let limits = gpu.limits();
    let (step_v, step_out) = (step(&limits, ROWS, &[v])?, step(&limits, ROWS, &[out])?);
    for (chunk, parts) in &a.chunks {
        let end = chunk.first + chunk.offsets.len() - 1;
        for to in windows(a.rows, step_out) {
            let (first, last) = (chunk.first.max(to.start), end.min(to.end));
            for from in windows(v.rows(), step_v).filter(|_| first < last) {
                let groups = (last - first).div_ceil(ROWS);
                let across = groups.min(limits.groups_per_axis as usize);
                let params = Params {
                    rows: (last - first) as u32,
                    across: across as u32,
                    vec4s: v.vec4s() as u32,
                    local: (first - chunk.first) as u32,
                    out_first: (first - to.start) as u32,
                    v_first: from.start as u32,
                    v_end: from.end as u32,
                };
                let mut binds: Vec<_> = parts.iter().map(|b| b.whole()).collect();
                binds.push(v.rows_bind(from.start, from.end));
                binds.push(out.rows_bind(to.start, to.end));
                gpu.run(&Pass {
                    op: "spmm",
                    shader: Shader::new("spmm", &[SHADER]),
                    entry: "spmm",
                    constants: &[],
                    binds: &binds,
                    params: bytemuck::bytes_of(&params),
                    grid: [across as u32, groups.div_ceil(across) as u32, v.vec4s() as u32],
                    work: chunk.entries.len() as f64 * v.cols() as f64,
                })?;
            }
        }
    }
    Ok(())
}
