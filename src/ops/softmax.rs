//! Softmax of each row.
//!
//! The largest entry and the sum come from `logsumexp`'s shader. Checked against the shifted definition in f64 in
//! `tests/ops/softmax.rs`.

use ndarray::Array2;
use rayon::prelude::*;

use super::logsumexp;
use super::map::{TASK, grid};
use super::reduce::{GROUP, operand};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::host::copy;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/softmax.wgsl");

/// Mirrors `Params` in `shaders/softmax.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
}

/// `out[i, j] = exp(a[i, j]) / sum_k exp(a[i, k])`.
///
/// `a` and the result are `n x m`; every row of the result sums to one, whatever the magnitude of the entries. At
/// least one entry of each row must be finite.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::softmax};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1e6, 1e6], [0.0, -1e6]].view())?;
/// assert_eq!(softmax(&a)?.to_array()?, ndarray::array![[0.5, 0.5], [1.0, 0.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn softmax(a: &Matrix) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu()))),
        Shared::Gpu(gpu) => gpu.guard("softmax", || on_gpu(gpu, a)),
    }
}

fn cpu(a: &Array2<f64>) -> Array2<f64> {
    let m = a.ncols();
    let mut out = copy(a.view());
    let rows = (TASK / m).max(1); // of one task
    let entries = out.as_slice_mut().expect("host matrices are stored row after row");
    entries.par_chunks_mut(rows * m).for_each(|block| {
        for row in block.chunks_exact_mut(m) {
            let (top, sum) = logsumexp::pair(row);
            for x in row {
                *x = (*x - top).exp() / sum;
            }
        }
    });
    out
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    let pairs = logsumexp::on_gpu(gpu, a, false)?;
    let out = Matrix::alloc(gpu, "softmax.out", a.shape(), Precision::Single)?;
    let (key, source) = operand("softmax", a);
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &[a, &pairs, &out])?) {
        let count = rows.len() * a.vec4s();
        let (grid, stride) = grid(count);
        let params = Params { count: count as u32, stride, cols: a.cols() as u32, vec4s: a.vec4s() as u32 };
        gpu.run(&Pass {
            op: "softmax",
            shader: Shader { key: &key, parts: &[&source, SHADER] },
            entry: "main",
            constants: &[],
            binds: &[a, &pairs, &out].map(|m| m.rows_bind(rows.start, rows.end)),
            params: bytemuck::bytes_of(&params),
            grid,
        })?;
    }
    Ok(out)
}
