//! Half-precision storage: two elements to a word, unpacked to f32 as they are read.
//!
//! `pack2x16float` and `unpack2x16float` are core WGSL, so this needs no f16 arithmetic and runs on every adapter.

use std::borrow::Cow;

use half::f16;

use super::{Map, map};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{step, windows};
use crate::{Error, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/half.wgsl");
const TILE: usize = 64; // rows per workgroup

/// Mirrors `Params` in `shaders/half.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    vec4s: u32,
    stride: u32,
}

/// `a` rounded to half precision: a relative error of at most 2^-11, at half the memory.
///
/// On a GPU the result is stored in two bytes an element and read by `gemm`, `gram`, `gram_vec` and `transpose`, which
/// accumulate in f32. On the CPU it is the f64 matrix of the rounded values, so both devices compute the same thing.
///
/// # Errors
/// [`Error::NotFinite`] on the CPU if a value exceeds 65,504; a GPU stores an infinity there.
pub fn to_half(a: &Matrix) -> Result<Matrix> {
    match a.place() {
        Shared::Cpu => cpu(a),
        Shared::Gpu(_) if a.precision() == Precision::Half => Ok(a.clone()),
        Shared::Gpu(gpu) => gpu.guard("half", || on_gpu(gpu, a)),
    }
}

fn cpu(a: &Matrix) -> Result<Matrix> {
    for ((row, col), &value) in a.cpu().indexed_iter() {
        if !f16::from_f64(value).is_finite() {
            return Err(Error::NotFinite {
                op: "half",
                what: "the matrix in half precision",
                value,
                row,
                col,
            });
        }
    }
    Ok(Matrix::from_host(a.cpu().mapv(|v| f16::from_f64(v).to_f64())))
}

fn on_gpu(gpu: &Gpu, a: &Matrix) -> Result<Matrix> {
    let out = Matrix::alloc(gpu, "half.out", a.shape(), Precision::Half)?;
    let limits = gpu.limits();
    for rows in windows(a.rows(), step(&limits, TILE, &[a, &out])?) {
        let vec4s = (rows.len() * a.vec4s()) as u32;
        // A square-ish grid, so that no axis meets its limit.
        let groups = vec4s.div_ceil(TILE as u32);
        let across = groups.min(1024);
        let params = Params { vec4s, stride: across * TILE as u32 };
        gpu.run(&Pass {
            op: "half",
            shader: Shader::new("half", &[SHADER]),
            entry: "main",
            constants: &[],
            binds: &[a.rows_bind(rows.start, rows.end), out.rows_bind(rows.start, rows.end)],
            params: bytemuck::bytes_of(&params),
            grid: [across, groups.div_ceil(across), 1],
            work: 0.0,
        })?;
    }
    Ok(out)
}

/// `a` in f32: itself, or a copy on the device if it is stored in half. For operands whose shaders read f32 only.
pub(super) fn single(a: &Matrix) -> Result<Cow<'_, Matrix>> {
    if a.precision() == Precision::Half {
        map(a, Map::Affine { scale: 1.0, shift: 0.0 }).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(a))
    }
}

/// WGSL that declares operand `name` at `binding` and `load_<name>(i)`, its i-th vec4, from f32 or half storage.
pub(crate) fn operand(name: &str, binding: u32, half: bool) -> String {
    let (element, value) = if half {
        ("vec2<u32>", "vec4(unpack2x16float(h.x), unpack2x16float(h.y))")
    } else {
        ("vec4<f32>", "h")
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read> {name}: array<{element}>;\n\
         fn load_{name}(i: u32) -> vec4<f32> {{ let h = {name}[i]; return {value}; }}\n"
    )
}

/// WGSL that declares an output at `binding` and `<name>(i, v)`, which stores its i-th vec4 in f32 or half.
pub(crate) fn result(name: &str, binding: u32, half: bool) -> String {
    let (element, value) = if half {
        ("vec2<u32>", "vec2(pack2x16float(v.xy), pack2x16float(v.zw))")
    } else {
        ("vec4<f32>", "v")
    };
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> out: array<{element}>;\n\
         fn {name}(i: u32, v: vec4<f32>) {{ out[i] = {value}; }}\n"
    )
}
