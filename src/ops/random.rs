//! Random numbers where they are wanted: words of Philox 4x32-10, and what is drawn from them.
//!
//! Words, uniform numbers, decisions by thresholds, categories and orders are the same bits on every device; normal numbers
//! differ by the rounding of f32. Checked in `tests/ops/random.rs` against the vectors of Philox's authors and the CPU.

mod on_gpu;

use ndarray::Array2;
use rayon::prelude::*;

use super::half::single;
use super::require;
use crate::check::{parameter, room, zeros};
use crate::device::Place;
use crate::matrix::Shared;
use crate::random::{Threshold, philox};
use crate::{Device, Matrix, Result};
pub(super) use on_gpu::{DRAWS, PHILOX, halves};
use on_gpu::{Fill, fill, sorted};

/// What [`random()`] draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Uniform on [0, 1), multiples of 2⁻²⁴: the same bits on every device.
    Uniform,
    /// Standard normal by Box and Muller, of two words two numbers: the same to the rounding of f32.
    Normal,
}

/// The four words of a block of a stream.
pub(super) fn block(at: u64, seed: u64, stream: u64) -> [u32; 4] {
    let halves = |v: u64| [v as u32, (v >> 32) as u32];
    let ([low, high], [s, t]) = (halves(at), halves(stream));
    philox([low, high, s, t], halves(seed))
}

/// Two normal numbers of two words: `√(-2 ln u) (cos 2πv, sin 2πv)` with `u = (⌊a/2⁸⌋ + 1) 2⁻²⁴`, `v = ⌊b/2⁸⌋ 2⁻²⁴`.
pub(super) fn normals(a: u32, b: u32) -> [f64; 2] {
    const SHARE: f64 = 1.0 / 16_777_216.0;
    let radius = (-2.0 * (f64::from((a >> 8) + 1) * SHARE).ln()).max(0.0).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * f64::from(b >> 8) * SHARE).sin_cos();
    [radius * cos, radius * sin]
}

/// Entries (i, j) from word `j mod 4` of block `i ⌈cols/4⌉ + ⌊j/4⌋`: every row begins a block.
fn cpu(
    (rows, cols): (usize, usize),
    seed: u64,
    stream: u64,
    of: impl Fn((usize, usize), [u32; 4]) -> [f64; 4] + Sync,
) -> Result<Array2<f64>> {
    let mut out = zeros("random numbers", rows, cols)?;
    let all = out.as_slice_mut().expect("fresh arrays are stored row after row");
    all.par_chunks_mut(cols.max(1)).enumerate().for_each(|(i, row)| {
        for (q, part) in row.chunks_mut(4).enumerate() {
            let made = of((i, 4 * q), block((i * cols.div_ceil(4) + q) as u64, seed, stream));
            part.copy_from_slice(&made[..part.len()]);
        }
    });
    Ok(out)
}

/// `rows x cols` random numbers: entry (i, j) is made from word `j mod 4` of block `i ⌈cols/4⌉ + ⌊j/4⌋` of the stream.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) for nothing to draw; more than memory has room for.
///
/// ```
/// use mercer::{Device, ops::{Draw, random}};
/// let u = random(&Device::cpu(), (2, 3), Draw::Uniform, 7, 0)?.to_array()?;
/// assert!(u.iter().all(|v| (0.0..1.0).contains(v)));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn random(device: &Device, shape: (usize, usize), draw: Draw, seed: u64, stream: u64) -> Result<Matrix> {
    require("random", shape.0 > 0 && shape.1 > 0, || format!("{} x {} numbers", shape.0, shape.1))?;
    match device.place() {
        Place::Cpu => {
            let of = |_, w: [u32; 4]| match draw {
                Draw::Uniform => w.map(|w| f64::from(w >> 8) / 16_777_216.0),
                Draw::Normal => {
                    let ([a, b], [c, d]) = (normals(w[0], w[1]), normals(w[2], w[3]));
                    [a, b, c, d]
                }
            };
            Ok(Matrix::from_host(cpu(shape, seed, stream, of)?))
        }
        Place::Gpu(gpu) => gpu.guard("random", || {
            fill(gpu, shape, if draw == Draw::Uniform { Fill::Uniform } else { Fill::Normal }, seed, stream)
        }),
    }
}

