//! Rows by index, and rows and columns by the same index.
//!
//! Checked against indexing in `tests/ops/gather.rs`: both devices copy, so they agree to the bit.

mod sums;

use std::ops::Range;

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::map::grid;
use super::reduce::{GROUP, operand};
use super::require;
use crate::gpu::{Bind, Buffer, Gpu, Pass, Shader};
use crate::host::memory::room;
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};

pub use sums::permuted_sums;

const SHADER: &str = include_str!("../../shaders/gather.wgsl");

/// Mirrors `Params` in `shaders/gather.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    a_vec4s: u32,
    a_first: u32,
    a_end: u32,
}

/// `out[i, j] = a[indices[i], j]`.
///
/// `a` is `n x m`, the result `indices.len() x m`; an index may occur any number of times.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if `indices` is empty or one of them is not below `n`.
///
/// ```
/// use mercer::{Device, Matrix, ops::gather_rows};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// assert_eq!(gather_rows(&a, &[1, 1])?.to_array()?, ndarray::array![[3.0, 4.0], [3.0, 4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gather_rows(a: &Matrix, indices: &[usize]) -> Result<Matrix> {
    check("gather_rows", a, indices)?;
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(a.cpu().select(Axis(0), indices))),
        Shared::Gpu(gpu) => gpu.guard("gather_rows", || on_gpu(gpu, a, indices, false)),
    }
}

/// `out[i, j] = k[p[i], p[j]]`.
///
/// `k` is `n x n`, the result `p.len() x p.len()`. A permutation reorders the points that `k` compares; a shorter
/// list picks the kernel matrix of a subset, and an index may occur any number of times.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if `k` is not square, `p` is empty or an index is not below `n`.
///
/// ```
/// use mercer::{Device, Matrix, ops::permute};
/// let k = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// assert_eq!(permute(&k, &[1, 0])?.to_array()?, ndarray::array![[4.0, 3.0], [2.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn permute(k: &Matrix, p: &[usize]) -> Result<Matrix> {
    let (n, m) = k.shape();
    require("permute", n == m, || format!("k is {n} x {m} and should be square"))?;
    check("permute", k, p)?;
    match k.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(k.cpu(), p))),
        Shared::Gpu(gpu) => gpu.guard("permute", || on_gpu(gpu, k, p, true)),
    }
}

/// A list of rows where a matrix lives: uploaded once, for any number of [`gather_listed`].
pub struct RowList {
    rows: Vec<usize>,
    there: Option<Buffer>,
}

impl RowList {
    /// Parts of a list begin at multiples of this.
    pub const ALIGN: usize = 64;

    /// For rows of `a` and of every matrix with as many rows on the same device.
    ///
    /// # Errors
    /// As [`gather_rows`].
    pub fn new(a: &Matrix, rows: Vec<usize>) -> Result<Self> {
        check("RowList::new", a, &rows)?;
        let there = match a.place() {
            Shared::Cpu => None,
            Shared::Gpu(gpu) => {
                let words: Vec<u32> = rows.iter().map(|&i| i as u32).collect();
                Some(gpu.guard("RowList::new", || gpu.upload("gather.list", bytemuck::cast_slice(&words)))?)
            }
        };
        Ok(RowList { rows, there })
    }

    /// The rows.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }
}

/// `out[i, j] = a[list[part.start + i], j]`: [`gather_rows`] by a part of a list that is there already.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for a part that is empty, begins at no multiple of [`RowList::ALIGN`] or ends
/// beyond the list, and for a list with rows that `a` has not or that was made on another device.
///
/// ```
/// use mercer::{Device, Matrix, ops::{RowList, gather_listed}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// let list = RowList::new(&a, vec![1, 0, 1])?;
/// assert_eq!(gather_listed(&a, &list, 0..2)?.to_array()?, ndarray::array![[3.0, 4.0], [1.0, 2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gather_listed(a: &Matrix, list: &RowList, part: Range<usize>) -> Result<Matrix> {
    let aligned =
        part.start.is_multiple_of(RowList::ALIGN) && part.start < part.end && part.end <= list.rows.len();
    require("gather_listed", aligned, || format!("{part:?} of a list of {}", list.rows.len()))?;
    check("gather_listed", a, &list.rows[part.clone()])?;
    match (a.place(), &list.there) {
        (Shared::Cpu, None) => Ok(Matrix::from_host(a.cpu().select(Axis(0), &list.rows[part]))),
        (Shared::Gpu(gpu), Some(there)) => gpu.guard("gather_listed", || listed(gpu, a, there, part)),
        _ => Err(Error::Shape { op: "gather_listed", what: "the list lives on another device".to_owned() }),
    }
}

