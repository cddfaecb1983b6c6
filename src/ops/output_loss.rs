//! The losses of output units paired with them, and where they lead: `∂E/∂a = y - t`.
//!
//! Checked in `tests/ops/output_loss.rs` against the formulas and against finite differences.

use ndarray::{Array2, ArrayView1};

use super::half::single;
use super::map::grid;
use super::reduce::GROUP;
use super::require;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/output_loss.wgsl");
/// Columns that one invocation goes through, four at a time and three times: far from 65,535 iterations.
const COLUMNS: usize = 32_768;

/// The distribution of targets t given the numbers a of the last layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// `E = ½ Σ(a - t)²`.
    Gaussian,
    /// `E = Σ ln(1 + e^a) - t a`.
    Bernoulli,
    /// `E = Σ_k t_k (ln Σ_j e^{a_j} - a_k)`.
    Softmax,
    /// `E = Σ e^a - t a`.
    Poisson,
}

impl Output {
    /// As the shader numbers them.
    fn code(self) -> u32 {
        match self {
            Output::Gaussian => 0,
            Output::Bernoulli => 1,
            Output::Softmax => 2,
            Output::Poisson => 3,
        }
    }
}

/// Mirrors `Params` in `shaders/output_loss.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    t_vec4s: u32,
    at: u32,
    scale: f32,
}

/// `scale w_i ∂E_i/∂a_i`, `n x m`, and the losses `w_i E_i` of all rows, `1 x n`.
///
/// `a` is `n x m`, `targets` is `n x (m + 1)`: the targets of a row and, last, its weight.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for targets of another shape or more than 32,768 columns,
/// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{Output, output_loss}};
/// let on = |a: ndarray::Array2<f64>| Matrix::from_array(&Device::cpu(), a.view());
/// let (a, t) = (on(ndarray::array![[3.0, 1.0]])?, on(ndarray::array![[1.0, 1.0, 2.0]])?);
/// let (delta, losses) = output_loss(&a, &t, Output::Gaussian, 0.5)?;
/// assert_eq!(delta.to_array()?, ndarray::array![[2.0, 0.0]]);
/// assert_eq!(losses.to_array()?, ndarray::array![[4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn output_loss(a: &Matrix, targets: &Matrix, output: Output, scale: f64) -> Result<(Matrix, Matrix)> {
    let place = check(a, targets)?;
    match place {
        Shared::Cpu => {
            let (delta, losses) = cpu(a.cpu(), targets.cpu(), output, scale);
            Ok((Matrix::from_host(delta), Matrix::from_host(losses)))
        }
        Shared::Gpu(gpu) => gpu.guard("output_loss", || {
            let losses = Matrix::alloc(gpu, "output_loss.losses", (1, a.rows()), Precision::Single)?;
            let delta = on_gpu(gpu, &*single(a)?, &*single(targets)?, output, scale, (&losses, 0))?;
            Ok((delta, losses))
        }),
    }
}

/// [`output_loss`] whose losses go into a matrix that is there, row after row without padding, from place `at` on.
pub(crate) fn output_loss_into(
    a: &Matrix,
    targets: &Matrix,
    output: Output,
    scale: f64,
    (losses, at): (&mut Matrix, usize),
) -> Result<Matrix> {
    check(a, targets)?;
    let room = losses.rows() * losses.cols();
    require("output_loss", at + a.rows().next_multiple_of(4) <= room && losses.cols() % 4 == 0, || {
        format!("losses of {} rows from {at} on, of {room} places", a.rows())
    })?;
    match a.shared("output_loss", &[targets, losses])? {
        Shared::Cpu => {
            let (delta, found) = cpu(a.cpu(), targets.cpu(), output, scale);
            let mut all = losses.clone().into_array()?;
            all.iter_mut().skip(at).zip(&found).for_each(|(to, v)| *to = *v);
            *losses = Matrix::from_host(all);
            Ok(Matrix::from_host(delta))
        }
        Shared::Gpu(gpu) => gpu.guard("output_loss", || {
            on_gpu(gpu, &*single(a)?, &*single(targets)?, output, scale, (losses, at))
        }),
    }
}

fn check<'a>(a: &'a Matrix, targets: &Matrix) -> Result<Shared<'a>> {
    let ((n, m), (rows, cols)) = (a.shape(), targets.shape());
    require("output_loss", (rows, cols) == (n, m + 1) && m <= COLUMNS, || {
        format!("a is {n} x {m}, the targets with their weights are {rows} x {cols}")
    })?;
    a.shared("output_loss", &[targets])
}

fn cpu(a: &Array2<f64>, targets: &Array2<f64>, output: Output, scale: f64) -> (Array2<f64>, Array2<f64>) {
    let (n, m) = a.dim();
    let (mut delta, mut losses) = (Array2::zeros((n, m)), Array2::zeros((1, n)));
    for i in 0..n {
        let weight = targets[[i, m]];
        losses[[0, i]] = weight
            * row(a.row(i), targets.row(i), output, |j, d| {
                delta[[i, j]] = scale * weight * d;
            });
    }
    (delta, losses)
}

/// E of one row; each `∂E/∂a` is given to `at`.
fn row(a: ArrayView1<f64>, t: ArrayView1<f64>, output: Output, mut at: impl FnMut(usize, f64)) -> f64 {
    let softplus = |v: f64| v.max(0.0) + (-v.abs()).exp().ln_1p();
    let top = a.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
    let total: f64 = a.iter().map(|v| (v - top).exp()).sum();
    let mass: f64 = t.iter().take(a.len()).sum();
    let mut sum = 0.0;
    for (j, (&v, &t)) in a.iter().zip(t).enumerate() {
        let (e, d) = match output {
            Output::Gaussian => (0.5 * (v - t) * (v - t), v - t),
            Output::Bernoulli => (softplus(v) - t * v, 1.0 / (1.0 + (-v).exp()) - t),
            Output::Softmax => (t * (top - v + total.ln()), mass * (v - top).exp() / total - t),
            Output::Poisson => (v.exp() - t * v, v.exp() - t),
        };
        at(j, d);
        sum += e;
    }
    sum
}

fn on_gpu(
    gpu: &Gpu,
    a: &Matrix,
    targets: &Matrix,
    output: Output,
    scale: f64,
    (losses, at): (&Matrix, usize),
) -> Result<Matrix> {
    let delta = Matrix::alloc(gpu, "output_loss.delta", a.shape(), Precision::Single)?;
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &[a, &delta, targets])?) {
        // Padded rows have an invocation of their own.
        let (grid, stride) = grid(rows.len().next_multiple_of(4));
        let params = Params {
            rows: rows.len() as u32,
            stride,
            cols: a.cols() as u32,
            vec4s: a.vec4s() as u32,
            t_vec4s: targets.vec4s() as u32,
            at: (at + rows.start) as u32,
            scale: scale as f32,
        };
        gpu.run(&Pass {
            op: "output_loss",
            shader: Shader::new("output_loss", &[SHADER]),
            entry: "main",
            constants: &[("OUTPUT", f64::from(output.code()))],
            binds: &[
                a.rows_bind(rows.start, rows.end),
                targets.rows_bind(rows.start, rows.end),
                delta.rows_bind(rows.start, rows.end),
                losses.bind(),
            ],
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(delta)
}
