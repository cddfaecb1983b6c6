//! Weighted kernel sums: `S = sum_ij w_ij k(x_i, y_j)` and its derivatives by every hyper-parameter, K never stored.
//!
//! This is what MMD, HSIC, norms of kernel expansions and the gradient of a marginal likelihood are made of.
//! Checked in `tests/ops/gram_sum.rs` against the stored matrix, and by finite differences.

use ndarray::{Array2, s};
use rayon::prelude::*;

use super::gram::{Loaded, Params, Ready, STRIP, TILE, check_points};
use super::half::single;
use super::require;
use crate::gpu::{Gpu, Pass};
use crate::kernel::Scratch;
use crate::matrix::Shared;
use crate::matrix::window::{affordable, step, windows};
use crate::{Kernel, Matrix, Result};

const SHADER: &str = include_str!("../../shaders/gram_sum.wgsl");
const VALUE: &str = include_str!("../../shaders/gram_sum_value.wgsl");
const GRAD: &str = include_str!("../../shaders/gram_sum_grad.wgsl");
/// Columns of a tile on the CPU.
const WIDTH: usize = 512;
/// Bytes of partial sums read back at a time.
const PARTIAL_BYTES: usize = 32 << 20;

/// The weights of a kernel sum.
#[derive(Debug, Clone, Copy)]
pub enum Weights<'a> {
    /// `w_ij` as an `n x m` matrix.
    Dense(&'a Matrix),
    /// `w_ij = w_ji` as an `n x n` matrix, for sums without `y`: each pair is visited once. Only the lower triangle
    /// is read.
    Symmetric(&'a Matrix),
    /// `w_ij = sum_p u_ip v_jp`, with `u` (`n x r`) and `v` (`m x r`): one column each for `u_i v_j`.
    LowRank {
        /// `n x r`.
        u: &'a Matrix,
        /// `m x r`.
        v: &'a Matrix,
    },
}

/// A kernel sum and its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct GramSum {
    /// `S`.
    pub value: f64,
    /// `dS/dp` for each of [`Kernel::params`], on the natural scale; empty if it was not asked for.
    pub gradient: Vec<f64>,
}

/// `S = sum_ij w_ij k(x_i, y_j)` over the rows of `x` (`n x d`) and `y` (`m x d`).
///
/// Without `y` it runs over all pairs of `x` with itself, white noise included.
///
/// # Errors
/// As [`gram`](super::gram()), and [`Error::Shape`](crate::Error::Shape) if the weights do not fit.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, ops::{gram_sum, Weights}};
/// let cpu = Device::cpu();
/// let x = Matrix::column(&cpu, &[1.0, 2.0])?;
/// let a = Matrix::column(&cpu, &[0.5, 0.5])?;
/// let norm = gram_sum(&Kernel::linear(), &x, None, Weights::LowRank { u: &a, v: &a })?;
/// assert_eq!(norm, 2.25); // the squared mean
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gram_sum(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, weights: Weights) -> Result<f64> {
    run(kernel, x, y, weights, false).map(|sum| sum.value)
}

/// [`gram_sum()`] and its derivative by every hyper-parameter.
///
/// # Errors
/// As [`gram_sum()`]; [`Error::Unsupported`](crate::Error::Unsupported) for a kernel without derivatives on the device.
pub fn gram_sum_grad(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, weights: Weights) -> Result<GramSum> {
    run(kernel, x, y, weights, true)
}

