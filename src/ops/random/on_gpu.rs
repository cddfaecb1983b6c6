//! The shaders of random numbers.

use crate::gpu::{Gpu, Pass, Shader};
use crate::matrix::window::{step, windows};
use crate::ops::map::grid;
use crate::ops::reduce::GROUP;
use crate::{Error, Matrix, Precision, Result};

pub(in crate::ops) const PHILOX: &str = include_str!("../../../shaders/random_philox.wgsl");
pub(in crate::ops) const DRAWS: &str = include_str!("../../../shaders/random_draws.wgsl");
const SHADER: &str = include_str!("../../../shaders/random.wgsl");
const SORT: &str = include_str!("../../../shaders/random_sort.wgsl");

/// Mirrors `Params` in `shaders/random.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    cols: u32,
    vec4s: u32,
    first: [u32; 2],
    stream: [u32; 2],
    key: [u32; 2],
    categories: u32,
    unused: u32,
}

/// Mirrors `Params` in `shaders/random_sort.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Sort {
    count: u32,
    stride: u32,
    n: u32,
    reach: u32,
    run: u32,
    unused: u32,
    stream: [u32; 2],
    key: [u32; 2],
}

/// What is made of the words.
pub(super) enum Fill<'a> {
    /// From this block on.
    Words(u64),
    Uniform,
    Normal,
    Chances(&'a Matrix),
    /// Low words of each column, padded, then high ones.
    Thresholds(&'a [u32]),
    /// Cumulative thresholds.
    Categories(&'a [u32]),
}

pub(in crate::ops) fn halves(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

pub(super) fn fill(gpu: &Gpu, shape: (usize, usize), what: Fill, seed: u64, stream: u64) -> Result<Matrix> {
    let out = Matrix::alloc(gpu, "random.out", shape, Precision::Single)?;
    let (code, words): (u32, Option<&[u32]>) = match what {
        Fill::Words(_) => (0, None),
        Fill::Uniform => (1, None),
        Fill::Normal => (2, None),
        Fill::Chances(_) => (3, None),
        Fill::Thresholds(words) => (4, Some(words)),
        Fill::Categories(words) => (5, Some(words)),
    };
    let begin = if let Fill::Words(first) = what { first } else { 0 };
    let table = match words {
        None => None,
        Some(words) => {
            let mut padded = words.to_vec();
            padded.resize(words.len().next_multiple_of(4), 0);
            Some(gpu.upload("random.thresholds", bytemuck::cast_slice(&padded))?)
        }
    };
    let mut operands = vec![&out];
    if let Fill::Chances(p) = what {
        operands.push(p);
    }
    for rows in windows(shape.0, step(&gpu.limits(), GROUP, &operands)?) {
        let count = rows.len() * out.vec4s();
        let (grid, stride) = grid(count);
        let params = Params {
            count: count as u32,
            stride,
            cols: shape.1 as u32,
            vec4s: out.vec4s() as u32,
            first: halves(begin.wrapping_add((rows.start * out.vec4s()) as u64)),
            stream: halves(stream),
            key: halves(seed),
            categories: words.map_or(0, <[u32]>::len) as u32,
            unused: 0,
        };
        let mut binds = vec![out.rows_bind(rows.start, rows.end)];
        match (&what, &table) {
            (Fill::Chances(p), _) => binds.push(p.rows_bind(rows.start, rows.end)),
            (_, Some(table)) => binds.push(table.whole()),
            _ => {}
        }
        gpu.run(&Pass {
            op: "random",
            shader: Shader::new("random", &[PHILOX, DRAWS, SHADER]),
            entry: if binds.len() == 1 { "plain" } else { "decide" },
            constants: &[("OP", f64::from(code))],
            binds: &binds,
            params: bytemuck::bytes_of(&params),
            grid,
            work: 100.0 * count as f64,
        })?;
    }
    Ok(out)
}

/// A bitonic network over keys, two words and a number each.
pub(super) fn sorted(gpu: &Gpu, n: usize, seed: u64, stream: u64) -> Result<Vec<usize>> {
    let all = n.next_power_of_two();
    let (need, limit) = (16 * all as u64, gpu.limits().binding_bytes);
    if need > limit {
        return Err(Error::TooLarge { what: "the keys of a permutation".to_owned(), need, limit });
    }
    let (keys, out) = (gpu.alloc("random.keys", need)?, gpu.alloc("random.places", 4 * n as u64)?);
    // `out` is bound where it is written.
    let run = |entry: &'static str, count: usize, reach: usize, run: usize| {
        let (grid, stride) = grid(count);
        let params = Sort {
            count: count as u32,
            stride,
            n: n as u32,
            reach: reach as u32,
            run: run as u32,
            unused: 0,
            stream: halves(stream),
            key: halves(seed),
        };
        gpu.run(&Pass {
            op: "random",
            shader: Shader::new("random_sort", &[PHILOX, SORT]),
            entry,
            constants: &[],
            binds: &[keys.whole(), out.whole()][..if entry == "places" { 2 } else { 1 }],
            params: bytemuck::bytes_of(&params),
            grid,
            work: 0.0,
        })
    };
    run("keys", all, 1, 1)?;
    let mut length = 2;
    while length <= all {
        let mut reach = length / 2;
        while reach > 0 {
            run("step", all / 2, reach, length)?;
            reach /= 2;
        }
        length *= 2;
    }
    run("places", n, 1, 1)?;
    let raw: Vec<u32> = bytemuck::pod_collect_to_vec(&gpu.download(&out, 0, 4 * n as u64)?);
    Ok(raw.into_iter().map(|i| i as usize).collect())
}
