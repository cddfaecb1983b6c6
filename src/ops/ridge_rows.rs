//! Ridge regressions by the thousand, one small system a row, as alternating least squares asks for.
//!
//! Checked in `tests/ops/ridge_rows.rs` against dense solves.

use ndarray::{Array1, Array2};

use super::half::single;
use super::{Side, Trans, Triangle, cholesky, require, solve_triangular};
use crate::gpu::{Buffer, Gpu, Pass, Shader};
use crate::matrix::Shared;
use crate::{Device, Error, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../shaders/ridge_rows.wgsl");
/// Unknowns of one system, at most.
const UNKNOWNS: usize = 64;
/// Entries of one row, at most: an invocation makes little more iterations, far from 65,535.
const ENTRIES: usize = 32_768;

/// Mirrors `Params` in `shaders/ridge_rows.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    across: u32,
    k: u32,
    vec4s: u32,
    penalty: f32,
}

/// Entries `(column, weight, target)` of sparse rows, where the systems are to be solved.
pub struct RatedRows {
    offsets: Vec<usize>,
    entries: Vec<(usize, f64, f64)>,
    columns: usize,
    device: Device,
    there: Option<[Buffer; 3]>,
}

impl RatedRows {
    /// Whether systems of so many unknowns and rows of so many entries have room on a GPU.
    pub fn fits(unknowns: usize, longest: usize) -> bool {
        unknowns <= UNKNOWNS && longest <= ENTRIES
    }

    /// Row r has the entries from `offsets[r]` up to `offsets[r + 1]`; uploaded once.
    ///
    /// # Errors
    /// [`Error::Shape`] for offsets that do not rise to the number of entries, a column that is not below `columns`, a
    /// weight that is negative or not finite, or a row of more than 32,768 entries on a GPU.
    pub fn new(
        device: &Device,
        offsets: Vec<usize>,
        columns: usize,
        entries: Vec<(usize, f64, f64)>,
    ) -> Result<Self> {
        let most = if device.is_gpu() { f64::from(f32::MAX) } else { f64::MAX };
        let sound = |e: &(usize, f64, f64)| e.0 < columns && (0.0..=most).contains(&e.1) && e.2.abs() <= most;
        let rise = offsets.first() == Some(&0) && offsets.last() == Some(&entries.len());
        let rise = rise && offsets.len() > 1 && offsets.windows(2).all(|o| o[0] <= o[1]);
        let longest = offsets.windows(2).map(|o| o[1].saturating_sub(o[0])).max().unwrap_or(0);
        let short = !device.is_gpu() || longest <= ENTRIES;
        require("RatedRows::new", rise && short && entries.iter().all(sound), || {
            format!("{} entries of {columns} columns, {longest} in a row", entries.len())
        })?;
        let place = Matrix::upload("RatedRows::new", device, Array2::<f64>::zeros((1, 1)).view())?;
        let there = match place.place() {
            Shared::Cpu => None,
            Shared::Gpu(gpu) => Some(gpu.guard("RatedRows::new", || {
                let starts: Vec<u32> = offsets.iter().map(|&o| o as u32).collect();
                // A binding has at least one entry.
                let mut at: Vec<u32> = entries.iter().map(|e| e.0 as u32).collect();
                let mut rated: Vec<[f32; 2]> = entries.iter().map(|e| [e.1 as f32, e.2 as f32]).collect();
                at.resize(at.len().max(1), 0);
                rated.resize(rated.len().max(1), [0.0; 2]);
                Ok([
                    gpu.upload("ridge_rows.offsets", bytemuck::cast_slice(&starts))?,
                    gpu.upload("ridge_rows.columns", bytemuck::cast_slice(&at))?,
                    gpu.upload("ridge_rows.rated", bytemuck::cast_slice(&rated))?,
                ])
            })?),
        };
        Ok(RatedRows { offsets, entries, columns, device: device.clone(), there })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
}

/// What all systems have in common.
#[derive(Debug, Clone, Copy)]
pub struct RidgeSystem<'a> {
    /// φ: one row for each column of the entries.
    pub other: &'a Matrix,
    /// λ.
    pub penalty: f64,
    /// S, `k x k`.
    pub shared: Option<&'a Matrix>,
    /// Whether the last entry of φ is a bias: it counts as 1 for the unknowns, and is subtracted from the target.
    pub biased: bool,
}

