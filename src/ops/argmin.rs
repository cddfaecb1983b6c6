//! The smallest entry of each row, and where it stands.
//!
//! Checked against the plain loop in `tests/ops/argmin.rs`, ties above all.

use ndarray::Array2;

use super::reduce::{GROUP, Split, by_row, operand};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/argmin.wgsl");

/// Mirrors `Params` in `shaders/argmin.wgsl`.
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
}

/// The smallest entry of each row, as [`argmin()`] finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgMin {
    /// Its column; the lowest of those that attain it.
    pub indices: Vec<usize>,
    /// Its value.
    pub values: Vec<f64>,
}

/// `indices[i] = argmin_j a[i, j]`, `values[i] = min_j a[i, j]`.
///
/// `a` is `n x m`; both results have length `n` and live on the host. A tie goes to the lowest index, on every device.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::argmin};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[3.0, 1.0, 1.0], [-2.0, 0.0, 5.0]].view())?;
/// let least = argmin(&a)?;
/// assert_eq!(least.indices, [1, 0]);
/// assert_eq!(least.values, [1.0, -2.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn argmin(a: &Matrix) -> Result<ArgMin> {
    match a.place() {
        Shared::Cpu => Ok(cpu(a.cpu())),
        Shared::Gpu(gpu) => gpu.guard("argmin", || on_gpu(gpu, a)),
    }
}

fn cpu(a: &Array2<f64>) -> ArgMin {
    let best = by_row(a, |row| {
        let first = (0, row[0]);
        row.iter().enumerate().fold(first, |best, (j, &v)| if v < best.1 { (j, v) } else { best })
    });
    let (indices, values) = best.into_iter().unzip();
    ArgMin { indices, values }
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<ArgMin> {
    let split = Split::of(a.vec4s());
    let (key, source) = operand("argmin", a);
    let parts = [source.as_str(), SHADER];
    let shader = Shader::new(&key, &parts);
    // Pairs of words in a matrix's clothes: rows are padded and aligned like any other's.
    let pairs = |label, chunks| Matrix::alloc(gpu, label, (a.rows(), 2 * chunks), Precision::Single);
    let out = pairs("argmin.out", 1)?;
    let one = split.chunks == 1;
    let between = if one { None } else { Some(pairs("argmin.pairs", split.chunks)?) };
    let bests = between.as_ref().unwrap_or(&out);
    for rows in windows(a.rows(), step(&gpu.limits(), split.rows(), &[a, bests, &out])?) {
        let params = Params {
            rows: rows.len() as u32,
            cols: a.cols() as u32,
            vec4s: a.vec4s() as u32,
            chunk: split.chunk as u32,
            chunks: split.chunks as u32,
            in_stride: 2 * bests.vec4s() as u32,
            out_stride: 2 * bests.vec4s() as u32,
        };
        gpu.run(&Pass {
            op: "argmin",
            shader,
            entry: "partial",
            constants: &[("LANES", split.lanes as f64)],
            binds: &[a.rows_bind(rows.start, rows.end), bests.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [rows.len().div_ceil(split.rows()) as u32, split.chunks as u32, 1],
            work: 0.0,
        })?;
        if !one {
            gpu.run(&Pass {
                op: "argmin",
                shader,
                entry: "merge",
                constants: &[],
                binds: &[bests.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)],
                params: bytemuck::bytes_of(&Params { out_stride: 2, ..params }),
                grid: [rows.len().div_ceil(GROUP) as u32, 1, 1],
                work: 0.0,
            })?;
        }
    }
    let raw = gpu.download(out.buffer(), 0, out.bytes())?;
    let word = |i: usize| bytemuck::pod_read_unaligned::<u32>(&raw[4 * i..4 * i + 4]);
    Ok(ArgMin {
        indices: (0..a.rows()).map(|i| word(4 * i + 1) as usize).collect(),
        values: (0..a.rows()).map(|i| f64::from(f32::from_bits(word(4 * i)))).collect(),
    })
}
