//! What pulls and pushes the points of a picture: neighbours by their affinities, and all pairs, none of them stored.
//!
//! Checked in `tests/ops/tsne_forces.rs` against sums over all pairs, and on every adapter against the CPU.

mod push;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::half::single;
use super::require;
use crate::gpu::{Buffer, Gpu, Pass, Shader};
use crate::matrix::{Shared, SparseMatrix};
use crate::{Device, Error, Matrix, Result};
use push::Push;

const SHADER: &str = include_str!("../../shaders/tsne_forces.wgsl");
const OP: &str = "tsne_forces";
/// Points of a tile, rows of a workgroup that pushes and of one that pulls.
const TILE: usize = 64;
const ROWS: usize = 256;
const PULLED: usize = 8;
/// Chunks that the points of a row are divided into, if there is room for their sums, and the most points of one: llvmpipe
/// silently ends loops at 65,535 iterations.
const CHUNKS: usize = 32;
const LONGEST: usize = 16_384;
/// Pairs of one dispatch.
const PAIRS: usize = 1 << 31;

/// Mirrors `Params` in `shaders/tsne_forces.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    n: u32,
    chunk: u32,
    chunks: u32,
    first: u32,
}

/// Affinities `p_ij` between n points, sparse, where forces are to be computed: uploaded once.
pub struct Affinities {
    p: SparseMatrix,
    /// `Σ p ln p`.
    information: f64,
    device: Device,
    there: Option<[Buffer; 3]>,
}

impl Affinities {
    /// `p` is `n x n`; zeros of it are pairs that only push.
    ///
    /// # Errors
    /// [`Error::Shape`] if it is not square or empty, [`Error::Parameter`] for a negative affinity; those of the device.
    pub fn new(device: &Device, p: SparseMatrix) -> Result<Self> {
        require("Affinities::new", p.rows() == p.cols() && p.rows() > 0, || {
            format!("affinities are {} x {}", p.rows(), p.cols())
        })?;
        let least = p.values().iter().copied().fold(0.0, f64::min);
        crate::check::parameter("affinity", least, least >= 0.0, "must not be negative")?;
        let information = p.values().iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum();
        let place = Matrix::upload("Affinities::new", device, Array2::<f64>::zeros((1, 1)).view())?;
        let there = match place.place() {
            Shared::Gpu(gpu) if fits(gpu, &p) => Some(gpu.guard("Affinities::new", || {
                let offsets: Vec<u32> = p.offsets().iter().map(|&o| o as u32).collect();
                // A binding has at least one entry.
                let mut columns: Vec<u32> = p.columns().iter().map(|&j| j as u32).collect();
                let mut values: Vec<f32> = p.values().iter().map(|&v| v as f32).collect();
                columns.resize(columns.len().max(1), 0);
                values.resize(values.len().max(1), 0.0);
                Ok([
                    gpu.upload("tsne_forces.offsets", bytemuck::cast_slice(&offsets))?,
                    gpu.upload("tsne_forces.columns", bytemuck::cast_slice(&columns))?,
                    gpu.upload("tsne_forces.values", bytemuck::cast_slice(&values))?,
                ])
            })?),
            _ => None,
        };
        Ok(Affinities { p, information, device: device.clone(), there })
    }

    /// The affinities.
    pub fn matrix(&self) -> &SparseMatrix {
        &self.p
    }
}

/// Whether bindings hold the affinities and the points, and no loop is too long.
fn fits(gpu: &Gpu, p: &SparseMatrix) -> bool {
    let (n, limits) = (p.rows(), gpu.limits());
    let longest = p.offsets().windows(2).map(|o| o[1] - o[0]).max().unwrap_or(0);
    let bytes = 4 * p.stored().max(n + 1).max(8 * n) as u64;
    let groups = n.div_ceil(PULLED * limits.groups_per_axis as usize);
    bytes <= limits.binding_bytes
        && longest <= PULLED * LONGEST
        && n <= LONGEST * chunks(gpu, n)
        && groups <= limits.groups_per_axis as usize
}

/// Chunks of the points, as many as their sums have room in a binding.
fn chunks(gpu: &Gpu, n: usize) -> usize {
    let room = (gpu.limits().binding_bytes / (16 * n as u64)).max(1) as usize;
    n.div_ceil(TILE * 4).min(CHUNKS).min(room)
}

/// What [`tsne_forces()`] finds of n points of k coordinates.
#[derive(Debug, Clone)]
pub struct TsneForces {
    /// `Σ_j p_ij w_ij (y_i - y_j)`, `n x k`.
    pub pull: Array2<f64>,
    /// `Σ_j w_ij² (y_i - y_j)`, `n x k`.
    pub push: Array2<f64>,
    /// `Σ_{i≠j} w_ij`.
    pub total: f64,
    /// `KL(P‖Q) = Σ p ln p + Σ p ln(1 + |y_i - y_j|²) + ln Σ w`, if it was asked for.
    pub divergence: Option<f64>,
}

impl TsneForces {
    /// The gradient of `KL(P‖Q)` by y with affinities times `exaggeration`: `4 Σ_j (e p_ij - q_ij) w_ij (y_i - y_j)`.
    pub fn gradient(&self, exaggeration: f64) -> Array2<f64> {
        &self.pull * (4.0 * exaggeration) - &self.push * (4.0 / self.total)
    }
}

