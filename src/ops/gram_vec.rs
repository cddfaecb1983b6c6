//! Gram-vector products: `K V` with `K[i, j] = k(x_i, y_j)`, and K never stored.
//!
//! Memory is O(n + m) for a few columns of V; for many, K is made in panels that a matrix product consumes.
//! Checked in `tests/ops/gram_vec.rs` against the stored matrix.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use pulp::Arch;
use rayon::prelude::*;

use super::gemm::{Block, Part, Product, accumulate_alone, on_gpu as product};
use super::gram::{DEPTH, Loaded, Params, Ready, STRIP, TILE, check_points, fill};
use super::half::single;
use super::{Trans, require};
use crate::gpu::{Gpu, Pass, Shader};
use crate::kernel::Scratch;
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Kernel, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/gram_vec.wgsl");
const ADD: &str = include_str!("../../shaders/gram_vec_add.wgsl");
/// Workgroups that keep a large GPU busy: below that y is shared among several for each 64 rows of x.
const BUSY: usize = 256;
/// Columns of K that a strip of the CPU holds at a time; 8 x 512 values stay in the first-level cache's neighbour.
const WIDTH: usize = 512;
/// Columns of V up to which K is evaluated again for every four of them.
const FEW: usize = 8;
/// Separate sums of the symmetric product on the CPU: enough to keep threads busy, few enough to hold.
const SUMS: usize = 8;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;
/// Bytes of K that may exist at a time when V has many columns.
const PANEL_BYTES: usize = 64 << 20;

/// `K(x, y) V`: `n x r` from `x` (`n x d`), `y` (`m x d`) and `v` (`m x r`).
///
/// Without `y` it is the Gram matrix of `x` with itself, white noise included.
///
/// # Errors
/// As [`gram`](super::gram()), and [`Error::Shape`](crate::Error::Shape) if `v` has not one row for each of `y`.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, ops::gram_vec};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[0.0, 1.0, 2.0])?;
/// let v = Matrix::column(&cpu, &[1.0, -2.0, 1.0])?;
/// let kv = gram_vec(&Kernel::linear(), &x, None, &v)?.to_array()?;
/// assert_eq!(kv.column(0).to_vec(), [0.0, 0.0, 0.0]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gram_vec(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, v: &Matrix) -> Result<Matrix> {
    let place = check_points("gram_vec", x, y, kernel.is_stationary())?;
    let m = y.unwrap_or(x).rows();
    require("gram_vec", v.rows() == m, || format!("K has {m} columns, v has {} rows", v.rows()))?;
    x.shared("gram_vec", &[v])?;
    match place {
        Shared::Cpu => cpu(kernel, x.cpu(), y.map(Matrix::cpu), v.cpu()).map(Matrix::from_host),
        Shared::Gpu(gpu) if v.cols() <= FEW => {
            gpu.guard("gram_vec", || on_gpu(gpu, kernel, x, y, &*single(v)?))
        }
        Shared::Gpu(gpu) => gpu.guard("gram_vec", || by_panels(gpu, kernel, x, y, v)),
    }
}

fn cpu(kernel: &Kernel, x: &Array2<f64>, y: Option<&Array2<f64>>, v: &Array2<f64>) -> Result<Array2<f64>> {
    let ready = Ready::new("gram_vec", kernel, x, y)?;
    let (n, r) = (ready.x.len(), v.ncols());
    let v = v.as_standard_layout();
    if ready.same && r <= FEW {
        return Ok(symmetric(&ready, v.view()));
    }
    let mut out = Array2::zeros((n, r));
    let slice = out.as_slice_mut().expect("a new array is row-major");
    // Many vectors make a product of each tile, which wants more rows.
    let strip = if r > FEW { 8 * STRIP } else { STRIP };
    slice.par_chunks_mut(strip * r).enumerate().for_each_init(
        || (Scratch::default(), vec![0.0; strip * WIDTH]),
        |(scratch, tile), (s, out)| {
            let rows = s * strip..s * strip + out.len() / r;
            for cols in windows(ready.y.n, WIDTH) {
                let tile = &mut tile[..rows.len() * cols.len()];
                ready.program.tile(&ready.x, rows.clone(), &ready.y, cols.clone(), ready.same, tile, scratch);
                accumulate(tile, v.slice(s![cols, ..]), out);
            }
        },
    );
    Ok(out)
}