fn run(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>, weights: Weights, gradient: bool) -> Result<GramSum> {
    let place = check_points("gram_sum", x, y, kernel.is_stationary())?;
    let (n, m) = (x.rows(), y.unwrap_or(x).rows());
    let fits = match weights {
        Weights::Dense(w) | Weights::Symmetric(w) => {
            x.shared("gram_sum", &[w])?;
            w.shape() == (n, m) && (y.is_none() || matches!(weights, Weights::Dense(_)))
        }
        Weights::LowRank { u, v } => {
            x.shared("gram_sum", &[u, v])?;
            u.rows() == n && v.rows() == m && u.cols() == v.cols()
        }
    };
    require("gram_sum", fits, || format!("the weights {weights:?} do not fit {n} x {m} pairs"))?;
    match place {
        Shared::Cpu => cpu(kernel, x.cpu(), y.map(Matrix::cpu), weights, gradient),
        Shared::Gpu(gpu) => gpu.guard("gram_sum", || match weights {
            Weights::Dense(w) => on_gpu(gpu, kernel, x, y, Weights::Dense(&*single(w)?), gradient),
            Weights::Symmetric(w) => on_gpu(gpu, kernel, x, y, Weights::Symmetric(&*single(w)?), gradient),
            Weights::LowRank { u, v } => {
                let (u, v) = (single(u)?, single(v)?);
                on_gpu(gpu, kernel, x, y, Weights::LowRank { u: &u, v: &v }, gradient)
            }
        }),
    }
}

fn cpu(
    kernel: &Kernel,
    x: &Array2<f64>,
    y: Option<&Array2<f64>>,
    weights: Weights,
    gradient: bool,
) -> Result<GramSum> {
    let ready = Ready::new("gram_sum", kernel, x, y)?;
    let (n, m) = (ready.x.len(), ready.y.n);
    let count = if gradient { ready.program.params } else { 0 };
    // One strip, one set of sums: added up in order, whichever thread made them.
    let strips: Vec<(f64, Vec<f64>)> = (0..n.div_ceil(STRIP))
        .into_par_iter()
        .map_init(
            || (Scratch::default(), vec![0.0; STRIP * WIDTH]),
            |(scratch, w), strip| {
                let rows = strip * STRIP..n.min((strip + 1) * STRIP);
                let (mut value, mut grad) = (0.0, vec![0.0; count]);
                // Of symmetric weights, the pairs up to the diagonal.
                let m = if matches!(weights, Weights::Symmetric(_)) { rows.end } else { m };
                for cols in windows(m, WIDTH) {
                    let w = &mut w[..rows.len() * cols.len()];
                    fill(w, weights, rows.clone(), cols.clone());
                    let (x, y, same) = (&ready.x, &ready.y, ready.same);
                    let grad = gradient.then_some(&mut grad[..]);
                    value += ready.program.tile_sum(x, rows.clone(), y, cols, same, w, grad, scratch);
                }
                (value, grad)
            },
        )
        .collect();
    let mut sum = GramSum { value: 0.0, gradient: vec![0.0; count] };
    for (value, grad) in strips {
        sum.value += value;
        sum.gradient.iter_mut().zip(grad).for_each(|(s, g)| *s += g);
    }
    Ok(sum)
}

/// The weights of one tile, row-major.
fn fill(tile: &mut [f64], weights: Weights, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>) {
    for (i, out) in rows.zip(tile.chunks_exact_mut(cols.len())) {
        match weights {
            Weights::Dense(w) => {
                out.iter_mut().zip(w.cpu().slice(s![i, cols.clone()])).for_each(|(o, w)| *o = *w);
            }
            Weights::Symmetric(w) => {
                let twice = |j: usize| if j < i { 2.0 } else { f64::from(u8::from(j == i)) };
                out.iter_mut().zip(cols.clone()).for_each(|(o, j)| *o = twice(j) * w.cpu()[[i, j]]);
            }
            Weights::LowRank { u, v } => {
                let u = u.cpu().row(i);
                out.iter_mut().zip(cols.clone()).for_each(|(o, j)| *o = u.dot(&v.cpu().row(j)));
            }
        }
    }
}

