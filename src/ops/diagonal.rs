//! The diagonal of a square matrix: taken out, or added to.
//!
//! Checked against indexing in `tests/ops/diagonal.rs`.

use ndarray::Array2;

use super::map::{Map, grid, map};
use super::reduce::{GROUP, operand};
use super::require;
use crate::gpu::{Gpu, Pass, Shader};
use crate::host::memory::copy;
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/diagonal.wgsl");

/// Mirrors `Params` in `shaders/diagonal.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    vec4s: u32,
    first: u32,
    value: f32,
}

/// What is done to the diagonal.
#[derive(Clone, Copy)]
enum Job<'a> {
    Take,
    Add(f64),
    AddVector(&'a Matrix),
}

/// `out[i] = a[i, i]`.
///
/// `a` is `n x n`, the result `n x 1`.
///
/// # Errors
/// [`Error::Shape`] if `a` is not square.
///
/// ```
/// use mercer::{Device, Matrix, ops::diagonal};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// assert_eq!(diagonal(&a)?.to_array()?, ndarray::array![[1.0], [4.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn diagonal(a: &Matrix) -> Result<Matrix> {
    square("diagonal", a)?;
    match a.place() {
        Shared::Cpu => {
            let d = a.cpu().diag();
            Ok(Matrix::from_host(Array2::from_shape_fn((d.len(), 1), |(i, _)| d[i])))
        }
        Shared::Gpu(gpu) => gpu.guard("diagonal", || on_gpu(gpu, a, Job::Take)),
    }
}

/// `A + value I`.
///
/// `a` and the result are `n x n`.
///
/// # Errors
/// [`Error::Shape`] if `a` is not square, [`Error::Parameter`] if `value` is not finite.
///
/// ```
/// use mercer::{Device, Matrix, ops::add_diagonal};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// assert_eq!(add_diagonal(&a, 0.5)?.to_array()?, ndarray::array![[1.5, 2.0], [3.0, 4.5]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn add_diagonal(a: &Matrix, value: f64) -> Result<Matrix> {
    square("add_diagonal", a)?;
    if !value.is_finite() {
        return Err(Error::Parameter { name: "value".into(), value, requirement: "must be finite" });
    }
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu(), |_| value))),
        Shared::Gpu(gpu) => gpu.guard("add_diagonal", || on_gpu(gpu, a, Job::Add(value))),
    }
}

/// `A + diag(d)`.
///
/// `a` and the result are `n x n`, `d` is `n x 1`.
///
/// # Errors
/// [`Error::Shape`] if `a` is not square or `d` not a column of its size, [`Error::DeviceMismatch`] if they live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::add_diagonal_vector};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// let d = Matrix::column(&Device::cpu(), &[0.5, 1.0])?;
/// assert_eq!(add_diagonal_vector(&a, &d)?.to_array()?, ndarray::array![[1.5, 2.0], [3.0, 5.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn add_diagonal_vector(a: &Matrix, d: &Matrix) -> Result<Matrix> {
    let n = square("add_diagonal_vector", a)?;
    require("add_diagonal_vector", d.shape() == (n, 1), || {
        format!("d is {} x {} and should be {n} x 1", d.rows(), d.cols())
    })?;
    match a.shared("add_diagonal_vector", &[d])? {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu(), |i| d.cpu()[[i, 0]]))),
        Shared::Gpu(gpu) => gpu.guard("add_diagonal_vector", || {
            // The shader reads the column as f32; a map stores one as that, whatever it was.
            let same = Map::Affine { scale: 1.0, shift: 0.0 };
            let d = if d.precision() == Precision::Half { map(d, same)? } else { d.clone() };
            on_gpu(gpu, a, Job::AddVector(&d))
        }),
    }
}

fn square(op: &'static str, a: &Matrix) -> Result<usize> {
    let (n, m) = a.shape();
    require(op, n == m, || format!("the matrix is {n} x {m} and should be square"))?;
    Ok(n)
}

fn cpu(a: &Array2<f64>, value: impl Fn(usize) -> f64) -> Array2<f64> {
    let mut out = copy(a.view());
    out.diag_mut().iter_mut().enumerate().for_each(|(i, v)| *v += value(i));
    out
}

fn on_gpu(gpu: &Gpu, a: &Matrix, job: Job) -> Result<Matrix> {
    let n = a.rows();
    let (entry, shape) = match job {
        Job::Take => ("diagonal", (n, 1)),
        Job::Add(_) => ("add", (n, n)),
        Job::AddVector(_) => ("add_vector", (n, n)),
    };
    let vector = if let Job::AddVector(d) = job { Some(d) } else { None };
    let out = Matrix::alloc(gpu, "diagonal.out", shape, Precision::Single)?;
    let (key, source) = operand("diagonal", a);
    let operands: Vec<&Matrix> = [a, &out].into_iter().chain(vector).collect();
    for rows in windows(n, step(&gpu.limits(), GROUP, &operands)?) {
        let count = rows.len() * out.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            vec4s: a.vec4s() as u32,
            first: rows.start as u32,
            value: if let Job::Add(value) = job { value as f32 } else { 0.0 },
        };
        let binds: Vec<_> = operands.iter().map(|m| m.rows_bind(rows.start, rows.end)).collect();
        gpu.run(&Pass {
            op: "diagonal",
            shader: Shader::new(&key, &[&source, SHADER]),
            entry,
            constants: &[],
            binds: &binds,
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}
