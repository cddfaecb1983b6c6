//! `A^T`.

use crate::gpu::{Gpu, Pass, Shader};
use crate::host::memory::copy;
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/transpose.wgsl");
const TILE: usize = 32; // rows and columns of the input per workgroup

/// Mirrors `Params` in `shaders/transpose.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    in_col: u32,
    in_stride: u32,
    out_rows: u32,
    out_col: u32,
    out_stride: u32,
}

/// `out[j, i] = a[i, j]`; half storage comes out as f32.
///
/// # Errors
/// Only those of the device.
pub fn transpose(a: &Matrix) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(copy(a.cpu().t()))),
        Shared::Gpu(gpu) => gpu.guard("transpose", || on_gpu(gpu, a)),
    }
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    let out = Matrix::alloc(gpu, "transpose.out", (a.cols(), a.rows()), Precision::Single)?;
    let half = a.precision() == Precision::Half;
    let source = super::half::operand("a", 0, half);
    let key = format!("transpose{}", u8::from(half));
    let (rows_in, rows_out) = (step(&gpu.limits(), TILE, &[a])?, step(&gpu.limits(), TILE, &[&out])?);
    // Windows of the input's rows and of the output's rows (the input's columns), each within its binding.
    for rows in windows(a.rows(), rows_in) {
        for cols in windows(a.cols(), rows_out) {
            let params = Params {
                rows: rows.len() as u32,
                in_col: (cols.start / 4) as u32,
                in_stride: a.vec4s() as u32,
                out_rows: cols.len() as u32,
                out_col: (rows.start / 4) as u32,
                out_stride: out.vec4s() as u32,
            };
            gpu.run(&Pass {
                op: "transpose",
                shader: Shader::new(&key, &[&source, SHADER]),
                entry: "main",
                constants: &[],
                binds: &[a.rows_bind(rows.start, rows.end), out.rows_bind(cols.start, cols.end)],
                params: bytemuck::bytes_of(&params),
                grid: [cols.len().div_ceil(TILE) as u32, rows.len().div_ceil(TILE) as u32, 1],
                work: 0.0,
            })?;
        }
    }
    Ok(out)
}
