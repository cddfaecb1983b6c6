//! The quadratic forms of kernels with all resamples of two pooled samples at once.
//!
//! With V the weights of the [`Labels`], one column a resample, `diag(V^T K V)` is what every two-sample statistic of
//! every resample is made of. K is made in blocks, each used once for all resamples and forgotten: memory is that of V.

use std::ops::Range;

use ndarray::{ArrayView2, s};

use super::labels::{Labels, Weights};
use super::steps::Steps;
use crate::Progress;
use crate::matrix::window::windows as cut;
use crate::ops::{Along, Map, Reduction, TOGETHER, add_diagonal_vector, diagonal, gram, map, reduce};
use crate::{Device, Kernel, Matrix, Result};

/// What a kernel says about the pooled points and about every resample of them.
pub(super) struct Forms {
    /// `(s/m - t/n)^T K0 (s/m - t/n)` of each resample, K0 being K without its diagonal.
    pub quadratic: Vec<f64>,
    /// Row sums of K0.
    pub rows: Vec<f64>,
    /// The diagonal of K.
    pub diagonal: Vec<f64>,
    /// `Σ_{i≠j} k_ij²`.
    pub squares: f64,
}

impl Forms {
    fn zero(all: usize, resamples: usize) -> Self {
        let quadratic = vec![0.0; resamples];
        Forms { quadratic, rows: vec![0.0; all], diagonal: Vec::with_capacity(all), squares: 0.0 }
    }

    /// A diagonal block without its diagonal, which is kept.
    fn split_diagonal(&mut self, k: &Matrix) -> Result<Matrix> {
        let own = diagonal(k)?;
        self.diagonal.extend(own.to_array()?);
        add_diagonal_vector(k, &map(&own, Map::Affine { scale: -1.0, shift: 0.0 })?)
    }
}

/// Rows of a block of K.
fn block_rows(device: &Device) -> usize {
    if device.is_gpu() { 2048 } else { 512 }
}

/// The [`Forms`] of each kernel, and the most bytes held meanwhile.
pub(super) fn forms(
    device: &Device,
    kernels: &[Kernel],
    pooled: ArrayView2<f64>,
    labels: &Labels,
    memory: u64,
    watch: &Progress,
) -> Result<(Vec<Forms>, u64)> {
    let all = pooled.nrows();
    let size = block_rows(device).min(all);
    let windows: Vec<_> = cut(all, size).collect();
    let points: Vec<Matrix> = windows
        .iter()
        .map(|w| Matrix::from_array(device, pooled.slice(s![w.clone(), ..])))
        .collect::<Result<_>>()?;
    let scalar: u64 = if device.is_gpu() { 4 } else { 8 };
    // A table's index is a quarter of a byte for each weight.
    let weight = if labels.are_looked_up(device) { 1 } else { scalar };
    let width = ((memory / (weight * all as u64)) as usize).clamp(1, labels.count());
    let all_steps = labels.count().div_ceil(width) * kernels.len() * windows.len();
    let mut steps = Steps::new("TwoSampleTest", watch, all_steps);
    let mut found: Vec<Option<Forms>> = kernels.iter().map(|_| None).collect();
    for some in cut(labels.count(), width) {
        let v = labels.blocks(device, some, size)?;
        let together = v.together();
        for (kernels, found) in kernels.chunks(together).zip(found.chunks_mut(together)) {
            for (part, found) in part(kernels, &points, &windows, &v, &mut steps)?.into_iter().zip(found) {
                match found {
                    None => *found = Some(part),
                    Some(found) => found.quadratic.extend(part.quadratic),
                }
            }
        }
    }
    let (first, _) = labels.weights();
    let unit = 1.0 / (first * labels.m as f64);
    let mut found: Vec<Forms> = found.into_iter().flatten().collect();
    for forms in &mut found {
        forms.quadratic.iter_mut().for_each(|q| *q *= unit * unit);
    }
    let blocks = if device.is_gpu() { 1 } else { TOGETHER.min(kernels.len()) };
    let bytes = weight * (width * all) as u64 + scalar * (blocks * size * size) as u64 + labels.bytes();
    Ok((found, bytes))
}

/// Blocks on and below the diagonal; those below count twice.
fn part(
    kernels: &[Kernel],
    points: &[Matrix],
    windows: &[Range<usize>],
    v: &Weights,
    steps: &mut Steps,
) -> Result<Vec<Forms>> {
    let all = windows.last().map_or(0, |w| w.end);
    let mut found: Vec<Forms> = kernels.iter().map(|_| Forms::zero(all, v.resamples())).collect();
    for (i, x) in points.iter().enumerate() {
        for (j, y) in points[..=i].iter().enumerate() {
            let others = (i != j).then_some(y);
            let blocks = kernels.iter().zip(&mut found).map(|(kernel, found)| {
                let k = gram(kernel, x, others)?;
                if i == j { found.split_diagonal(&k) } else { Ok(k) }
            });
            let blocks: Vec<Matrix> = blocks.collect::<Result<_>>()?;
            let twice = if i == j { 1.0 } else { 2.0 };
            for ((k, own), found) in blocks.iter().zip(v.forms(&blocks, i, j)?).zip(&mut found) {
                found.quadratic.iter_mut().zip(own).for_each(|(q, o)| *q += twice * o);
                add(&mut found.rows[windows[i].clone()], reduce(k, Along::EachRow, Reduction::Sum)?)?;
                if i != j {
                    add(&mut found.rows[windows[j].clone()], reduce(k, Along::EachColumn, Reduction::Sum)?)?;
                }
                found.squares += twice * reduce(k, Along::EachRow, Reduction::SumSquares)?.to_array()?.sum();
            }
        }
        kernels.iter().try_for_each(|_| steps.made())?;
    }
    Ok(found)
}

fn add(to: &mut [f64], sums: Matrix) -> Result<()> {
    to.iter_mut().zip(sums.to_array()?).for_each(|(t, s)| *t += s);
    Ok(())
}
