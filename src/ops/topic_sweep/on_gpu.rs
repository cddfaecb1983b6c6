//! The shaders of a sweep over topics.

use super::{OP, TopicPriors, TopicSweep};
use crate::gpu::{Bind, Buffer, Gpu, Pass, Shader};
use crate::matrix::SparseMatrix;
use crate::ops::map::{DIGAMMA, grid};
use crate::ops::{Along, Map, Reduction, map, reduce};
use crate::{Matrix, Precision, Result};

const SHADER: &str = include_str!("../../../shaders/topic_sweep.wgsl");
const EXPECTED: &str = include_str!("../../../shaders/topic_sweep_expected.wgsl");
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 40_000;

/// Mirrors `Params` in `shaders/topic_sweep.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    rows: u32,
    across: u32,
    topics: u32,
    vec4s: u32,
    passes: u32,
    last: u32,
    first: u32,
    count: u32,
    prior: f32,
}

/// Mirrors `Params` in `shaders/topic_sweep_expected.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Spread {
    rows: u32,
    stride: u32,
    topics: u32,
    vec4s: u32,
}

/// Counts document by document, and for each word its documents with the places of its counts there.
pub(super) struct Resident {
    documents: Rows,
    words: Rows,
    entries: usize,
}

struct Rows {
    offsets: Buffer,
    entries: Buffer,
    count: usize,
    longest: usize,
}

impl Rows {
    fn new(gpu: &Gpu, offsets: &[usize], entries: &[[u32; 2]]) -> Result<Self> {
        let longest = offsets.windows(2).map(|o| o[1] - o[0]).max().unwrap_or(0);
        let starts: Vec<u32> = offsets.iter().map(|o| *o as u32).collect();
        Ok(Rows {
            offsets: gpu.upload("topic_sweep.offsets", bytemuck::cast_slice(&starts))?,
            entries: gpu.upload("topic_sweep.entries", bytemuck::cast_slice(entries))?,
            count: offsets.len() - 1,
            longest,
        })
    }
}

impl Resident {
    pub fn new(gpu: &Gpu, counts: &SparseMatrix) -> Result<Self> {
        let own: Vec<[u32; 2]> = counts
            .columns()
            .iter()
            .zip(counts.values())
            .map(|(w, n)| [*w as u32, (*n as f32).to_bits()])
            .collect();
        let mut offsets = vec![0; counts.cols() + 1];
        counts.columns().iter().for_each(|w| offsets[w + 1] += 1);
        (0..counts.cols()).for_each(|w| offsets[w + 1] += offsets[w]);
        let (mut turned, mut next) = (vec![[0u32; 2]; counts.stored()], offsets.clone());
        for (e, (d, w, _)) in counts.entries().enumerate() {
            turned[next[w]] = [d as u32, e as u32];
            next[w] += 1;
        }
        Ok(Resident {
            documents: Rows::new(gpu, counts.offsets(), &own)?,
            words: Rows::new(gpu, &offsets, &turned)?,
            entries: counts.stored(),
        })
    }
}

pub(super) fn on_gpu(
    gpu: &Gpu,
    there: &Resident,
    lambda: &Matrix,
    gamma: &Matrix,
    priors: &TopicPriors,
) -> Result<TopicSweep> {
    let (words, k) = lambda.shape();
    let alloc = |label, shape| Matrix::alloc(gpu, label, shape, Precision::Single);
    let beta = expected(gpu, lambda, alloc("topic_sweep.beta", (words, k))?)?;
    let (gamma, theta) = (gamma.copied()?, alloc("topic_sweep.theta", gamma.shape())?);
    let shares = gpu.alloc("topic_sweep.shares", 4 * there.entries as u64)?;
    let entropies = alloc("topic_sweep.entropies", (1, there.documents.count))?;
    let (sums, lambda) = (alloc("topic_sweep.sums", (words, k))?, alloc("topic_sweep.lambda", (words, k))?);
    let span = (4 * beta.vec4s()).next_power_of_two();
    let run = |entry: &'static str, rows: &Rows, binds: &[Bind], params: Params, work: f64| {
        let across = rows.count.min(gpu.limits().groups_per_axis as usize);
        gpu.run(&Pass {
            op: OP,
            shader: Shader::new(OP, &[DIGAMMA, SHADER]),
            entry,
            constants: &[("SPAN", span as f64)],
            binds,
            params: bytemuck::bytes_of(&Params { rows: rows.count as u32, across: across as u32, ..params }),
            grid: [across as u32, rows.count.div_ceil(across) as u32, 1],
            work,
        })
    };
    let vec4s = beta.vec4s() as u32;
    let plain = Params {
        rows: 0,
        across: 0,
        topics: k as u32,
        vec4s,
        passes: 0,
        last: 0,
        first: 0,
        count: 0,
        prior: priors.alpha as f32,
    };
    let work = 2.0 * (there.entries * k) as f64;
    // Chunks of 64 words, each with a norm, a share of the sums and, once, an entropy.
    let chunks = there.documents.longest.div_ceil(64);
    let each = chunks * (beta.vec4s() + span) + 16;
    let at_once = (ITERATIONS.saturating_sub(chunks * k) / each).max(1);
    let mut made = 0;
    while made < priors.passes {
        let passes = at_once.min(priors.passes - made);
        let last = u32::from(made + passes == priors.passes);
        let params = Params { passes: passes as u32, last, first: made as u32, ..plain };
        let rows = &there.documents;
        let binds = [
            rows.offsets.whole(),
            rows.entries.whole(),
            beta.bind(),
            gamma.bind(),
            theta.bind(),
            shares.whole(),
            entropies.bind(),
        ];
        run("documents", rows, &binds, params, work * passes as f64)?;
        made += passes;
    }
    let (rows, most) = (&there.words, ITERATIONS * 64 / span);
    for first in (0..rows.longest.max(1)).step_by(most) {
        let (prior, count) = (priors.eta as f32, most as u32);
        let binds = [
            rows.offsets.whole(),
            rows.entries.whole(),
            beta.bind(),
            sums.bind(),
            theta.bind(),
            shares.whole(),
            lambda.bind(),
        ];
        run("words", rows, &binds, Params { first: first as u32, count, prior, ..plain }, work)?;
    }
    Ok(TopicSweep { lambda, gamma, entropies })
}

fn expected(gpu: &Gpu, lambda: &Matrix, beta: Matrix) -> Result<Matrix> {
    let total = map(&reduce(lambda, Along::EachColumn, Reduction::Sum)?, Map::Digamma)?;
    let (grid, stride) = grid(lambda.rows());
    let (rows, topics) = (lambda.rows() as u32, lambda.cols() as u32);
    gpu.run(&Pass {
        op: OP,
        shader: Shader::new("topic_sweep_expected", &[DIGAMMA, EXPECTED]),
        entry: "expected",
        constants: &[],
        binds: &[lambda.bind(), total.bind(), beta.bind()],
        params: bytemuck::bytes_of(&Spread { rows, stride, topics, vec4s: lambda.vec4s() as u32 }),
        grid,
        work: 20.0 * f64::from(rows) * f64::from(topics),
    })?;
    Ok(beta)
}
