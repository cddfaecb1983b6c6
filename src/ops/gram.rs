//! Kernel (Gram) matrices: `K[i, j] = k(x_i, y_j)`.
//!
//! The definition is [`Kernel::value`]; the CPU path runs the kernel's program over tiles of pairs on every core, the
//! GPU path `shaders/gram.wgsl`. Both are checked against it in `tests/ops/gram.rs`.

use std::borrow::Cow;
use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::half::{operand, result};
use super::{require, to_half};
use crate::check::is_finite;
use crate::gpu::{Bind, Buffer, Gpu, Pass, Shader};
use crate::host::memory::{Scattered, room};
use crate::kernel::{Packed, Points, Program, Scratch};
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Error, Kernel, Matrix, Precision, Result};

const TILE_LOOP: &str = include_str!("../../shaders/gram_tile.wgsl");
const SHADER: &str = include_str!("../../shaders/gram.wgsl");
pub(super) const TILE: usize = 64; // `TILE` in the shaders
pub(super) const DEPTH: usize = 4; // `DEPTH` in the shaders
/// Rows of a strip on the CPU: one cache line of a column, so that mirroring a strip writes whole lines.
pub(super) const STRIP: usize = 8;

/// Mirrors `Params` in `shaders/gram_tile.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Params {
    pub n: u32,
    pub m: u32,
    pub d4: u32,
    pub row_first: u32,
    pub col_first: u32,
    pub stride: u32,
    pub col: u32,
    pub extra: u32,
}

/// `K[i, j] = k(x_i, y_j)`: `n x m` from the rows of `x` (`n x d`) and `y` (`m x d`).
///
/// Without `y` it is the symmetric Gram matrix of `x`: computed once for each pair, exactly symmetric, and with any
/// white noise on its diagonal.
///
/// # Errors
/// [`Error::Shape`] if the kernel or the operands disagree about the features, [`Error::Parameter`] for a
/// hyper-parameter outside its domain, [`Error::Unsupported`] for a kernel that the GPU cannot run,
/// [`Error::TooLarge`] if K exceeds the adapter's largest buffer (then use [`gram_vec`](super::gram_vec())),
/// [`Error::Overflow`] for a value beyond f64 on the CPU. A GPU holds infinities or NaN for what is beyond f32: to find out
/// would mean reading back, which is left to what uses K.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, ops::gram};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 1.0])?;
/// let k = gram(&Kernel::rbf(1.0), &x, None)?.to_array()?;
/// assert_eq!(k[[0, 0]], 1.0);
/// assert!((k[[0, 1]] - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gram(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>) -> Result<Matrix> {
    match check("gram", x, y)? {
        Shared::Cpu => cpu(kernel, x.cpu(), y.map(Matrix::cpu)).map(Matrix::from_host),
        Shared::Gpu(gpu) => gpu.guard("gram", || on_gpu(gpu, kernel, x, y, Precision::Single)),
    }
}

/// [`gram()`] stored in half precision: values are rounded to 11 bits as they are stored, an absolute error of at most
/// 2.5e-4 for a kernel bounded by one, in half the memory.
///
/// # Errors
/// As [`gram()`].
pub fn gram_half(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>) -> Result<Matrix> {
    match check("gram", x, y)? {
        Shared::Cpu => to_half(&gram(kernel, x, y)?),
        Shared::Gpu(gpu) => gpu.guard("gram", || on_gpu(gpu, kernel, x, y, Precision::Half)),
    }
}

pub(super) fn check<'a>(op: &'static str, x: &'a Matrix, y: Option<&Matrix>) -> Result<Shared<'a>> {
    if let Some(y) = y {
        let (p, q) = (x.cols(), y.cols());
        require(op, p == q, || format!("x has {p} features, y has {q}"))?;
    }
    x.shared(op, y.as_slice())
}

/// Both operands made ready for the tile loops of the CPU.
pub(super) struct Ready {
    pub program: Program,
    pub x: Points,
    pub y: Packed,
    /// Whether x and y are one data set.
    pub same: bool,
}

impl Ready {
    pub fn new(op: &'static str, kernel: &Kernel, x: &Array2<f64>, y: Option<&Array2<f64>>) -> Result<Self> {
        let program = kernel.program_for(op, x.ncols())?;
        let points = program.points(op, x.view())?;
        let packed = match y {
            None => Packed::new(&points),
            Some(y) => Packed::new(&program.points(op, y.view())?),
        };
        Ok(Ready { program, x: points, y: packed, same: y.is_none() })
    }
}

