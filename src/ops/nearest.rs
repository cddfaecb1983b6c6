//! Nearest centres: `argmin_j |x_i - y_j|^2`, distances fused with the search.
//!
//! Checked in `tests/ops/nearest.rs` against all distances.

mod centres;
mod search;

pub(crate) use centres::Centres;

use ndarray::Array2;
use rayon::prelude::*;

use super::gram::{DEPTH, Params, TILE, check_points, per_pair};
use super::half::operand;
use super::reduce::flat;
use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Matrix, Precision, Result};

const TILE_LOOP: &str = include_str!("../../shaders/gram_tile.wgsl");
const SHADER: &str = include_str!("../../shaders/nearest.wgsl");
/// The one statistic of `gram_tile.wgsl` that is needed here: the squared distance.
const DISTANCE: &str = "
struct Stats { s0: vec4<f32> }
fn stats_zero() -> Stats { return Stats(vec4<f32>()); }
fn stats_add(s: Stats, p: u32, a: vec4<f32>, b0: vec4<f32>, b1: vec4<f32>, b2: vec4<f32>, b3: vec4<f32>) -> Stats {
    return Stats(vec4(square(a - b0, s.s0.x), square(a - b1, s.s0.y), square(a - b2, s.s0.z), square(a - b3, s.s0.w)));
}
fn square(e: vec4<f32>, s: f32) -> f32 {
    return fma(e.x, e.x, fma(e.y, e.y, fma(e.z, e.z, fma(e.w, e.w, s))));
}
";
/// Rows of x that one thread takes at a time on the CPU.
const CHUNK: usize = 256;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;

/// For each row of `x`, the nearest row of `y`.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Index of the nearest row, the lowest one of equals.
    pub index: Vec<usize>,
    /// Its squared distance.
    pub squared_distance: Vec<f64>,
}

/// `argmin_j |x_i - y_j|^2` and the minimum, for the rows of `x` (`n x d`) against those of `y` (`m x d`).
///
/// On a GPU the two are read back: `8 n` bytes.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the rows differ in length.
///
/// ```
/// use mercer::{Device, Matrix, ops::nearest};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[0.1, 0.9, 5.0])?;
/// let centres = Matrix::column(&cpu, &[0.0, 1.0])?;
/// assert_eq!(nearest(&x, &centres)?.index, [0, 1, 1]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn nearest(x: &Matrix, y: &Matrix) -> Result<Nearest> {
    match check_points("nearest", x, Some(y), true)? {
        Shared::Cpu => Ok(cpu(x.cpu(), y.cpu())),
        Shared::Gpu(gpu) => gpu.guard("nearest", || on_gpu(gpu, x, y)),
    }
}

fn cpu(x: &Array2<f64>, y: &Array2<f64>) -> Nearest {
    let (n, d) = x.dim();
    let (x, centres) = (x.as_standard_layout(), Centres::new(y.view()));
    let mut found = Nearest { index: vec![0; n], squared_distance: vec![0.0; n] };
    let results = found.index.par_chunks_mut(CHUNK).zip(found.squared_distance.par_chunks_mut(CHUNK));
    let chunks = results.zip(flat(&x).par_chunks(CHUNK * d));
    chunks.for_each_init(Vec::new, |scratch, ((index, squared_distance), x)| {
        centres.nearest(x, scratch, index, squared_distance);
    });
    found
}

fn on_gpu(gpu: &Gpu, x: &Matrix, y: &Matrix) -> Result<Nearest> {
    let (n, m, d4) = (x.rows(), y.rows(), x.vec4s());
    let [half_x, half_y] = [x, y].map(|m| m.precision() == Precision::Half);
    let operands = operand("x", 0, half_x) + &operand("y", 1, half_y);
    let key = format!("nearest{}{}", u8::from(half_x), u8::from(half_y));
    // Two words a row: a matrix of vec4s would waste half.
    let tiles = (ITERATIONS / (d4 + d4.div_ceil(4) + 24)).max(1);
    let dn = step(&gpu.limits(), TILE, &[x])?.min((gpu.limits().binding_bytes / 8) as usize / TILE * TILE);
    let dm = step(&gpu.limits(), TILE, &[y])?.min(tiles * TILE);
    let dm = dm.min(affordable(gpu.budget(), n.min(dn) as f64 * per_pair(d4), TILE));
    let mut found = Nearest { index: Vec::with_capacity(n), squared_distance: Vec::with_capacity(n) };
    for rows in windows(n, dn) {
        let bytes = rows.len() as u64 * 8;
        let out = gpu.alloc("nearest.out", bytes)?;
        for cols in windows(m, dm) {
            let params = Params {
                n: rows.len() as u32,
                m: cols.len() as u32,
                d4: d4 as u32,
                row_first: rows.start as u32,
                col_first: cols.start as u32,
                stride: 0,
                col: 0,
                extra: u32::from(cols.start > 0),
            };
            gpu.run(&Pass {
                op: "nearest",
                shader: Shader::new(&key, &[DISTANCE, &operands, TILE_LOOP, SHADER]),
                entry: "main",
                constants: &[("ONCE", f64::from(u8::from(d4 <= DEPTH)))],
                binds: &[x.rows_bind(rows.start, rows.end), y.rows_bind(cols.start, cols.end), out.whole()],
                params: bytemuck::bytes_of(&params),
                grid: [1, rows.len().div_ceil(TILE) as u32, 1],
                work: (rows.len() * cols.len()) as f64 * per_pair(d4),
            })?;
        }
        let raw: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(&gpu.download(&out, 0, bytes)?);
        found.index.extend(raw.iter().map(|w| w[1] as usize));
        found.squared_distance.extend(raw.iter().map(|w| f64::from(f32::from_bits(w[0]))));
    }
    Ok(found)
}
