//! Centring: `H K H` of a kernel matrix, and data less its column means.
//!
//! Checked against the product with `H = I - 1 1^T / n` in `tests/ops/centre.rs`.

use ndarray::Array2;
use rayon::prelude::*;

use super::map::{Zip, grid, zip};
use super::reduce::{Along, GROUP, Reduction, flat, operand, reduce};
use super::{require, transpose};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/centre.wgsl");

/// Mirrors `Params` in `shaders/centre.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    n: u32,
    vec4s: u32,
    first: u32,
}

/// `H K H` with `H = I - 1 1^T / n`: every row and every column of the result sums to zero.
///
/// `k` is `n x n`. A symmetric matrix gives an exactly symmetric one: the means of the rows are computed as those of
/// the columns of a transpose, by the same additions, at the price of that transpose's memory while it lasts.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if `k` is not square.
///
/// ```
/// use mercer::{Device, Matrix, ops::centre};
/// let k = Matrix::from_array(&Device::cpu(), ndarray::array![[3.0, 1.0], [1.0, 3.0]].view())?;
/// assert_eq!(centre(&k)?.to_array()?, ndarray::array![[1.0, -1.0], [-1.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn centre(k: &Matrix) -> Result<Matrix> {
    let (n, m) = k.shape();
    require("centre", n == m, || format!("k is {n} x {m} and should be square"))?;
    match k.place() {
        Shared::Cpu => cpu(k),
        Shared::Gpu(gpu) => gpu.guard("centre", || on_gpu(gpu, k)),
    }
}

/// `X - 1 mean(X)`, and the means: what new points must have subtracted from them.
///
/// `x` is `n x d`; the results are `n x d` and `1 x d`.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::centre_columns};
/// let x = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 10.0], [3.0, 20.0]].view())?;
/// let (centred, means) = centre_columns(&x)?;
/// assert_eq!(centred.to_array()?, ndarray::array![[-1.0, -5.0], [1.0, 5.0]]);
/// assert_eq!(means.to_array()?, ndarray::array![[2.0, 15.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn centre_columns(x: &Matrix) -> Result<(Matrix, Matrix)> {
    let means = reduce(x, Along::EachColumn, Reduction::Mean)?;
    Ok((zip(x, &means, Zip::Sub)?, means))
}

/// Means of the rows, of the columns, and of all: `1 x n`, `1 x n`, `1 x 1`.
fn means(k: &Matrix) -> Result<(Matrix, Matrix, Matrix)> {
    let cols = reduce(k, Along::EachColumn, Reduction::Mean)?;
    let rows = reduce(&transpose(k)?, Along::EachColumn, Reduction::Mean)?;
    let all = reduce(&cols, Along::EachRow, Reduction::Mean)?;
    Ok((rows, cols, all))
}

fn cpu(k: &Matrix) -> Result<Matrix> {
    let (rows, cols, all) = means(k)?;
    let (rows, cols, all) = (flat(rows.cpu()), flat(cols.cpu()), all.cpu()[[0, 0]]);
    let n = k.rows();
    let mut out = flat(k.cpu()).to_vec();
    out.par_chunks_mut(n).zip(rows).for_each(|(row, r)| {
        row.iter_mut().zip(cols).for_each(|(v, c)| *v = (*v - (r + c)) + all);
    });
    Ok(Matrix::from_host(Array2::from_shape_vec((n, n), out).expect("as many entries as the operand")))
}

fn on_gpu(gpu: &Gpu, k: &Matrix) -> Result<Matrix> {
    let (row_means, col_means, all) = means(k)?;
    let out = Matrix::alloc(gpu, "centre.out", k.shape(), Precision::Single)?;
    let (key, source) = operand("centre", k);
    for rows in windows(k.rows(), step(&gpu.limits(), GROUP, &[k, &out])?) {
        let count = rows.len() * k.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            n: k.cols() as u32,
            vec4s: k.vec4s() as u32,
            first: rows.start as u32,
        };
        gpu.run(&Pass {
            op: "centre",
            shader: Shader::new(&key, &[&source, SHADER]),
            entry: "main",
            constants: &[],
            binds: &[
                k.rows_bind(rows.start, rows.end),
                row_means.bind(),
                col_means.bind(),
                all.bind(),
                out.rows_bind(rows.start, rows.end),
            ],
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}