fn cpu(kernel: &Kernel, x: &Array2<f64>, y: Option<&Array2<f64>>) -> Result<Array2<f64>> {
    let ready = Ready::new("gram", kernel, x, y)?;
    let (n, m) = (ready.x.len(), ready.y.n);
    let mut out = room(n, m);
    let slice = out.as_slice_mut().expect("a new array is row-major");
    let sound = if ready.same {
        symmetric(&ready, slice, n, true)
    } else {
        let strips = slice.par_chunks_mut(STRIP * m).enumerate();
        let made = strips.map_init(Scratch::default, |scratch, (s, strip)| {
            let rows = s * STRIP..s * STRIP + strip.len() / m;
            ready.program.tile(&ready.x, rows, &ready.y, 0..m, false, strip, scratch);
            is_finite(strip)
        });
        // Every strip is made, whatever the others hold.
        made.reduce(|| true, |a, b| a & b)
    };
    if sound { Ok(out) } else { Err(overflow(&out, ready.same)) }
}

/// The error of the first value that is no number; of one data set, on or below the diagonal.
fn overflow(k: &Array2<f64>, same: bool) -> Error {
    let first = k.indexed_iter().find(|((row, col), v)| !v.is_finite() && (!same || col <= row));
    let ((row, col), value) = first.map_or(((0, 0), f64::NAN), |(at, v)| (at, *v));
    Error::Overflow { op: "gram", what: "the kernel", value, row, col }
}

/// K of one data set on the host, on and below its diagonal; what is above it is not to be read.
pub(crate) fn gram_lower(kernel: &Kernel, x: &Array2<f64>) -> Result<Array2<f64>> {
    let ready = Ready::new("gram", kernel, x, None)?;
    let n = ready.x.len();
    let mut out = room(n, n);
    let sound = symmetric(&ready, out.as_slice_mut().expect("a new array is row-major"), n, false);
    if sound { Ok(out) } else { Err(overflow(&out, true)) }
}

/// Strips of rows up to the diagonal, each stored as it is and, where the whole is wanted, mirrored. Whether all are finite.
fn symmetric(ready: &Ready, out: &mut [f64], n: usize, whole: bool) -> bool {
    let shared = Scattered::new(out);
    let strips = n.div_ceil(STRIP);
    // Long strips first: the short ones fill the gaps at the end.
    let made = (0..strips).into_par_iter().rev().with_max_len(1).map_init(
        || (Scratch::default(), Vec::new()),
        |(scratch, tile), s| {
            let shared = &shared;
            let rows = s * STRIP..n.min((s + 1) * STRIP);
            let width = rows.end;
            tile.resize(rows.len() * width, 0.0);
            ready.program.tile(&ready.x, rows.clone(), &ready.y, 0..width, true, tile, scratch);
            let mut sound = true;
            for (i, row) in rows.clone().zip(tile.chunks_exact(width)) {
                sound &= is_finite(&row[..=i]);
                // SAFETY: entries (i, 0..=i) with i in this strip belong to this strip alone.
                unsafe { shared.put_row(i * n, &row[..=i]) };
            }
            if !whole {
                return sound;
            }
            for j in 0..width {
                for i in rows.clone().filter(|&i| i > j) {
                    // SAFETY: entries (j, i) with i in this strip and j < i belong to this strip alone.
                    unsafe { shared.put(j * n + i, tile[(i - rows.start) * width + j]) };
                }
            }
            sound
        },
    );
    made.reduce(|| true, |a, b| a & b)
}

/// Both operands made ready for the tile loop of a GPU.
pub(super) struct Loaded<'a> {
    pub program: Program,
    pub key: String,
    kernel: String,
    theta: Buffer,
    operands: String,
    foreign: bool,
    pub x: Cow<'a, Matrix>,
    pub y: Cow<'a, Matrix>,
    pub same: bool,
}

impl<'a> Loaded<'a> {
    pub fn new(
        op: &'static str,
        gpu: &Gpu,
        kernel: &Kernel,
        x: &'a Matrix,
        y: Option<&'a Matrix>,
        gradient: bool,
    ) -> Result<Self> {
        let program = kernel.program_for(op, x.cols())?;
        let wgsl = program.wgsl(gradient)?;
        let (z, w) = (derive(op, &program, x)?, y.map(|y| derive(op, &program, y)).transpose()?);
        let w = w.unwrap_or_else(|| z.clone());
        let [half_x, half_y] = [&z, &w].map(|m| m.precision() == Precision::Half);
        let operands = operand("x", 1, half_x) + &operand("y", 2, half_y);
        let key = format!("{op}{}{} {}", u8::from(half_x), u8::from(half_y), wgsl.key);
        let theta = gpu.upload("kernel.theta", bytemuck::cast_slice(&wgsl.theta))?;
        let foreign = !program.customs.is_empty();
        let (kernel, same) = (wgsl.source, y.is_none());
        Ok(Loaded { program, key, kernel, theta, operands, foreign, x: z, y: w, same })
    }

    /// The bindings 0, 1 and 2 of every tile shader, for windows of x and y.
    pub fn binds(&self, rows: &Range<usize>, cols: &Range<usize>) -> [Bind<'_>; 3] {
        [self.theta.whole(), self.x.rows_bind(rows.start, rows.end), self.y.rows_bind(cols.start, cols.end)]
    }

