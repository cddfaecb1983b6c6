//! The shaders of a lattice: two dispatches a sweep, as many sweeps in a submission as one may have.

use ndarray::{Array2, ArrayView2};

use super::{Chain, Lattice, OP, Thresholds};
use crate::gpu::{Bind, Buffer, Gpu, Pass, Shader};
use crate::ops::map::grid;
use crate::{Error, Result};

const PHILOX: &str = include_str!("../../../shaders/random_philox.wgsl");
const GIBBS: &str = include_str!("../../../shaders/lattice_gibbs.wgsl");
const MEAN_FIELD: &str = include_str!("../../../shaders/lattice_mean_field.wgsl");

/// Mirrors `Params` in `shaders/lattice_gibbs.wgsl` and `shaders/lattice_mean_field.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    rows: u32,
    cols: u32,
    periodic: u32,
    colour: u32,
    levels: u32,
    coupling: f32,
    sweep: [u32; 2],
    key: [u32; 2],
}

fn halves(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

impl Lattice<'_> {
    fn params(&self, count: usize) -> (Params, [u32; 3]) {
        let (grid, stride) = grid(count);
        let (rows, cols) = self.field.dim();
        let params = Params {
            count: count as u32,
            stride,
            rows: rows as u32,
            cols: cols as u32,
            periodic: u32::from(self.periodic),
            colour: 0,
            levels: 1,
            coupling: self.coupling as f32,
            sweep: [0; 2],
            key: [0; 2],
        };
        (params, grid)
    }

    fn upload_field(&self, gpu: &Gpu) -> Result<Buffer> {
        let beyond = |v: f64| v.abs() > f64::from(f32::MAX);
        if let Some((at, value)) = self.field.indexed_iter().find(|(_, v)| beyond(**v)) {
            return Err(Error::NotFinite { op: OP, what: "field", value: *value, row: at.0, col: at.1 });
        }
        let field: Vec<f32> = self.field.iter().map(|v| *v as f32).collect();
        gpu.upload("lattice.field", bytemuck::cast_slice(&field))
    }
}

fn run(gpu: &Gpu, entry: &'static str, binds: &[Bind], params: &Params, grid: [u32; 3]) -> Result<()> {
    let shader = match entry {
        "mean_field" => Shader::new("lattice_mean_field", &[MEAN_FIELD]),
        "means" => Shader::new("lattice_means", &[PHILOX, GIBBS]),
        _ => Shader::new("lattice_gibbs", &[PHILOX, GIBBS]),
    };
    let work = 60.0 * f64::from(params.count);
    gpu.run(&Pass {
        op: OP,
        shader,
        entry,
        constants: &[],
        binds,
        params: bytemuck::bytes_of(params),
        grid,
        work,
    })
}

pub(super) fn gibbs(
    gpu: &Gpu,
    lattice: &Lattice,
    thresholds: &Thresholds,
    spins: ArrayView2<i8>,
    chain: Chain,
    averaged: bool,
) -> Result<(Array2<i8>, Array2<f64>)> {
    let sites = spins.len();
    let table: Vec<[u32; 2]> = thresholds.table.iter().flatten().map(|t| halves(*t)).collect();
    let levels = if thresholds.levels.is_empty() { &[0][..] } else { &thresholds.levels };
    let start: Vec<i32> = spins.iter().map(|s| i32::from(*s)).collect();
    let spin = gpu.upload("lattice.spin", bytemuck::cast_slice(&start))?;
    let level = gpu.upload("lattice.level", bytemuck::cast_slice(levels))?;
    let table = gpu.upload("lattice.table", bytemuck::cast_slice(&table))?;
    let sums = if averaged {
        let total = gpu.upload("lattice.total", bytemuck::cast_slice(&vec![0f32; sites]))?;
        Some((lattice.upload_field(gpu)?, total))
    } else {
        None
    };
    let (mut params, grid) = lattice.params(sites.div_ceil(4));
    (params.levels, params.key) = (thresholds.table.len() as u32, halves(chain.seed));
    let (each, each_grid) = lattice.params(sites);
    let binds = [spin.whole(), level.whole(), table.whole()];
    for sweep in 0..chain.sweeps {
        params.sweep = halves(chain.first + sweep as u64);
        for colour in 0..2 {
            params.colour = colour;
            run(gpu, "gibbs", &binds, &params, grid)?;
        }
        if let Some((field, total)) = &sums {
            let [spin, level, table] = binds;
            run(gpu, "means", &[spin, level, table, field.whole(), total.whole()], &each, each_grid)?;
        }
    }
    let bytes = 4 * sites as u64;
    let raw: Vec<i32> = bytemuck::pod_collect_to_vec(&gpu.download(&spin, 0, bytes)?);
    let drawn = Array2::from_shape_fn(spins.dim(), |(i, j)| raw[i * spins.ncols() + j] as i8);
    let means = match sums {
        None => Array2::zeros((0, 0)),
        Some((_, total)) => {
            let raw: Vec<f32> = bytemuck::pod_collect_to_vec(&gpu.download(&total, 0, bytes)?);
            let all = chain.sweeps as f64;
            Array2::from_shape_fn(spins.dim(), |(i, j)| f64::from(raw[i * spins.ncols() + j]) / all)
        }
    };
    Ok((drawn, means))
}

pub(super) fn mean_field(
    gpu: &Gpu,
    lattice: &Lattice,
    mean: ArrayView2<f64>,
    sweeps: usize,
) -> Result<Array2<f64>> {
    let (n, m) = mean.dim();
    let start: Vec<f32> = mean.iter().map(|v| *v as f32).collect();
    let means = gpu.upload("lattice.mean", bytemuck::cast_slice(&start))?;
    let field = lattice.upload_field(gpu)?;
    let (mut params, grid) = lattice.params(n * m.div_ceil(2));
    for _ in 0..sweeps {
        for colour in 0..2 {
            params.colour = colour;
            run(gpu, "mean_field", &[means.whole(), field.whole()], &params, grid)?;
        }
    }
    let raw: Vec<f32> = bytemuck::pod_collect_to_vec(&gpu.download(&means, 0, 4 * mean.len() as u64)?);
    Ok(Array2::from_shape_fn((n, m), |(i, j)| f64::from(raw[i * m + j])))
}