/// The forces on points y of a picture, with `w_ij = 1 / (1 + |y_i - y_j|²)`: neighbours pull by their affinities, all pairs push.
///
/// `y` is `n x k` and lives where the affinities do; memory is `O(n)`. On a GPU a picture has up to three coordinates; others,
/// and affinities that no binding holds, are the CPU's. The logarithms of the divergence cost the CPU as much as the rest.
///
/// # Errors
/// [`Error::Shape`] if there are not n points or they live apart from their affinities.
///
/// ```
/// use mercer::matrix::SparseMatrix;
/// use mercer::ops::{Affinities, tsne_forces};
/// use mercer::{Device, Matrix};
/// let p = SparseMatrix::from_triplets(2, 2, &[(0, 1, 0.5), (1, 0, 0.5)])?;
/// let y = Matrix::from_array(&Device::cpu(), ndarray::array![[0.0], [3.0]].view())?;
/// let forces = tsne_forces(&Affinities::new(&Device::cpu(), p)?, &y, true)?;
/// // Two points are each other's neighbours wherever they are.
/// assert!(forces.gradient(1.0).iter().all(|g| g.abs() < 1e-12));
/// assert!(forces.divergence.unwrap().abs() < 1e-12);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn tsne_forces(p: &Affinities, y: &Matrix, divergence: bool) -> Result<TsneForces> {
    let n = p.p.rows();
    require(OP, y.rows() == n, || format!("{n} points have affinities, {} a place", y.rows()))?;
    if y.device() != p.device {
        return Err(Error::Shape { op: OP, what: "affinities and points live apart".to_owned() });
    }
    match (y.place(), &p.there) {
        (Shared::Cpu, _) => Ok(cpu(p, y.cpu().view(), divergence)),
        (Shared::Gpu(gpu), Some(there)) if y.cols() <= 3 => {
            let y = single(y)?;
            let raw = gpu.guard(OP, || on_gpu(gpu, there, &y))?;
            Ok(collected(p, y.cols(), &raw, divergence))
        }
        _ => Ok(cpu(p, y.to_array()?.view(), divergence)),
    }
}

fn cpu(p: &Affinities, y: ArrayView2<f64>, divergence: bool) -> TsneForces {
    let k = y.ncols();
    let Push { force, total } = Push::of(y);
    let mut pull = Array2::zeros(y.raw_dim());
    let rows = pull.as_slice_mut().expect("a new array is row-major").par_chunks_mut(k).with_min_len(16);
    let each = |(i, out): (usize, &mut [f64])| {
        let (here, mut cross) = (y.row(i), 0.0);
        for (j, p) in p.p.row(i) {
            let there = y.row(j);
            let d2: f64 = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum();
            let share = p / (1.0 + d2);
            for ((o, a), b) in out.iter_mut().zip(here).zip(there) {
                *o += share * (a - b);
            }
            if divergence {
                cross += p * d2.ln_1p();
            }
        }
        cross
    };
    let cross: Vec<f64> = rows.enumerate().map(each).collect();
    let divergence = divergence.then(|| p.information + cross.iter().sum::<f64>() + total.ln());
    TsneForces { pull, push: force.t().as_standard_layout().into_owned(), total, divergence }
}

/// A vec4 of what pushes and one of what pulls, for each point.
fn on_gpu(gpu: &Gpu, [offsets, columns, values]: &[Buffer; 3], y: &Matrix) -> Result<Vec<u8>> {
    let n = y.rows();
    let chunk = n.div_ceil(chunks(gpu, n)).next_multiple_of(TILE);
    let chunks = n.div_ceil(chunk);
    let parts = gpu.alloc("tsne_forces.parts", 16 * (n * chunks) as u64)?;
    let out = gpu.alloc("tsne_forces.out", 32 * n as u64)?;
    let run = |entry: &'static str, first: usize, grid: [usize; 3], work: f64| {
        let params = Params { n: n as u32, chunk: chunk as u32, chunks: chunks as u32, first: first as u32 };
        let all = [y.bind(), parts.whole(), offsets.whole(), columns.whole(), values.whole(), out.whole()];
        let flat = [("FLAT", f64::from(u8::from(y.cols() < 3)))];
        let pushes = entry == "push";
        gpu.run(&Pass {
            op: OP,
            shader: Shader::new(OP, &[SHADER]),
            entry,
            constants: if pushes { &flat } else { &[] },
            binds: if pushes { &all[..2] } else { &all },
            params: bytemuck::bytes_of(&params),
            grid: grid.map(|g| g as u32),
            work,
        })
    };
    let at_once = (PAIRS / (n * chunk)).max(1);
    for first in (0..chunks).step_by(at_once) {
        let count = at_once.min(chunks - first);
        run("push", first, [n.div_ceil(ROWS), count, 1], 8.0 * (n * chunk * count) as f64)?;
    }
    let groups = n.div_ceil(PULLED);
    let across = groups.min(gpu.limits().groups_per_axis as usize);
    run("pull", across, [across, groups.div_ceil(across), 1], 0.0)?;
    gpu.download(&out, 0, 32 * n as u64)
}

/// Sums over the points in f64.
fn collected(p: &Affinities, k: usize, raw: &[u8], divergence: bool) -> TsneForces {
    let words: Vec<[f32; 8]> = bytemuck::pod_collect_to_vec(raw);
    let part =
        |first: usize| Array2::from_shape_fn((words.len(), k), |(i, c)| f64::from(words[i][first + c]));
    let sum = |word: usize| words.iter().map(|w| f64::from(w[word])).sum::<f64>();
    let total = sum(3);
    let divergence = divergence.then(|| p.information + sum(7) + total.ln());
    TsneForces { pull: part(4), push: part(0), total, divergence }
}
