//! Alignments of many pairs of sequences at once, antidiagonal by antidiagonal.
//!
//! Checked in `tests/ops/pair_hmm.rs` against sums over all alignments, and on every adapter against the CPU.

use std::f64::consts::LN_2;

use ndarray::Array2;
use rayon::prelude::*;

use super::require;
use crate::check::room;
use crate::gpu::{Buffer, Gpu, Pass, Shader};
use crate::kernel::structures::PairHmm;
use crate::matrix::Shared;
use crate::{Device, Matrix, Result};

const SHADER: &str = include_str!("../../shaders/pair_hmm.wgsl");
const OP: &str = "pair_hmm";
/// Cells of an antidiagonal, in the sizes that pipelines are made for.
const WIDTHS: [usize; 3] = [64, 128, 320];
/// Loop iterations that one invocation may make; llvmpipe silently ends loops at 65,535.
const ITERATIONS: usize = 32_768;
/// Cells and pairs of one dispatch.
const CELLS: usize = 1 << 28;
const PAIRS: usize = 1 << 18;
/// What one cell costs, in operations.
const COST: f64 = 40.0;
/// The least positive product of an emission and a transition that f32 is trusted with.
const LEAST: f64 = 1e-30;

/// Mirrors `Params` in `shaders/pair_hmm.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    across: u32,
    letters: u32,
    open: f32,
    extend: f32,
    mm: f32,
    mu: f32,
    mv: f32,
    vm: f32,
    vu: f32,
}

/// `ln P(x_i, y_j)` of a pair hidden Markov model, summed over all alignments, `n x m`; minus infinity for a pair that the model
/// cannot make. Without `y` between all x: symmetric, each pair computed once.
///
/// On a GPU a workgroup has a pair and its lanes an antidiagonal, of which each cell has an exponent of its own. The shorter
/// sequence of a pair has at most 319 letters there; longer pairs, models whose probabilities are below 1e-30, and few pairs are
/// the CPU's. With `l` the result, `exp(l_ij - (l_ii + l_jj) / 2)` is the [normalised](crate::kernel::structures::ObjectKernel::cosine)
/// kernel, for [`Kernel::precomputed`](crate::Kernel::precomputed).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if there are no sequences, [`Error::UnknownName`](crate::Error::UnknownName) for a
/// character that is not in the alphabet; those of the device.
///
/// ```
/// use mercer::kernel::structures::PairHmm;
/// use mercer::{Device, ops::pair_hmm};
/// use ndarray::array;
/// let hmm = PairHmm::new("ab", array![[0.4, 0.1], [0.1, 0.4]], array![0.5, 0.5], 0.2, 0.4, 0.1)?;
/// let logs = pair_hmm(&Device::cpu(), &hmm, &["a", "bb"], Some(&["ab"]))?;
/// assert!((logs[[0, 0]].exp() - 0.0014544).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn pair_hmm<S: AsRef<str> + Sync>(
    device: &Device,
    hmm: &PairHmm,
    x: &[S],
    y: Option<&[S]>,
) -> Result<Array2<f64>> {
    let other = y.unwrap_or(x);
    let (n, m) = (x.len(), other.len());
    require(OP, n > 0 && m > 0, || format!("{n} sequences and {m}"))?;
    room("sequences", n, m.saturating_mul(48))?;
    let coded = |all: &[S]| all.iter().map(|s| hmm.letters(s.as_ref())).collect::<Result<Vec<_>>>();
    let mut codes = coded(x)?;
    if let Some(y) = y {
        codes.extend(coded(y)?);
    }
    let first = if y.is_some() { n } else { 0 };
    let to = |i: usize| if y.is_some() { m } else { i + 1 };
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..to(i)).map(move |j| (i, first + j))).collect();
    let cells: f64 = pairs.iter().map(|&(i, j)| codes[i].len() as f64 * codes[j].len() as f64).sum();
    let device = device.suited_to(COST * cells);
    let place = Matrix::upload(OP, &device, Array2::<f64>::zeros((1, 1)).view())?;
    let logs = match place.place() {
        Shared::Gpu(gpu) if hmm.least() >= LEAST => on_gpu(gpu, hmm, &codes, &pairs)?,
        _ => cpu(hmm, &codes, &pairs),
    };
    let mut out = Array2::zeros((n, m));
    for (&(i, j), log) in pairs.iter().zip(logs) {
        out[[i, j - first]] = log;
        if y.is_none() {
            out[[j, i]] = log;
        }
    }
    Ok(out)
}

fn cpu(hmm: &PairHmm, codes: &[Vec<usize>], pairs: &[(usize, usize)]) -> Vec<f64> {
    pairs.par_iter().map(|&(i, j)| hmm.log_probability(&codes[i], &codes[j])).collect()
}

/// Sequences and emissions on the device.
struct There {
    emission: Buffer,
    code: Buffer,
    /// Where each sequence starts.
    starts: Vec<usize>,
}

