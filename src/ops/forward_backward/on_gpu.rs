//! The shaders of forward and backward.

use ndarray::{Array2, ArrayView1, ArrayView2};

use super::OP;
use crate::device::Place;
use crate::gpu::{Buffer, Gpu, Pass, Shader};
use crate::ops::{Trans, gemm};
use crate::{Device, Matrix, Precision, Result};

const SHADER: &str = include_str!("../../../shaders/forward_backward.wgsl");
/// Lanes of a workgroup, one a state.
const LANES: usize = 64;
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 16_384;

/// Mirrors `Params` in `shaders/forward_backward.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    states: u32,
    width: u32,
    reach: u32,
    first: u32,
    count: u32,
    part: u32,
}

/// Where each of many sequences stands, one below the other: uploaded once.
pub(crate) struct SequenceRows {
    lengths: Vec<usize>,
    there: Option<Buffer>,
}

impl SequenceRows {
    /// Sequences of these lengths.
    pub fn new(device: &Device, lengths: Vec<usize>) -> Result<Self> {
        let there = match device.place() {
            Place::Cpu => None,
            Place::Gpu(gpu) => {
                let mut at = 0;
                let place = |n: &usize| {
                    at += n;
                    [(at - n) as u32, *n as u32]
                };
                let places: Vec<[u32; 2]> = lengths.iter().map(place).collect();
                Some(
                    gpu.guard(OP, || gpu.upload("forward_backward.sequence", bytemuck::cast_slice(&places)))?,
                )
            }
        };
        Ok(SequenceRows { lengths, there })
    }
}

/// The probabilities of a chain on a device: an upload ends a submission, so that it comes before what is to be in one.
pub(crate) struct ChainNumbers(Option<Buffer>);

impl ChainNumbers {
    pub fn new(device: &Device, initial: ArrayView1<f64>, transition: ArrayView2<f64>) -> Result<Self> {
        let Place::Gpu(gpu) = device.place() else { return Ok(ChainNumbers(None)) };
        let numbers: Vec<f32> = transition.iter().chain(initial).map(|v| *v as f32).collect();
        let up = || gpu.upload("forward_backward.matrix", bytemuck::cast_slice(&numbers));
        gpu.guard(OP, up).map(|there| ChainNumbers(Some(there)))
    }
}

/// What is computed but not yet read back.
pub(crate) struct Pending {
    /// Posteriors, `T x K`.
    pub states: Matrix,
    /// Expected transitions without the factor of their probabilities, `K x K`.
    counts: Matrix,
    /// Sums of logarithms, one a sequence in a row for each dispatch.
    logs: Matrix,
    /// Of each sequence: not zero if a step is beyond f32.
    status: Matrix,
}

impl Pending {
    /// What is to be read back, together with what else there is: three matrices.
    pub fn matrices(&self) -> [&Matrix; 3] {
        [&self.counts, &self.logs, &self.status]
    }

    /// Expected transitions and the log-likelihood of each sequence by what [`Pending::matrices`] held; nothing if a step is
    /// beyond f32.
    pub fn read(
        &self,
        arrays: &[Array2<f64>],
        transition: ArrayView2<f64>,
    ) -> Option<(Array2<f64>, Vec<f64>)> {
        let [counts, logs, status, ..] = arrays else { return None };
        let fits = counts.dim() == self.counts.shape() && status.iter().all(|s| *s == 0.0);
        fits.then(|| (counts * &transition, logs.sum_axis(ndarray::Axis(0)).to_vec()))
    }
}

/// Nothing if there are more states or sequences than the device takes.
pub(super) fn record(
    gpu: &Gpu,
    log_b: &Matrix,
    rows: &SequenceRows,
    numbers: &ChainNumbers,
) -> Result<Option<Pending>> {
    let ((t, k), s) = (log_b.shape(), rows.lengths.len());
    let room = log_b.bytes() <= gpu.limits().binding_bytes && s <= gpu.limits().groups_per_axis as usize;
    let there = (rows.there.as_ref(), numbers.0.as_ref());
    let (Some(sequence), Some(matrix), true) = (there.0, there.1, room && k <= LANES) else {
        return Ok(None);
    };
    let longest = rows.lengths.iter().copied().max().unwrap_or(0);
    let each = (ITERATIONS / (k + 16)).max(1);
    let chunks = longest.div_ceil(each);
    let alloc = |label, shape| Matrix::alloc(gpu, label, shape, Precision::Single);
    let (alpha, emit, states, logs, status) = gpu.guard(OP, || {
        let carry = gpu.alloc("forward_backward.carry", 4 * (s * k) as u64)?;
        let (logs, status) =
            (alloc("forward_backward.logs", (chunks, s))?, alloc("forward_backward.status", (1, s))?);
        let shape = || alloc("forward_backward.rows", (t, k));
        let (alpha, emit, states) = (shape()?, shape()?, shape()?);
        let run = |entry: &'static str, chunk: usize| {
            let params = Params {
                states: k as u32,
                width: 4 * log_b.vec4s() as u32,
                reach: k.next_power_of_two() as u32 / 2,
                first: (chunk * each) as u32,
                count: each.min(longest - chunk * each) as u32,
                part: (chunk * 4 * logs.vec4s()) as u32,
            };
            let both =
                [matrix.whole(), sequence.whole(), alpha.bind(), emit.bind(), carry.whole(), status.bind()];
            let mut binds = both.to_vec();
            if entry == "forward" {
                binds.extend([logs.bind(), log_b.bind()]);
            } else {
                binds.push(states.bind());
            }
            gpu.run(&Pass {
                op: OP,
                shader: Shader::new(OP, &[SHADER]),
                entry,
                constants: &[],
                binds: &binds,
                params: bytemuck::bytes_of(&params),
                grid: [s as u32, 1, 1],
                work: (t * k * k) as f64,
            })
        };
        (0..chunks).try_for_each(|chunk| run("forward", chunk))?;
        (0..chunks).try_for_each(|chunk| run("backward", chunk))?;
        Ok((alpha, emit, states, logs, status))
    })?;
    let counts = gemm(1.0, &alpha, Trans::Yes, &emit, Trans::No)?;
    Ok(Some(Pending { states, counts, logs, status }))
}