fn listed(gpu: &Gpu, a: &Matrix, list: &Buffer, part: Range<usize>) -> Result<Matrix> {
    let out = Matrix::alloc(gpu, "gather.out", (part.len(), a.cols()), Precision::Single)?;
    let limits = gpu.limits();
    // Windows of the list begin where it may be bound.
    let most = (step(&limits, GROUP, &[&out])? / RowList::ALIGN).max(1) * RowList::ALIGN;
    let step_in = step(&limits, GROUP, &[a])?;
    for to in windows(out.rows(), most) {
        let rows = list.part(4 * (part.start + to.start) as u64, 4 * to.len() as u64);
        for from in windows(a.rows(), step_in) {
            rows_of(gpu, a, &from, rows, (&out, &to), None)?;
        }
    }
    Ok(out)
}

/// Rows of one window of `a` into one window of `out`, and entries of each by a list of columns if there is one.
fn rows_of(
    gpu: &Gpu,
    a: &Matrix,
    from: &Range<usize>,
    list: Bind,
    (out, to): (&Matrix, &Range<usize>),
    columns: Option<Bind>,
) -> Result<()> {
    let (key, source) = operand("gather", a);
    let count = to.len() * out.vec4s();
    let (grid, stride) = grid(count);
    let params = Params {
        count: count as u32,
        stride,
        cols: out.cols() as u32,
        vec4s: out.vec4s() as u32,
        a_vec4s: a.vec4s() as u32,
        a_first: from.start as u32,
        a_end: from.end as u32,
    };
    let both = columns.is_some();
    let mut binds = vec![a.rows_bind(from.start, from.end), list, out.rows_bind(to.start, to.end)];
    binds.extend(columns);
    gpu.run(&Pass {
        op: if both { "permute" } else { "gather_rows" },
        shader: Shader::new(&key, &[&source, SHADER]),
        entry: if both { "permute" } else { "gather_rows" },
        constants: &[],
        binds: &binds,
        params: bytemuck::bytes_of(&params),
        grid,
        work: 0.0,
    })
}

fn check(op: &'static str, a: &Matrix, indices: &[usize]) -> Result<()> {
    require(op, !indices.is_empty(), || "there are no indices".to_owned())?;
    let beyond = indices.iter().position(|&i| i >= a.rows());
    require(op, beyond.is_none(), || {
        let at = beyond.unwrap_or_default();
        format!("index {at} is {}, the matrix has {} rows", indices[at], a.rows())
    })
}

fn cpu(k: &Array2<f64>, p: &[usize]) -> Array2<f64> {
    let mut out = room(p.len(), p.len());
    out.as_slice_mut().expect("a new array is row-major").par_chunks_mut(p.len()).zip(p).for_each(
        |(to, &i)| {
            let row = k.row(i);
            to.iter_mut().zip(p).for_each(|(t, &j)| *t = row[j]);
        },
    );
    out
}

fn on_gpu(gpu: &Gpu, a: &Matrix, indices: &[usize], both: bool) -> Result<Matrix> {
    let cols = if both { indices.len() } else { a.cols() };
    let out = Matrix::alloc(gpu, "gather.out", (indices.len(), cols), Precision::Single)?;
    let limits = gpu.limits();
    let words: Vec<u32> = indices.iter().map(|&i| i as u32).collect();
    let columns = if both { Some(gpu.upload("gather.columns", bytemuck::cast_slice(&words))?) } else { None };
    let (step_in, step_out) = (step(&limits, GROUP, &[a])?, step(&limits, GROUP, &[&out])?);
    for to in windows(out.rows(), step_out) {
        let list = gpu.upload("gather.rows", bytemuck::cast_slice(&words[to.clone()]))?;
        for from in windows(a.rows(), step_in) {
            rows_of(gpu, a, &from, list.whole(), (&out, &to), columns.as_ref().map(|c| c.whole()))?;
        }
    }
    Ok(out)
}