/// `count` words of a stream from block `first` on: those of [`Philox`](crate::random::Philox), four to a block.
///
/// # Errors
/// More than memory has room for.
///
/// ```
/// use mercer::{Device, ops::random_words, random::Philox};
/// let mut stream = Philox::new(7, 3);
/// assert_eq!(random_words(&Device::cpu(), 0, 5, 7, 3)?, (0..5).map(|_| stream.word()).collect::<Vec<_>>());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn random_words(device: &Device, first: u64, count: usize, seed: u64, stream: u64) -> Result<Vec<u32>> {
    room("words", count, 8)?;
    let mut words = match device.place() {
        Place::Cpu => (0..count.div_ceil(4))
            .into_par_iter()
            .flat_map_iter(|b| block(first.wrapping_add(b as u64), seed, stream))
            .collect(),
        Place::Gpu(_) if count == 0 => vec![],
        Place::Gpu(gpu) => gpu.guard("random", || {
            let made = fill(gpu, (count.div_ceil(4), 4), Fill::Words(first), seed, stream)?;
            Ok(bytemuck::pod_collect_to_vec(&gpu.download(made.buffer(), 0, made.bytes())?))
        })?,
    };
    words.truncate(count);
    Ok(words)
}

/// `out[i, j] = 1` with probability `p[i, j]`, else 0: a word against the integer `round(2³² p)`.
///
/// Devices that hold the same probabilities decide alike; on a GPU these are rounded to f32.
///
/// # Errors
/// Only those of the device; what lies outside [0, 1] counts as 0 or 1.
///
/// ```
/// use mercer::{Device, Matrix, ops::bernoulli};
/// let p = Matrix::from_array(&Device::cpu(), ndarray::array![[0.0, 1.0]].view())?;
/// assert_eq!(bernoulli(&p, 7, 0)?.to_array()?, ndarray::array![[0.0, 1.0]]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bernoulli(p: &Matrix, seed: u64, stream: u64) -> Result<Matrix> {
    match p.place() {
        Shared::Cpu => {
            let p = p.cpu();
            let of = |(i, j): (usize, usize), w: [u32; 4]| {
                std::array::from_fn(|l| {
                    let yes = |p| Threshold::rounded(p).says_yes(w[l]);
                    f64::from(u8::from(p.get([i, j + l]).is_some_and(|p| yes(*p))))
                })
            };
            Ok(Matrix::from_host(cpu(p.dim(), seed, stream, of)?))
        }
        Shared::Gpu(gpu) => {
            let p = single(p)?;
            gpu.guard("random", || fill(gpu, p.shape(), Fill::Chances(&p), seed, stream))
        }
    }
}

/// `out[i, j] = 1` where the word of (i, j) is below the threshold of column j (or of all columns), else 0: thresholds are
/// integers made once on the host, so that every device decides alike, bit for bit.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless there is one threshold, or one for each column.
///
/// ```
/// use mercer::{Device, ops::bernoulli_by, random::Threshold};
/// let never_or_always = [Threshold::new(0.0)?, Threshold::new(1.0)?];
/// let drawn = bernoulli_by(&Device::cpu(), (3, 2), &never_or_always, 7, 0)?.to_array()?;
/// assert!(drawn.column(0).sum() == 0.0 && drawn.column(1).sum() == 3.0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn bernoulli_by(
    device: &Device,
    (rows, cols): (usize, usize),
    thresholds: &[Threshold],
    seed: u64,
    stream: u64,
) -> Result<Matrix> {
    let fits = rows > 0 && cols > 0 && (thresholds.len() == 1 || thresholds.len() == cols);
    require("random", fits, || format!("{rows} x {cols} decisions by {} thresholds", thresholds.len()))?;
    let of_column = |j: usize| thresholds[j % thresholds.len()];
    match device.place() {
        Place::Cpu => {
            let of = |(_, j): (usize, usize), w: [u32; 4]| {
                std::array::from_fn(|l| f64::from(u8::from(of_column(j + l).says_yes(w[l]))))
            };
            Ok(Matrix::from_host(cpu((rows, cols), seed, stream, of)?))
        }
        Place::Gpu(gpu) => {
            let padded = cols.next_multiple_of(4);
            let mut words = vec![0u32; 2 * padded];
            for j in 0..cols {
                let yes = of_column(j).words();
                (words[j], words[padded + j]) = (yes as u32, (yes >> 32) as u32);
            }
            gpu.guard("random", || fill(gpu, (rows, cols), Fill::Thresholds(&words), seed, stream))
        }
    }
}

