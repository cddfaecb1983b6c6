//! The k nearest rows: the k least `|x_i - y_j|^2` of each i, distances fused with the search.
//!
//! Checked in `tests/ops/nearest_k.rs` against all distances, sorted.

mod on_cpu;

use ndarray::Array2;

use super::gram::{check_points, per_pair};
use super::half::operand;
use crate::check::{components, room};
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Matrix, Precision, Result};
use on_cpu::cpu;

const SHADER: &str = include_str!("../../shaders/nearest_k.wgsl");
/// Rows of x in a workgroup.
const TILE: usize = 64;
/// Rows of y that a workgroup looks at together.
const SIDE: usize = 16;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;

/// Mirrors `Params` in `shaders/nearest_k.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    n: u32,
    m: u32,
    d4: u32,
    k: u32,
    col_first: u32,
    held: u32,
}

/// For each row of `x`, the k nearest rows of `y`.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestK {
    /// Their indices, `n x k`: nearest first, the lower one of equals.
    pub index: Array2<usize>,
    /// Their squared distances, `n x k`.
    pub squared_distance: Array2<f64>,
}

/// The k least of `|x_i - y_j|^2` for each row of `x` (`n x d`) against those of `y` (`m x d`).
///
/// On a GPU lists of both are read back: `8 n k` bytes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the rows differ in length, [`Error::Parameter`](crate::Error::Parameter) for no
/// neighbours, more than `y` has rows, or more than memory has room for.
///
/// ```
/// use mercer::{Device, Matrix, ops::nearest_k};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[0.1, 5.0])?;
/// let y = Matrix::column(&cpu, &[0.0, 1.0, 4.0])?;
/// assert_eq!(nearest_k(&x, &y, 2)?.index, ndarray::array![[0, 1], [2, 1]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn nearest_k(x: &Matrix, y: &Matrix, k: usize) -> Result<NearestK> {
    let place = check_points("nearest_k", x, Some(y), true)?;
    components("neighbours", k, y.rows())?;
    room("neighbours", k, x.rows().saturating_mul(32))?;
    match place {
        Shared::Cpu => Ok(cpu(x.cpu(), y.cpu(), k)),
        Shared::Gpu(gpu) => gpu.guard("nearest_k", || on_gpu(gpu, x, y, k)),
    }
}

fn on_gpu(gpu: &Gpu, x: &Matrix, y: &Matrix, k: usize) -> Result<NearestK> {
    let (n, m, d4) = (x.rows(), y.rows(), x.vec4s());
    let [half_x, half_y] = [x, y].map(|m| m.precision() == Precision::Half);
    let operands = operand("x", 0, half_x) + &operand("y", 1, half_y);
    let key = format!("nearest_k{}{}", u8::from(half_x), u8::from(half_y));
    let tiles = (ITERATIONS / (6 * d4 + SIDE * (k + 2))).max(1);
    let lists = (gpu.limits().binding_bytes / 8) as usize / k / TILE * TILE;
    let dn = step(&gpu.limits(), TILE, &[x])?.min(lists.max(TILE));
    let dm = step(&gpu.limits(), SIDE, &[y])?.min(tiles * SIDE);
    let dm = dm.min(affordable(gpu.budget(), n.min(dn) as f64 * per_pair(d4), SIDE));
    let mut raw: Vec<[u32; 2]> = Vec::with_capacity(n * k);
    for rows in windows(n, dn) {
        let bytes = (rows.len() * k * 8) as u64;
        let out = gpu.alloc("nearest_k.out", bytes)?;
        for cols in windows(m, dm) {
            let params = Params {
                n: rows.len() as u32,
                m: cols.len() as u32,
                d4: d4 as u32,
                k: k as u32,
                col_first: cols.start as u32,
                held: cols.start.min(k) as u32,
            };
            gpu.run(&Pass {
                op: "nearest_k",
                shader: Shader::new(&key, &[&operands, SHADER]),
                entry: "main",
                constants: &[],
                binds: &[x.rows_bind(rows.start, rows.end), y.rows_bind(cols.start, cols.end), out.whole()],
                params: bytemuck::bytes_of(&params),
                grid: [rows.len().div_ceil(TILE) as u32, 1, 1],
                work: (rows.len() * cols.len()) as f64 * per_pair(d4),
            })?;
        }
        raw.extend(bytemuck::pod_collect_to_vec::<u8, [u32; 2]>(&gpu.download(&out, 0, bytes)?));
    }
    Ok(NearestK {
        index: Array2::from_shape_fn((n, k), |(i, j)| raw[i * k + j][1] as usize),
        squared_distance: Array2::from_shape_fn((n, k), |(i, j)| {
            f64::from(f32::from_bits(raw[i * k + j][0]))
        }),
    })
}
