//! Kernel matrices on a GPU: operands, text and parameters of the tile loop that all verbs of kernels share.

use std::borrow::Cow;
use std::ops::Range;

use super::TILE;
use crate::gpu::{Bind, Buffer, Gpu, Pass, Shader};
use crate::kernel::Program;
use crate::matrix::window::{affordable, step, windows};
use crate::ops::half::{operand, result};
use crate::{Error, Kernel, Matrix, Precision, Result};

const TILE_LOOP: &str = include_str!("../../../shaders/gram_tile.wgsl");
const SHADER: &str = include_str!("../../../shaders/gram.wgsl");

/// Mirrors `Params` in `shaders/gram_tile.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(in crate::ops) struct Params {
    pub n: u32,
    pub m: u32,
    pub d4: u32,
    pub row_first: u32,
    pub col_first: u32,
    pub stride: u32,
    pub col: u32,
    pub extra: u32,
}

/// Both operands made ready for the tile loop of a GPU.
pub(in crate::ops) struct Loaded<'a> {
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
pub(in crate::ops) fn per_pair(d4: usize) -> f64 {
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

pub(super) fn on_gpu(
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
pub(in crate::ops) fn fill(gpu: &Gpu, loaded: &Loaded, of: &Range<usize>, out: &Matrix) -> Result<()> {
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
