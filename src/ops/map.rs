//! Element-wise functions of one matrix and of two.
//!
//! Checked against the scalar function, entry by entry, in `tests/ops/map.rs`.

mod on_cpu;

use super::reduce::GROUP;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};
use on_cpu::{cpu, zip_cpu};

const SHADER: &str = include_str!("../../shaders/map.wgsl");
/// Entries in one CPU task.
pub(super) const TASK: usize = 1 << 14;

/// A function of one entry `x`. Outside of its domain a function has no defined value on a GPU: take care there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Map {
    /// `e^x`.
    Exp,
    /// The natural logarithm, of positive entries.
    Log,
    /// The square root, of entries that are not negative.
    Sqrt,
    /// `x^2`.
    Square,
    /// `|x|`.
    Abs,
    /// `1 / x`, of entries that are not zero.
    Recip,
    /// `scale x + shift`.
    Affine {
        /// Factor.
        scale: f64,
        /// What is added after.
        shift: f64,
    },
    /// The hyperbolic tangent.
    Tanh,
    /// `1 / (1 + e^-x)`.
    Sigmoid,
    /// The larger of `x` and this.
    MaxWith(f64),
    /// `ln(1 + e^x)`.
    Softplus,
}

impl Map {
    /// As the shader numbers them, with its two parameters.
    fn code(self) -> (u32, f64, f64) {
        match self {
            Map::Exp => (0, 0.0, 0.0),
            Map::Log => (1, 0.0, 0.0),
            Map::Sqrt => (2, 0.0, 0.0),
            Map::Square => (3, 0.0, 0.0),
            Map::Abs => (4, 0.0, 0.0),
            Map::Recip => (5, 0.0, 0.0),
            Map::Affine { scale, shift } => (6, scale, shift),
            Map::Tanh => (7, 0.0, 0.0),
            Map::Sigmoid => (8, 0.0, 0.0),
            Map::MaxWith(least) => (9, least, 0.0),
            Map::Softplus => (10, 0.0, 0.0),
        }
    }
}

/// A function of two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zip {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a b`.
    Mul,
    /// `a / b`; where `b` is zero there is no defined value on a GPU.
    Div,
}

impl Zip {
    fn code(self) -> u32 {
        match self {
            Zip::Add => 0,
            Zip::Sub => 1,
            Zip::Mul => 2,
            Zip::Div => 3,
        }
    }
}

/// How the second operand is spread over the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    Same,
    Row,
    Column,
    One,
}

/// Mirrors `Params` in `shaders/map.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    x: f32,
    y: f32,
}

/// `out[i, j] = f(a[i, j])`.
///
/// `a` and the result are `n x m`; half storage comes out as f32.
///
/// # Errors
/// [`Error::Parameter`] if `f` has a parameter that is not finite.
///
/// ```
/// use mercer::{Device, Matrix, ops::{map, Map}};
/// let a = Matrix::from_array(&Device::cpu(), ndarray::array![[1.0, 4.0]].view())?;
/// assert_eq!(map(&a, Map::Sqrt)?.to_array()?, ndarray::array![[1.0, 2.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn map(a: &Matrix, f: Map) -> Result<Matrix> {
    let (code, x, y) = f.code();
    for value in [x, y] {
        if !value.is_finite() {
            return Err(Error::Parameter { name: format!("{f:?}"), value, requirement: "must be finite" });
        }
    }
    match a.place() {
        Shared::Cpu => Ok(Matrix::from_host(cpu(a.cpu(), f))),
        Shared::Gpu(gpu) => gpu.guard("map", || on_gpu(gpu, a, None, code, [x as f32, y as f32])),
    }
}