    /// The shader of these parts; a user's kernel keeps its checks.
    pub fn shader<'b>(&self, key: &'b str, parts: &'b [&'b str]) -> Shader<'b> {
        Shader::new(key, parts).foreign(self.foreign)
    }

    /// The text: kernel, operands, tile loop, then the verb's own.
    pub fn parts<'b>(&'b self, own: &[&'b str]) -> Vec<&'b str> {
        [&[self.kernel.as_str(), self.operands.as_str(), TILE_LOOP], own].concat()
    }

    /// Multiply-adds of one pair, roughly: its features, and the kernel's function of them.
    pub fn per_pair(&self) -> f64 {
        per_pair(self.x.vec4s())
    }

    pub fn params(&self, rows: &Range<usize>, cols: &Range<usize>) -> Params {
        Params {
            n: rows.len() as u32,
            m: cols.len() as u32,
            d4: self.x.vec4s() as u32,
            row_first: rows.start as u32,
            col_first: cols.start as u32,
            stride: 0,
            col: 0,
            extra: 0,
        }
    }
}

/// Multiply-adds of a pair with this many vec4s of features.
pub(super) fn per_pair(d4: usize) -> f64 {
    4.0 * d4 as f64 + 16.0
}

/// Features beyond which one tile would run into llvmpipe's limit of 65,535 loop iterations.
const MAX_FEATURES: usize = 150_000;

/// Z of the kernel on the device: x itself, unless the kernel maps it first or looks its entries up in a table.
fn derive<'a>(op: &'static str, program: &Program, x: &'a Matrix) -> Result<Cow<'a, Matrix>> {
    if program.dz > MAX_FEATURES {
        let what = format!("{} features", program.dz);
        return Err(Error::Unsupported { op, what, device: x.device().to_string(), instead: "use the CPU" });
    }
    if program.derived.is_empty() && program.indices.is_empty() {
        return Ok(Cow::Borrowed(x));
    }
    let points = program.points(op, x.to_array()?.view())?;
    Ok(Cow::Owned(Matrix::upload(op, &x.device(), points.z.view())?))
}

fn on_gpu(
    gpu: &Gpu,
    kernel: &Kernel,
    x: &Matrix,
    y: Option<&Matrix>,
    precision: Precision,
) -> Result<Matrix> {
    let loaded = Loaded::new("gram", gpu, kernel, x, y, false)?;
    let out = Matrix::alloc(gpu, "gram.out", (loaded.x.rows(), loaded.y.rows()), precision)?;
    fill(gpu, &loaded, &(0..x.rows()), &out)?;
    Ok(out)
}

/// Records K of the given rows of x, and all of y, into `out`.
pub(super) fn fill(gpu: &Gpu, loaded: &Loaded, of: &Range<usize>, out: &Matrix) -> Result<()> {
    // The mirror image of a window lies outside of it: only a result in one piece can be mirrored.
    let whole = of.len() == loaded.x.rows() && out.bytes() <= gpu.limits().binding_bytes;
    let (m, each) = (loaded.y.rows(), loaded.per_pair());
    let mirror = loaded.same && whole && 0.5 * (of.len() * m) as f64 * each <= gpu.budget();
    let fit = step(&gpu.limits(), TILE, &[&loaded.x, out])?;
    let dn = if mirror { fit } else { fit.min(affordable(gpu.budget(), m as f64 * each, TILE)) };
    let stored = result("put", 3, out.precision() == Precision::Half);
    let parts = loaded.parts(&[&stored, SHADER]);
    let key = format!("{} {:?}", loaded.key, out.precision());
    let flag = |on: bool| f64::from(u8::from(on));
    for rows in windows(of.len(), dn) {
        for cols in windows(loaded.y.rows(), step(&gpu.limits(), TILE, &[&loaded.y])?) {
            let from = of.start + rows.start..of.start + rows.end;
            let [theta, xs, ys] = loaded.binds(&from, &cols);
            let params = Params {
                stride: out.vec4s() as u32,
                col: (cols.start / 4) as u32,
                ..loaded.params(&from, &cols)
            };
            gpu.run(&Pass {
                op: "gram",
                shader: loaded.shader(&key, &parts),
                entry: "main",
                constants: &[("MIRROR", flag(mirror)), ("SAME", flag(loaded.same))],
                binds: &[theta, xs, ys, out.rows_bind(rows.start, rows.end)],
                params: bytemuck::bytes_of(&params),
                grid: [cols.len().div_ceil(TILE) as u32, rows.len().div_ceil(TILE) as u32, 1],
                work: (rows.len() * cols.len()) as f64 * each * if mirror { 0.5 } else { 1.0 },
            })?;
        }
    }
    Ok(())
}