/// `count` indices of these weights, each as probable as its weight is large: the number of cumulative thresholds
/// `round(2³² Σ_{i<=j} w_i / Σ w)` that the word reaches. They are made once on the host, so that every device draws alike.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a weight that is negative or not finite, or weights that are all zero.
///
/// ```
/// use mercer::{Device, ops::categorical};
/// let drawn = categorical(&Device::cpu(), &[1.0, 0.0, 3.0], 1000, 7, 0)?;
/// assert!(drawn.iter().all(|&k| k != 1) && drawn.iter().filter(|&&k| k == 2).count() > 700);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn categorical(
    device: &Device,
    weights: &[f64],
    count: usize,
    seed: u64,
    stream: u64,
) -> Result<Vec<usize>> {
    for (i, w) in weights.iter().enumerate() {
        parameter(
            &format!("weights[{i}]"),
            *w,
            *w >= 0.0 && w.is_finite(),
            "must be finite and not negative",
        )?;
    }
    let top = weights.iter().copied().fold(0.0, f64::max);
    parameter("the largest weight", top, top > 0.0, "must be positive")?;
    room("draws", count, 12)?;
    // Divided by the largest, so that no sum overflows.
    let all: f64 = weights.iter().map(|w| w / top).sum();
    let mut sum = 0.0;
    let thresholds: Vec<u64> = weights
        .iter()
        .map(|w| {
            sum += w / top;
            Threshold::rounded(sum / all).words()
        })
        .collect();
    // Rounding may leave the last sums below one: what is left goes to the last weight that is not zero.
    let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
    let below: Vec<u32> = thresholds[..last].iter().map_while(|t| u32::try_from(*t).ok()).collect();
    let of = |word: u32| below.partition_point(|t| *t <= word);
    match device.place() {
        Place::Gpu(gpu) if count > 0 && !below.is_empty() => gpu.guard("random", || {
            let made = fill(gpu, (count.div_ceil(4), 4), Fill::Categories(&below), seed, stream)?;
            let raw: Vec<u32> =
                bytemuck::pod_collect_to_vec(&gpu.download(made.buffer(), 0, made.bytes())?);
            Ok(raw.into_iter().take(count).map(|k| k as usize).collect())
        }),
        _ => Ok(random_words(&Device::cpu(), 0, count, seed, stream)?.into_iter().map(of).collect()),
    }
}

/// A random order of `0..n`: the numbers sorted by the first two words of their blocks, the same on every device.
///
/// # Errors
/// More than memory has room for, or on a GPU `16 n` bytes than a binding holds.
///
/// ```
/// use mercer::{Device, ops::permutation};
/// let mut order = permutation(&Device::cpu(), 5, 7, 0)?;
/// order.sort_unstable();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn permutation(device: &Device, n: usize, seed: u64, stream: u64) -> Result<Vec<usize>> {
    room("n", n, 32)?;
    if let Place::Gpu(gpu) = device.place()
        && n > 1
    {
        return gpu.guard("random", || sorted(gpu, n, seed, stream));
    }
    let key = |i: usize| {
        let [a, b, ..] = block(i as u64, seed, stream);
        (a, b, i)
    };
    let mut keys: Vec<(u32, u32, usize)> = (0..n).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    Ok(keys.into_iter().map(|k| k.2).collect())
}
