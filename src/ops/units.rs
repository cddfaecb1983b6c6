//! Hidden units of a network: their values, and a gradient on its way back through them.
//!
//! Checked in `tests/ops/units.rs` against the formulas, entry by entry.

use ndarray::{Array2, s};
use rayon::prelude::*;

use super::half::single;
use super::map::{TASK, grid};
use super::reduce::GROUP;
use super::{require, sigmoids};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/units.wgsl");

/// The function h of hidden units: those whose slope can be found from their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `a`.
    Identity,
    /// `1 / (1 + e^-a)`, with the slope `z (1 - z)`.
    Sigmoid,
    /// `tanh a`, with the slope `1 - z²`.
    Tanh,
    /// `max(0, a)`, with the slope `1[z > 0]`.
    Relu,
    /// `ln(1 + e^a)`, with the slope `1 - e^-z`.
    Softplus,
    /// `1[a > 0]`, with the slope 0.
    Step,
}

impl Unit {
    /// As the shader numbers them.
    fn code(self) -> u32 {
        match self {
            Unit::Identity => 0,
            Unit::Sigmoid => 1,
            Unit::Tanh => 2,
            Unit::Relu => 3,
            Unit::Softplus => 4,
            Unit::Step => 5,
        }
    }

    fn value(self, a: f64) -> f64 {
        let e = (-a.abs()).exp();
        match self {
            Unit::Identity => a,
            Unit::Sigmoid => (if a >= 0.0 { 1.0 } else { e }) / (1.0 + e),
            Unit::Tanh => a.tanh(),
            Unit::Relu => a.max(0.0),
            Unit::Softplus => a.max(0.0) + e.ln_1p(),
            Unit::Step => f64::from(u8::from(a > 0.0)),
        }
    }

    fn slope(self, z: f64) -> f64 {
        match self {
            Unit::Identity => 1.0,
            Unit::Sigmoid => z * (1.0 - z),
            Unit::Tanh => (1.0 - z) * (1.0 + z),
            Unit::Relu => f64::from(u8::from(z > 0.0)),
            Unit::Softplus => -(-z).exp_m1(),
            Unit::Step => 0.0,
        }
    }
}

/// Mirrors `Params` in `shaders/units.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    a_vec4s: u32,
}

/// `z = [h(a), 1]`: the values of units, and a column of ones that the biases of the next layer are multiplied by.
///
/// `a` is `n x m`, the result `n x (m + 1)`.
///
/// # Errors
/// Only those of the device.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Unit, units}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[-1.0, 2.0]].view())?;
/// assert_eq!(units(&a, Unit::Relu)?.to_array()?, ndarray::array![[0.0, 2.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn units(a: &Matrix, unit: Unit) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu(), unit))),
        Shared::Gpu(gpu) => gpu.guard("units", || on_gpu(gpu, &*single(a)?, None, a.cols(), unit)),
    }
}

/// `δ ∘ h'(a)`, with the slopes found from `z` as [`units`] made it: what has come back to units goes on to their inputs.
///
/// `delta` and `z` are `n x (m + 1)`, the result is `n x m`: nothing goes back to the column of ones.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the two differ in shape or have one column,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if they live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Unit, units_back}};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let (delta, z) = (on(ndarray::array![[5.0, 3.0, 7.0]])?, on(ndarray::array![[0.0, 2.0, 1.0]])?);
/// assert_eq!(units_back(&delta, &z, Unit::Relu)?.to_array()?, ndarray::array![[0.0, 3.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn units_back(delta: &Matrix, z: &Matrix, unit: Unit) -> Result<Matrix> {
    require("units_back", delta.shape() == z.shape() && z.cols() > 1, || {
        format!("delta is {:?}, z is {:?}", delta.shape(), z.shape())
    })?;
    match delta.shared("units_back", &[z])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu_back(delta.cpu(), z.cpu(), unit))),
        Shared::Gpu(gpu) => {
            gpu.guard("units_back", || on_gpu(gpu, &*single(delta)?, Some(&*single(z)?), z.cols() - 1, unit))
        }
    }
}

fn cpu(a: &Array2<f64>, unit: Unit) -> Array2<f64> {
    let m = a.ncols();
    let mut out = Array2::ones((a.nrows(), m + 1));
    let rows = out.as_slice_mut().unwrap_or_default().par_chunks_mut(m + 1).with_min_len(TASK.div_ceil(m));
    rows.enumerate().for_each(|(i, to)| {
        let to = &mut to[..m];
        to.iter_mut().zip(a.row(i)).for_each(|(t, v)| *t = *v);
        match unit {
            Unit::Sigmoid => sigmoids(to),
            _ => to.iter_mut().for_each(|v| *v = unit.value(*v)),
        }
    });
    out
}

fn cpu_back(delta: &Array2<f64>, z: &Array2<f64>, unit: Unit) -> Array2<f64> {
    let m = z.ncols() - 1;
    delta.slice(s![.., ..m]).to_owned() * z.slice(s![.., ..m]).mapv(|z| unit.slope(z))
}

fn on_gpu(gpu: &Gpu, a: &Matrix, z: Option<&Matrix>, cols: usize, unit: Unit) -> Result<Matrix> {
    let width = if z.is_some() { cols } else { cols + 1 };
    let out = Matrix::alloc(gpu, "units.out", (a.rows(), width), Precision::Single)?;
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &[a, &out])?) {
        let count = rows.len() * out.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            cols: cols as u32,
            vec4s: out.vec4s() as u32,
            a_vec4s: a.vec4s() as u32,
        };
        let mut binds = vec![a.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)];
        binds.extend(z.map(|z| z.rows_bind(rows.start, rows.end)));
        gpu.run(&Pass {
            op: if z.is_some() { "units_back" } else { "units" },
            shader: Shader::new("units", &[SHADER]),
            entry: if z.is_some() { "backward" } else { "forward" },
            constants: &[("UNIT", f64::from(unit.code()))],
            binds: &binds,
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}
