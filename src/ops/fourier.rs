//! Waves of given phases: what makes random features of inner products with frequencies.
//!
//! Checked in `tests/ops/fourier.rs` against the cosine, entry by entry.

use std::f64::consts::TAU;

use ndarray::Array2;

use super::half::single;
use super::map::grid;
use super::reduce::GROUP;
use super::require;
use crate::check::parameter;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/fourier.wgsl");

/// Which waves [`fourier()`] makes of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waves {
    /// Its cosine: as many columns as there are phases.
    Cosine,
    /// Its cosine and its sine side by side: twice as many.
    Both,
}

/// Mirrors `Params` in `shaders/fourier.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    sources: u32,
    size: f32,
}

/// `out[i, j] = size cos 2π(turns[i, j] + phases[j])`, or that and `size sin 2π(turns[i, j] + phases[j])` beside it.
///
/// `turns` is `n x m`, `phases` one row `1 x m`; both count whole turns, so that f32 drops them without a rounding. The
/// result is `n x m`, or `n x 2m` with the cosine of phase j in column 2j and its sine in the next.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are not m phases, [`Error::Parameter`](crate::Error::Parameter) for a size
/// that is not finite, [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Waves, fourier}};
/// let row = |v| Matrix::from_array(&Device::cpu(), v);
/// let (turns, phases) = (ndarray::array![[0.125, 3.5]], ndarray::array![[0.125, 0.0]]);
/// let waves = fourier(&row(turns.view())?, &row(phases.view())?, 2.0, Waves::Both)?.to_array()?;
/// assert!((waves - ndarray::array![[0.0, 2.0, -2.0, 0.0]]).iter().all(|off| off.abs() < 1e-14));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn fourier(turns: &Matrix, phases: &Matrix, size: f64, waves: Waves) -> Result<Matrix> {
    let m = turns.cols();
    require("fourier", phases.shape() == (1, m), || {
        format!("turns of {m} columns, phases of {:?}", phases.shape())
    })?;
    parameter("size", size, size.is_finite(), "must be finite")?;
    match turns.shared("fourier", &[phases])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu(turns.cpu(), phases.cpu(), size, waves))),
        Shared::Gpu(gpu) => {
            let (turns, phases) = (single(turns)?, single(phases)?);
            gpu.guard("fourier", || on_gpu(gpu, &turns, &phases, size as f32, waves))
        }
    }
}

fn cpu(turns: &Array2<f64>, phases: &Array2<f64>, size: f64, waves: Waves) -> Array2<f64> {
    let angle = |i: usize, j: usize| TAU * (turns[[i, j]] + phases[[0, j]]);
    let (n, m) = turns.dim();
    match waves {
        Waves::Cosine => Array2::from_shape_fn((n, m), |(i, j)| size * angle(i, j).cos()),
        Waves::Both => Array2::from_shape_fn((n, 2 * m), |(i, j)| {
            let angle = angle(i, j / 2);
            size * if j % 2 == 0 { angle.cos() } else { angle.sin() }
        }),
    }
}

fn on_gpu(gpu: &Gpu, turns: &Matrix, phases: &Matrix, size: f32, waves: Waves) -> Result<Matrix> {
    let both = waves == Waves::Both;
    let cols = turns.cols() * if both { 2 } else { 1 };
    let out = Matrix::alloc(gpu, "fourier.out", (turns.rows(), cols), Precision::Single)?;
    for rows in windows(turns.rows(), step(&gpu.limits(), GROUP, &[turns, &out])?) {
        let count = rows.len() * out.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            cols: cols as u32,
            vec4s: out.vec4s() as u32,
            sources: turns.vec4s() as u32,
            size,
        };
        gpu.run(&Pass {
            op: "fourier",
            shader: Shader::new("fourier", &[SHADER]),
            entry: "main",
            constants: &[("BOTH", f64::from(u8::from(both)))],
            binds: &[
                turns.rows_bind(rows.start, rows.end),
                phases.bind(),
                out.rows_bind(rows.start, rows.end),
            ],
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}