fn on_gpu(gpu: &Gpu, hmm: &PairHmm, codes: &[Vec<usize>], pairs: &[(usize, usize)]) -> Result<Vec<f64>> {
    let starts: Vec<usize> = codes
        .iter()
        .scan(0, |at, code| {
            *at += code.len();
            Some(*at - code.len())
        })
        .collect();
    let mut flat: Vec<u32> = codes.iter().flatten().map(|&c| c as u32).collect();
    // A binding has at least one entry, and an empty sequence at the end looks at one.
    flat.push(0);
    if 4 * flat.len() as u64 > gpu.limits().binding_bytes {
        return Ok(cpu(hmm, codes, pairs));
    }
    let emission: Vec<f32> = hmm.emissions().into_iter().map(|v| v as f32).collect();
    let there = gpu.guard(OP, || {
        let emission = gpu.upload("pair_hmm.emission", bytemuck::cast_slice(&emission))?;
        Ok(There { emission, code: gpu.upload("pair_hmm.code", bytemuck::cast_slice(&flat))?, starts })
    })?;
    // The CPU's pairs last.
    let mut classes: [Vec<usize>; WIDTHS.len() + 1] = Default::default();
    for (at, &(i, j)) in pairs.iter().enumerate() {
        let (short, long) = (codes[i].len().min(codes[j].len()), codes[i].len().max(codes[j].len()));
        let width = WIDTHS.iter().position(|w| short < *w);
        let loops = |w: usize| (short + long + 1) * (2 + WIDTHS[w].div_ceil(64));
        classes[width.filter(|&w| loops(w) <= ITERATIONS).unwrap_or(WIDTHS.len())].push(at);
    }
    let mut logs = vec![0.0; pairs.len()];
    for (class, at) in classes.iter().enumerate() {
        let Some(&width) = WIDTHS.get(class) else {
            let far: Vec<_> = at.iter().map(|&a| pairs[a]).collect();
            at.iter().zip(cpu(hmm, codes, &far)).for_each(|(&a, log)| logs[a] = log);
            continue;
        };
        let most = PAIRS.min((gpu.limits().binding_bytes / 16) as usize).min(CELLS / (width * width));
        for some in at.chunks(most) {
            let found = gpu.guard(OP, || dispatch(gpu, hmm, &there, codes, pairs, some, width))?;
            some.iter().zip(found).for_each(|(&a, log)| logs[a] = log);
        }
    }
    Ok(logs)
}

fn dispatch(
    gpu: &Gpu,
    hmm: &PairHmm,
    there: &There,
    codes: &[Vec<usize>],
    pairs: &[(usize, usize)],
    some: &[usize],
    width: usize,
) -> Result<Vec<f64>> {
    let place = |s: usize| [there.starts[s] as u32, codes[s].len() as u32];
    // The model does not mind which is which: the shorter one comes first.
    let both = some.iter().map(|&a| {
        let (i, j) = pairs[a];
        let (x, y) = if codes[i].len() <= codes[j].len() { (i, j) } else { (j, i) };
        [place(x), place(y)]
    });
    let both: Vec<[[u32; 2]; 2]> = both.collect();
    let places = gpu.upload("pair_hmm.places", bytemuck::cast_slice(&both))?;
    let out = gpu.alloc("pair_hmm.out", 8 * some.len() as u64)?;
    let across = some.len().min(gpu.limits().groups_per_axis as usize);
    let ([open, extend], [mm, mu, mv], [vm, vu]) = hmm.transitions();
    let params = Params {
        count: some.len() as u32,
        across: across as u32,
        letters: hmm.letter_count() as u32,
        open: open as f32,
        extend: extend as f32,
        mm: mm as f32,
        mu: mu as f32,
        mv: mv as f32,
        vm: vm as f32,
        vu: vu as f32,
    };
    let cells: f64 = some.iter().map(|&a| (codes[pairs[a].0].len() * codes[pairs[a].1].len()) as f64).sum();
    gpu.run(&Pass {
        op: OP,
        shader: Shader::new(OP, &[SHADER]),
        entry: "main",
        constants: &[("WIDTH", width as f64)],
        binds: &[there.emission.whole(), there.code.whole(), places.whole(), out.whole()],
        params: bytemuck::bytes_of(&params),
        grid: [across as u32, some.len().div_ceil(across) as u32, 1],
        work: 0.5 * COST * cells,
    })?;
    let raw: Vec<[f32; 2]> = bytemuck::pod_collect_to_vec(&gpu.download(&out, 0, 8 * some.len() as u64)?);
    let log = |[f, e]: [f32; 2]| match f {
        0.0 => f64::NEG_INFINITY,
        f => f64::from(f).ln() + f64::from(e) * LN_2 + hmm.log_end(),
    };
    Ok(raw.into_iter().map(log).collect())
}