/// Each pair of one data set once: `k_ij` goes to row i with `v_j` and to row j with `v_i`.
///
/// Strips are dealt out to a fixed number of sums, which are added in order: the same bits on any number of threads.
fn symmetric(ready: &Ready, v: ArrayView2<f64>) -> Array2<f64> {
    let (n, r) = v.dim();
    let flat = v.as_slice().expect("the caller has made it row-major");
    let sums: Vec<Vec<f64>> = (0..SUMS)
        .into_par_iter()
        .map(|first| {
            let (mut scratch, mut tile) = (Scratch::default(), vec![0.0; STRIP * WIDTH]);
            let mut out = vec![0.0; n * r];
            for start in (first * STRIP..n).step_by(SUMS * STRIP) {
                let rows = start..n.min(start + STRIP);
                for cols in windows(start, WIDTH).chain([rows.clone()]) {
                    let tile = &mut tile[..rows.len() * cols.len()];
                    ready.program.tile(
                        &ready.x,
                        rows.clone(),
                        &ready.y,
                        cols.clone(),
                        true,
                        tile,
                        &mut scratch,
                    );
                    let across = v.slice(s![cols.clone(), ..]);
                    accumulate(tile, across, &mut out[rows.start * r..rows.end * r]);
                    if cols.start < start {
                        let own = &flat[rows.start * r..rows.end * r];
                        accumulate_transposed(tile, own, r, &mut out[cols.start * r..cols.end * r]);
                    }
                }
            }
            out
        })
        .collect();
    let mut total = Array2::zeros((n, r));
    let slice = total.as_slice_mut().expect("a new array is row-major");
    for sum in sums {
        slice.iter_mut().zip(sum).for_each(|(t, s)| *t += s);
    }
    total
}

/// `out += tile^T v`, where `v` has one row of `r` values for each row of the tile.
fn accumulate_transposed(tile: &[f64], v: &[f64], r: usize, out: &mut [f64]) {
    let width = out.len() / r;
    if r == 1 {
        Arch::new().dispatch(|| {
            for (row, v) in tile.chunks_exact(width).zip(v) {
                out.iter_mut().zip(row).for_each(|(o, k)| *o += k * v);
            }
        });
        return;
    }
    for (row, v) in tile.chunks_exact(width).zip(v.chunks_exact(r)) {
        for (out, k) in out.chunks_exact_mut(r).zip(row) {
            out.iter_mut().zip(v).for_each(|(o, v)| *o += k * v);
        }
    }
}

/// `out += tile v`, for a tile of whole rows.
fn accumulate(tile: &[f64], v: ArrayView2<f64>, out: &mut [f64]) {
    let (width, r) = v.dim();
    let flat = v.as_slice().expect("whole rows of a row-major array");
    if r == 1 {
        Arch::new().dispatch(|| {
            tile.chunks_exact(width).zip(out).for_each(|(row, out)| *out += dot(row, flat));
        });
        return;
    }
    if r > FEW {
        let rows = out.len() / r;
        let shaped = "a tile of whole rows";
        let tile = ArrayView2::from_shape((rows, width), tile).expect(shaped);
        let out = ArrayViewMut2::from_shape((rows, r), out).expect(shaped);
        accumulate_alone(1.0, tile, v, out);
        return;
    }
    for (row, out) in tile.chunks_exact(width).zip(out.chunks_exact_mut(r)) {
        for (k, v) in row.iter().zip(flat.chunks_exact(r)) {
            out.iter_mut().zip(v).for_each(|(o, v)| *o += k * v);
        }
    }
}

/// Eight sums side by side, so that the compiler may use vector registers; the order is fixed.
#[allow(clippy::inline_always, reason = "what is not inlined loses the instruction set of its caller")]
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Workgroups that share the m rows of y for each 64 of n rows of x.
fn shares(n: usize, m: usize) -> usize {
    BUSY.div_ceil(n.div_ceil(TILE).max(1)).min(m.div_ceil(TILE))
}

/// Bytes of partial sums that a product of an n x m matrix with a few columns holds on a GPU besides its result.
pub(crate) fn slabs_bytes(n: usize, m: usize, cols: usize) -> f64 {
    let shares = if cols > FEW { 1 } else { shares(n, m) };
    if shares > 1 { 16.0 * shares as f64 * n as f64 * cols.div_ceil(4) as f64 } else { 0.0 }
}