/// `out[i, j] = a[i, j] op b[i, j]`, with `b` spread over `a` where it is smaller.
///
/// `a` and the result are `n x m`; `b` is `n x m`, one row `1 x m`, one column `n x 1`, or one entry `1 x 1`.
///
/// # Errors
/// [`Error::Shape`] if `b` has another shape, [`Error::DeviceMismatch`] if the operands live apart.
///
/// ```
/// use mercer::{Device, Matrix, ops::{zip, Zip}};
/// let cpu = Device::cpu();
/// let a = Matrix::from_array(&cpu, ndarray::array![[1.0, 2.0], [3.0, 4.0]].view())?;
/// let row = Matrix::from_array(&cpu, ndarray::array![[10.0, 20.0]].view())?;
/// assert_eq!(zip(&a, &row, Zip::Add)?.to_array()?, ndarray::array![[11.0, 22.0], [13.0, 24.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn zip(a: &Matrix, b: &Matrix, op: Zip) -> Result<Matrix> {
    let (n, m) = a.shape();
    let spread = match b.shape() {
        shape if shape == (n, m) => Some(Spread::Same),
        (1, 1) => Some(Spread::One),
        (1, cols) if cols == m => Some(Spread::Row),
        (rows, 1) if rows == n => Some(Spread::Column),
        _ => None,
    };
    let (rows, cols) = b.shape();
    let what = || format!("b is {rows} x {cols}; a is {n} x {m}, so b may also be 1 x {m}, {n} x 1 or 1 x 1");
    let spread = spread.ok_or_else(|| Error::Shape { op: "zip", what: what() })?;
    match a.shared("zip", &[b])? {
        Shared::Cpu => Ok(Matrix::from_host(zip_cpu(a.cpu(), b.cpu(), op))),
        Shared::Gpu(gpu) => gpu.guard("zip", || on_gpu(gpu, a, Some((b, spread)), op.code(), [0.0; 2])),
    }
}

/// A grid of workgroups of 64 for `count` invocations, square-ish so that no axis meets its limit, and the number of
/// invocations along its x axis: what the element-wise shaders call `stride`.
pub(super) fn grid(count: usize) -> ([u32; 3], u32) {
    let groups = count.div_ceil(GROUP) as u32;
    let across = groups.clamp(1, 1024);
    ([across, groups.div_ceil(across), 1], across * GROUP as u32)
}