fn on_gpu(
    gpu: &Gpu,
    kernel: &Kernel,
    x: &Matrix,
    y: Option<&Matrix>,
    weights: Weights,
    gradient: bool,
) -> Result<GramSum> {
    let loaded = Loaded::new("gram_sum", gpu, kernel, x, y, gradient)?;
    let (n, m, d4) = (loaded.x.rows(), loaded.y.rows(), loaded.x.vec4s());
    let parts = loaded.parts(&[if gradient { GRAD } else { VALUE }, SHADER]);
    let key = format!("{}{}", loaded.key, u8::from(gradient));
    let (slots, stats) = if gradient {
        (loaded.program.learned_slots().len(), loaded.program.learned_stats().len())
    } else {
        (0, 0)
    };
    // The sum and the scalars in whole vec4s, then a vec4 for each weighted statistic and vec4 of features.
    let scalars = 4 * (slots / 4 + 1);
    let each = scalars + stats * d4 * 4;
    let (u, v) = match weights {
        Weights::Dense(w) | Weights::Symmetric(w) => (w, None),
        Weights::LowRank { u, v } => (u, Some(v)),
    };
    let (dn, dm) = match v {
        None => (step(&gpu.limits(), TILE, &[&loaded.x, u])?, step(&gpu.limits(), TILE, &[&loaded.y])?),
        Some(v) => (step(&gpu.limits(), TILE, &[&loaded.x, u])?, step(&gpu.limits(), TILE, &[&loaded.y, v])?),
    };
    let symmetric = matches!(weights, Weights::Symmetric(_));
    // Few enough tiles at a time that their partial sums stay small.
    let across = m.min(dm).div_ceil(TILE);
    let dn = dn.min((PARTIAL_BYTES / (4 * each * across)).max(1) * TILE);
    // Derivatives go over the features once more for each statistic.
    let per_pair = loaded.per_pair() * (1 + stats) as f64;
    let dn = dn.min(affordable(gpu.budget(), m.min(dm) as f64 * per_pair, TILE));
    let mut sums = vec![0f64; each];
    for rows in windows(n, dn) {
        for cols in windows(m, dm) {
            let grid = [cols.len().div_ceil(TILE) as u32, rows.len().div_ceil(TILE) as u32, 1];
            let count = grid[0] as usize * grid[1] as usize * each;
            let out = gpu.alloc("gram_sum.out", (count * 4) as u64)?;
            let [theta, xs, ys] = loaded.binds(&rows, &cols);
            let params = Params {
                stride: u.vec4s() as u32,
                col: if v.is_none() { (cols.start / 4) as u32 } else { 0 },
                extra: (each / 4) as u32,
                ..loaded.params(&rows, &cols)
            };
            let (us, vs) = (
                u.rows_bind(rows.start, rows.end),
                v.map_or_else(|| u.rows_bind(rows.start, rows.end), |v| v.rows_bind(cols.start, cols.end)),
            );
            gpu.run(&Pass {
                op: "gram_sum",
                shader: loaded.shader(&key, &parts),
                entry: "main",
                constants: &[
                    ("SAME", f64::from(u8::from(loaded.same))),
                    ("LOW_RANK", f64::from(u8::from(v.is_some()))),
                    ("SYMMETRIC", f64::from(u8::from(symmetric))),
                ],
                binds: &[theta, xs, ys, us, vs, out.whole()],
                params: bytemuck::bytes_of(&params),
                grid,
                work: (rows.len() * cols.len()) as f64 * per_pair,
            })?;
            let raw = gpu.download(&out, 0, (count * 4) as u64)?;
            let partial: Vec<f32> = bytemuck::pod_collect_to_vec(&raw);
            for tile in partial.chunks_exact(each) {
                sums.iter_mut().zip(tile).for_each(|(s, &t)| *s += f64::from(t));
            }
        }
    }
    let weight: Vec<Vec<f64>> =
        sums[scalars..].chunks_exact((d4 * 4).max(1)).map(|w| w[..loaded.program.dz].to_vec()).collect();
    let gradient = if gradient { loaded.program.chain(&sums[1..=slots], &weight) } else { Vec::new() };
    Ok(GramSum { value: sums[0], gradient })
}
