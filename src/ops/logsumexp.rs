//! `log sum exp` of each row, safe at any magnitude.
//!
//! Checked against the shifted sum in f64 in `tests/ops/logsumexp.rs`.

use ndarray::Array2;

use super::reduce::{GROUP, Split, by_row, operand};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/logsumexp.wgsl");

/// Mirrors `Params` in `shaders/logsumexp.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    cols: u32,
    vec4s: u32,
    chunk: u32,
    chunks: u32,
    in_stride: u32,
    out_stride: u32,
    last: u32,
}

/// `out[i] = log sum_j exp(a[i, j])`.
///
/// `a` is `n x m`, the result `n x 1`. The largest entry of a row is taken out before the exponential, so nothing
/// overflows, and a row of very negative entries does not become the logarithm of zero.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::logsumexp};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1000.0, 1000.0]].view())?;
/// assert_eq!(logsumexp(&a)?.to_array()?[[0, 0]], 1000.0 + 2f64.ln());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn logsumexp(a: &Matrix) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu()))),
        Shared::Gpu(gpu) => gpu.guard("logsumexp", || on_gpu(gpu, a, true)),
    }
}

fn cpu(a: &Array2<f64>) -> Array2<f64> {
    let values = by_row(a, |row| {
        let (top, sum) = pair(row);
        top + sum.ln()
    });
    Array2::from_shape_fn((values.len(), 1), |(i, _)| values[i])
}

/// The largest entry and the sum of `exp(x - largest)`.
pub(super) fn pair(row: &[f64]) -> (f64, f64) {
    // A finite start: the difference of two infinities is not a number.
    let top = row.iter().copied().fold(f64::MIN, f64::max);
    (top, row.iter().map(|x| (x - top).exp()).sum())
}

/// The logarithms, `n x 1`; or the pairs (largest, sum), `n x 2`, that [`softmax`](super::softmax()) divides by.
pub(super) fn on_gpu(gpu: &Gpu, a: &Matrix, log: bool) -> Result<Matrix> {
    let split = Split::of(a.vec4s());
    let limits = gpu.limits();
    let log_flag = ("LOG", f64::from(u8::from(log)));
    let (key, source) = operand("logsumexp", a);
    let parts = [source.as_str(), SHADER];
    let shader = Shader::new(&key, &parts);
    let out = Matrix::alloc(gpu, "logsumexp.out", (a.rows(), if log { 1 } else { 2 }), Precision::Single)?;
    let one = split.chunks == 1;
    let between = if one {
        None
    } else {
        let shape = (a.rows(), 2 * split.chunks);
        Some(Matrix::alloc(gpu, "logsumexp.pairs", shape, Precision::Single)?)
    };
    let pairs = between.as_ref().unwrap_or(&out);
    for rows in windows(a.rows(), step(&limits, split.rows(), &[a, pairs, &out])?) {
        let params = Params {
            rows: rows.len() as u32,
            cols: a.cols() as u32,
            vec4s: a.vec4s() as u32,
            chunk: split.chunk as u32,
            chunks: split.chunks as u32,
            in_stride: 2 * pairs.vec4s() as u32,
            out_stride: 2 * pairs.vec4s() as u32,
            last: u32::from(one),
        };
        gpu.run(&Pass {
            op: "logsumexp",
            shader,
            entry: "partial",
            constants: &[("LANES", split.lanes as f64), log_flag],
            binds: &[a.rows_bind(rows.start, rows.end), pairs.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [rows.len().div_ceil(split.rows()) as u32, split.chunks as u32, 1],
            work: 0.0,
        })?;
        if !one {
            gpu.run(&Pass {
                op: "logsumexp",
                shader,
                entry: "merge",
                constants: &[log_flag],
                binds: &[pairs.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)],
                params: bytemuck::bytes_of(&Params { out_stride: 2, last: 1, ..params }),
                grid: [rows.len().div_ceil(GROUP) as u32, 1, 1],
                work: 0.0,
            })?;
        }
    }
    Ok(out)
}