fn on_gpu(
    gpu: &Gpu,
    a: &Matrix,
    b: Option<(&Matrix, Spread)>,
    code: u32,
    [x, y]: [f32; 2],
) -> Result<Matrix> {
    let out = Matrix::alloc(gpu, "map.out", a.shape(), Precision::Single)?;
    let [half_a, half_b] =
        [Some(a), b.map(|(b, _)| b)].map(|m| m.map(Matrix::precision) == Some(Precision::Half));
    let sources = [super::half::operand("a", 0, half_a), super::half::operand("b", 2, half_b)];
    let key = format!("map{}{}", u8::from(half_a), u8::from(half_b));
    let spread = b.map_or(Spread::Same, |(_, spread)| spread);
    let by_rows = matches!(spread, Spread::Same | Spread::Column);
    let mut operands = vec![a, &out];
    operands.extend(b.filter(|_| by_rows).map(|(b, _)| b));
    for rows in windows(a.rows(), step(&gpu.limits(), GROUP, &operands)?) {
        let count = rows.len() * a.vec4s();
        let (grid, stride) = grid(count);
        let params =
            Params { count: count as u32, stride, cols: a.cols() as u32, vec4s: a.vec4s() as u32, x, y };
        let mut binds = vec![a.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)];
        binds.extend(b.map(|(b, _)| if by_rows { b.rows_bind(rows.start, rows.end) } else { b.bind() }));
        let constants = [("OP", f64::from(code)), ("SPREAD", f64::from(spread as u8))];
        gpu.run(&Pass {
            op: if b.is_some() { "zip" } else { "map" },
            shader: Shader::new(&key, &[&sources[0], &sources[1], SHADER]),
            entry: if b.is_some() { "zip" } else { "map" },
            constants: if b.is_some() { &constants } else { &constants[..1] },
            binds: &binds,
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })?;
    }
    Ok(out)
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use ndarray::Array2;

    use crate::device::Place;
    use crate::ops::*;
    use crate::{Device, Matrix, Result};

    type Verb<'a> = Box<dyn Fn() -> Result<Matrix> + 'a>;

    /// Padding cannot be seen through the public interface, and every product over padded rows relies on it.
    #[test]
    fn every_verb_leaves_the_padding_zero() {
        for adapter in Device::adapters().into_iter().filter(|a| a.usable) {
            let device = Device::nth(adapter.index).unwrap();
            for n in [1, 5, 6, 67] {
                let a = Matrix::from_array(&device, Array2::from_elem((n, n), 2.0).view()).unwrap();
                let column = Matrix::from_array(&device, Array2::from_elem((n, 1), 3.0).view()).unwrap();
                let row = Matrix::from_array(&device, Array2::from_elem((1, n), 3.0).view()).unwrap();
                let one = Matrix::from_array(&device, Array2::from_elem((1, 1), 3.0).view()).unwrap();
                let p: Vec<usize> = (0..n).rev().collect();
                let verbs: Vec<(&str, Verb)> = vec![
                    ("exp", Box::new(|| map(&a, Map::Exp))),
                    ("log", Box::new(|| map(&a, Map::Log))),
                    ("recip", Box::new(|| map(&a, Map::Recip))),
                    ("affine", Box::new(|| map(&a, Map::Affine { scale: 1.0, shift: 1.0 }))),
                    ("sigmoid", Box::new(|| map(&a, Map::Sigmoid))),
                    ("softplus", Box::new(|| map(&a, Map::Softplus))),
                    ("max", Box::new(|| map(&a, Map::MaxWith(1.0)))),
                    ("add column", Box::new(|| zip(&a, &column, Zip::Add))),
                    ("add entry", Box::new(|| zip(&a, &one, Zip::Add))),
                    ("div", Box::new(|| zip(&a, &a, Zip::Div))),
                    ("row sums", Box::new(|| reduce(&a, Along::EachRow, Reduction::Sum))),
                    ("column sums", Box::new(|| reduce(&a, Along::EachColumn, Reduction::Sum))),
                    ("column minima", Box::new(|| reduce(&a, Along::EachColumn, Reduction::Min))),
                    ("logsumexp", Box::new(|| logsumexp(&a))),
                    ("softmax", Box::new(|| softmax(&a))),
                    ("centre", Box::new(|| centre(&a))),
                    ("centre_columns", Box::new(|| Ok(centre_columns(&a)?.0))),
                    ("fourier", Box::new(|| fourier(&a, &row, 1.0, Waves::Both))),
                    ("cosines", Box::new(|| fourier(&a, &row, 1.0, Waves::Cosine))),
                    ("gather_rows", Box::new(|| gather_rows(&a, &p))),
                    ("permute", Box::new(|| permute(&a, &p))),
                    ("diagonal", Box::new(|| diagonal(&a))),
                    ("add_diagonal", Box::new(|| add_diagonal(&a, 1.0))),
                    ("add_diagonal_vector", Box::new(|| add_diagonal_vector(&a, &column))),
                ];
                for (name, verb) in &verbs {
                    // The pool hands out used memory: make sure that what it hands out next is not zero.
                    let dirt = |rows: usize, cols: usize| {
                        let full = Array2::from_elem((rows, cols.next_multiple_of(4)), 9.0);
                        Matrix::from_array(&device, full.view()).unwrap()
                    };
                    drop([(n, n), (n, 1), (1, n), (n, n)].map(|(rows, cols)| dirt(rows, cols)));
                    let out = verb().unwrap();
                    let Place::Gpu(gpu) = device.place() else { unreachable!() };
                    let raw = gpu.download(out.buffer(), 0, out.bytes()).unwrap();
                    let stride = 4 * out.vec4s();
                    for (i, bytes) in raw.chunks_exact(4).enumerate() {
                        let real = i % stride < out.cols();
                        assert!(real || bytes == [0; 4], "{name}, n = {n}, word {i} on {device}");
                    }
                }
            }
        }
    }
}