/// `out_r = argmin_x Σ_e w_e (y_e - x·φ_e)² + xᵀSx + λ‖x‖²` over the entries e of row r; zero for a row whose weights are.
///
/// `other` has k columns, on a GPU at most 64; the result is `rows x k` and lives where they do.
///
/// # Errors
/// [`Error::Shape`] for operands that do not fit, [`Error::DeviceMismatch`], and [`Error::NotPositiveDefinite`] with the row
/// for its pivot if a system is singular; on a GPU already where f32 cannot tell.
pub fn ridge_rows(rated: &RatedRows, system: &RidgeSystem) -> Result<Matrix> {
    let RidgeSystem { other, shared, .. } = *system;
    let (k, gpu) = (other.cols(), rated.device.is_gpu());
    let fit = other.rows() == rated.columns && shared.is_none_or(|s| s.shape() == (k, k));
    require("ridge_rows", fit && (!gpu || k <= UNKNOWNS), || {
        format!("{} columns, factors of {:?}", rated.columns, other.shape())
    })?;
    if other.device() != rated.device {
        return Err(Error::Shape { op: "ridge_rows", what: "entries and factors live apart".to_owned() });
    }
    let both: Vec<&Matrix> = shared.into_iter().collect();
    match (other.shared("ridge_rows", &both)?, &rated.there) {
        (Shared::Gpu(gpu), Some(there)) => gpu.guard("ridge_rows", || on_gpu(gpu, rated, there, system)),
        _ => cpu(rated, system),
    }
}

fn cpu(rated: &RatedRows, system: &RidgeSystem) -> Result<Matrix> {
    let other = system.other.cpu();
    let k = other.ncols();
    let mut out = Array2::zeros((rated.rows(), k));
    for (r, ends) in rated.offsets.windows(2).enumerate() {
        let own = &rated.entries[ends[0]..ends[1]];
        if own.iter().all(|e| e.1 == 0.0) {
            continue;
        }
        let mut a = system.shared.map_or_else(|| Array2::zeros((k, k)), |s| s.cpu().clone());
        a.diag_mut().iter_mut().for_each(|d| *d += system.penalty);
        let mut b = Array1::<f64>::zeros(k);
        for &(column, weight, target) in own {
            let (mut phi, mut target) = (other.row(column).to_owned(), target);
            if system.biased {
                target -= phi[k - 1];
                phi[k - 1] = 1.0;
            }
            for i in 0..k {
                b[i] += weight * target * phi[i];
                for j in 0..k {
                    a[[i, j]] += weight * phi[i] * phi[j];
                }
            }
        }
        let l = cholesky(&Matrix::from_host(a))?;
        let b = Matrix::from_host(b.insert_axis(ndarray::Axis(1)));
        let y = solve_triangular(&l, Triangle::Lower, Trans::No, Side::Left, &b)?;
        let x = solve_triangular(&l, Triangle::Lower, Trans::Yes, Side::Left, &y)?;
        out.row_mut(r).assign(&x.cpu().column(0));
    }
    Ok(Matrix::from_host(out))
}

fn on_gpu(gpu: &Gpu, rated: &RatedRows, there: &[Buffer; 3], system: &RidgeSystem) -> Result<Matrix> {
    let other = single(system.other)?;
    let (rows, k) = (rated.rows(), other.cols());
    let out = Matrix::alloc(gpu, "ridge_rows.out", (rows, k), Precision::Single)?;
    let status = gpu.upload("ridge_rows.status", &[0; 4])?;
    let across = rows.min(gpu.limits().groups_per_axis as usize);
    let params = Params {
        rows: rows as u32,
        across: across as u32,
        k: k as u32,
        vec4s: other.vec4s() as u32,
        penalty: system.penalty as f32,
    };
    let shared = system.shared.map(single).transpose()?;
    let flag = |on: bool| f64::from(u8::from(on));
    let side = if k <= 32 { 8.0 } else { 16.0 };
    let [offsets, columns, entries] = there;
    gpu.run(&Pass {
        op: "ridge_rows",
        shader: Shader::new("ridge_rows", &[SHADER]),
        entry: "main",
        constants: &[("SIDE", side), ("BIASED", flag(system.biased)), ("SHARED", flag(shared.is_some()))],
        binds: &[
            offsets.whole(),
            columns.whole(),
            entries.whole(),
            other.bind(),
            shared.as_ref().map_or_else(|| other.bind(), |s| s.bind()),
            out.bind(),
            status.whole(),
        ],
        params: bytemuck::bytes_of(&params),
        grid: [across as u32, rows.div_ceil(across) as u32, 1],
        work: rated.entries.len() as f64 * (k * k) as f64 + rows as f64 * (k * k * k) as f64,
    })?;
    let failed = bytemuck::pod_read_unaligned::<u32>(&gpu.download(&status, 0, 4)?);
    if failed > 0 {
        return Err(Error::NotPositiveDefinite { op: "ridge_rows", pivot: failed as usize - 1, value: 0.0 });
    }
    Ok(out)
}
