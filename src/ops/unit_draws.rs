//! Units that are drawn: the conditional distribution of a layer given its inputs, and a draw from it, fused.
//!
//! The words are those of [`random()`](super::random()): every row begins a block of the stream, so that a chain takes the
//! same decisions on every device. Checked in `tests/ops/unit_draws.rs` against [`bernoulli`](super::bernoulli) and the CPU.

mod on_cpu;

use super::half::single;
use super::map::grid;
use super::random::{DRAWS, PHILOX, halves};
use super::reduce::GROUP;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};
pub(crate) use on_cpu::{decide, sigmoids};

const SHADER: &str = include_str!("../../shaders/unit_draws.wgsl");

/// The distribution of units with the inputs `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitDraw {
    /// 1 with probability `1 / (1 + e^-a)`, else 0: a word against the integer `round(2³² p)`.
    Bernoulli,
    /// Normal with mean a and variance 1, of two words two numbers.
    Normal,
}

impl UnitDraw {
    /// As the shader numbers them.
    fn code(self) -> u32 {
        match self {
            UnitDraw::Bernoulli => 0,
            UnitDraw::Normal => 1,
        }
    }
}

/// Mirrors `Params` in `shaders/unit_draws.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    first: [u32; 2],
    stream: [u32; 2],
    key: [u32; 2],
    a_vec4s: u32,
    unused: u32,
}

/// `[z, 1]` with `z_ij` drawn given its input `a_ij`, from word `j mod 4` of block `i ⌈m/4⌉ + ⌊j/4⌋` of the stream.
///
/// `a` is `n x m`, the result `n x (m + 1)`, with a column of ones as [`units`](super::units()) adds it. Devices that hold the
/// same inputs decide alike, but for a word within the rounding of f32 of its threshold.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::{UnitDraw, unit_draws}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[-800.0, 800.0]].view())?;
/// assert_eq!(unit_draws(&a, UnitDraw::Bernoulli, 7, 0)?.to_array()?, ndarray::array![[0.0, 1.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn unit_draws(a: &Matrix, draw: UnitDraw, seed: u64, stream: u64) -> Result<Matrix> {
    Ok(drawn(a, draw, seed, stream, false)?.0)
}

/// The draws of [`unit_draws`], and the means `[h(a), 1]` that they were made with: `(drawn, means)`.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::{UnitDraw, unit_draws_means}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[0.0]].view())?;
/// let (_, means) = unit_draws_means(&a, UnitDraw::Bernoulli, 7, 0)?;
/// assert_eq!(means.to_array()?, ndarray::array![[0.5, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn unit_draws_means(a: &Matrix, draw: UnitDraw, seed: u64, stream: u64) -> Result<(Matrix, Matrix)> {
    drawn(a, draw, seed, stream, true)
}

/// The draws, and the means if they are asked for, or the draws again.
fn drawn(a: &Matrix, draw: UnitDraw, seed: u64, stream: u64, means: bool) -> Result<(Matrix, Matrix)> {
    match a.place() {
        Shared::Cpu => {
            let (drawn, means) = on_cpu::cpu(a.cpu(), draw, seed, stream);
            Ok((Matrix::from_host(drawn), Matrix::from_host(means)))
        }
        Shared::Gpu(gpu) => {
            let a = single(a)?;
            gpu.guard("unit_draws", || on_gpu(gpu, &a, draw, (seed, stream), means))
        }
    }
}

fn on_gpu(
    gpu: &Gpu,
    a: &Matrix,
    draw: UnitDraw,
    (seed, stream): (u64, u64),
    means: bool,
) -> Result<(Matrix, Matrix)> {
    let shape = (a.rows(), a.cols() + 1);
    let out = Matrix::alloc(gpu, "unit_draws.out", shape, Precision::Single)?;
    let mean =
        if means { Matrix::alloc(gpu, "unit_draws.means", shape, Precision::Single)? } else { out.clone() };
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &[a, &out])?) {
        let count = rows.len() * out.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            cols: a.cols() as u32,
            vec4s: out.vec4s() as u32,
            first: halves((rows.start * a.vec4s()) as u64),
            stream: halves(stream),
            key: halves(seed),
            a_vec4s: a.vec4s() as u32,
            unused: 0,
        };
        let mut binds = vec![a.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)];
        if means {
            binds.push(mean.rows_bind(rows.start, rows.end));
        }
        gpu.run(&Pass {
            op: "unit_draws",
            shader: Shader::new("unit_draws", &[PHILOX, DRAWS, SHADER]),
            entry: if means { "both" } else { "drawn" },
            constants: &[("DRAW", f64::from(draw.code()))],
            binds: &binds,
            params: bytemuck::bytes_of(&params),
            grid,
            work: 120.0 * count as f64,
        })?;
    }
    Ok((out, mean))
}