fn on_gpu(gpu: &Gpu, kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, v: &Matrix) -> Result<Matrix> {
    let loaded = Loaded::new("gram_vec", gpu, kernel, x, y, false)?;
    let (n, m) = (loaded.x.rows(), loaded.y.rows());
    let out = Matrix::alloc(gpu, "gram_vec.out", (n, v.cols()), Precision::Single)?;
    let parts = loaded.parts(&[SHADER]);
    // A tile of columns costs one iteration for each vec4 of features, one for each four of those, and a few more.
    let d4 = loaded.x.vec4s();
    let tiles = (ITERATIONS / (d4 + d4.div_ceil(4) + 4)).max(1);
    let dn = step(&gpu.limits(), TILE, &[&loaded.x, &out])?;
    let fit = step(&gpu.limits(), TILE, &[&loaded.y, v])?;
    let flag = |on: bool| f64::from(u8::from(on));
    let constants = [("SAME", flag(loaded.same)), ("ONCE", flag(d4 <= DEPTH)), ("ONE", flag(v.cols() == 1))];
    for rows in windows(n, dn) {
        // Each share sums into a slab of its own, and all slabs fit one binding.
        let slab = v.vec4s() as u64 * rows.len() as u64 * 16;
        let most = (gpu.limits().binding_bytes / slab).max(1) as usize;
        let shares = shares(rows.len(), m).min(most);
        let afford = affordable(gpu.budget(), rows.len() as f64 * loaded.per_pair(), TILE);
        for cols in windows(m, fit.min(shares * tiles * TILE).min(afford)) {
            let slabs =
                || Matrix::alloc(gpu, "gram_vec.slabs", (shares * rows.len(), v.cols()), Precision::Single);
            let apart = if shares > 1 { Some(slabs()?) } else { None };
            let carried = u32::from(cols.start > 0);
            for chunk in 0..v.vec4s() {
                let [theta, xs, ys] = loaded.binds(&rows, &cols);
                let params = Params {
                    stride: v.vec4s() as u32,
                    col: chunk as u32,
                    extra: if apart.is_none() { carried } else { 0 },
                    ..loaded.params(&rows, &cols)
                };
                let sums = apart.as_ref().map_or_else(|| out.rows_bind(rows.start, rows.end), Matrix::bind);
                gpu.run(&Pass {
                    op: "gram_vec",
                    shader: loaded.shader(&loaded.key, &parts),
                    entry: "main",
                    constants: &constants,
                    binds: &[theta, xs, ys, v.rows_bind(cols.start, cols.end), sums],
                    params: bytemuck::bytes_of(&params),
                    grid: [shares as u32, rows.len().div_ceil(TILE) as u32, 1],
                    work: (rows.len() * cols.len()) as f64 * loaded.per_pair(),
                })?;
            }
            if let Some(apart) = &apart {
                let len = rows.len() * v.vec4s();
                gpu.run(&Pass {
                    op: "gram_vec",
                    shader: Shader::new("gram_vec_add", &[ADD]),
                    entry: "main",
                    constants: &[],
                    binds: &[apart.bind(), out.rows_bind(rows.start, rows.end)],
                    params: bytemuck::cast_slice(&[len as u32, shares as u32, carried]),
                    grid: [len.div_ceil(64) as u32, 1, 1],
                    work: 0.0,
                })?;
            }
        }
    }
    Ok(out)
}

/// Panels of K, as many rows as fit the budget, each stored once and multiplied by all columns of V.
fn by_panels(gpu: &Gpu, kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, v: &Matrix) -> Result<Matrix> {
    let (n, m) = (x.rows(), v.rows());
    let out = Matrix::alloc(gpu, "gram_vec.out", (n, v.cols()), Precision::Single)?;
    let budget = PANEL_BYTES.min(gpu.limits().binding_bytes as usize);
    let rows = (budget / (4 * m.next_multiple_of(4)) / TILE * TILE).max(TILE);
    let loaded = Loaded::new("gram", gpu, kernel, x, y, false)?;
    for rows in windows(n, rows) {
        let panel = Matrix::alloc(gpu, "gram_vec.panel", (rows.len(), m), Precision::Single)?;
        fill(gpu, &loaded, &rows, &panel)?;
        let times = Product {
            alpha: 1.0,
            a: Block::whole(&panel),
            ta: Trans::No,
            b: Block::whole(v),
            tb: Trans::No,
            beta: 0.0,
            part: Part::All,
        };
        product(gpu, &times, Block { of: &out, row: rows.start, col: 0, rows: rows.len(), cols: v.cols() })?;
    }
    Ok(out)
}
