//! The quadratic forms of kernels with all resamples of two pooled samples at once.
//!
//! With V the weights of the [`Labels`], one column a resample, `diag(V^T K V)` is what every two-sample statistic of
//! every resample is made of. K is made in blocks, each used once for all resamples and forgotten: memory is that of V.
//! Everything is added up where it is computed, and read back once.

use std::ops::Range;

use super::labels::Labels;
use super::steps::Steps;
use crate::Progress;
use crate::matrix::Points;
use crate::matrix::window::windows as cut;
use crate::ops::{
    Along, Map, Reduction, Relabellings, Zip, add_diagonal_vector, diagonal, gram, map, reduce,
    relabelled_forms, transpose, zip,
};
use crate::{Device, Kernel, Matrix, Result};

/// Kernels whose blocks are held at a time.
const KERNELS: usize = 8;
/// The most bytes of weights that are held at a time, whatever the caller allows.
const WEIGHTS: u64 = 1 << 30;

/// What a kernel says about the pooled points and about every resample of them.
pub(in crate::stats) struct Forms {
    /// `(s/m - t/n)^T K0 (s/m - t/n)` of each resample, K0 being K without its diagonal.
    pub quadratic: Vec<f64>,
    /// Row sums of K0.
    pub rows: Vec<f64>,
    /// The diagonal of K.
    pub diagonal: Vec<f64>,
    /// `Σ_{i≠j} k_ij²`.
    pub squares: f64,
}

/// Rows of a block of K.
fn block_rows(device: &Device) -> usize {
    if device.is_gpu() { 2048 } else { 512 }
}

/// The [`Forms`] of each kernel, and the most bytes held meanwhile.
pub(in crate::stats) fn forms(
    points: &Points,
    kernels: &[Kernel],
    labels: &Labels,
    memory: u64,
    watch: &Progress,
) -> Result<(Vec<Forms>, u64)> {
    let (device, all) = (points.device(), points.host().nrows());
    let size = block_rows(device).min(all);
    let windows: Vec<_> = cut(all, size).collect();
    let blocks =
        windows.iter().map(|w| points.like("TwoSampleTest", points.host().slice(ndarray::s![w.clone(), ..])));
    let blocks: Vec<Matrix> = blocks.collect::<Result<_>>()?;
    let scalar: u64 = if device.is_gpu() { 4 } else { 8 };
    let width = (memory.min(WEIGHTS) / (scalar * all as u64)).clamp(1, labels.count() as u64) as usize;
    let all_steps = labels.count().div_ceil(width) * kernels.len() * windows.len();
    let mut steps = Steps::new("TwoSampleTest", watch, all_steps);
    let (mut found, mut weights): (Vec<Forms>, u64) = (Vec::new(), 0);
    for some in cut(labels.count(), width) {
        let v = windows.iter().map(|w| labels.weights_of(device, some.clone(), w.clone()));
        let v: Vec<Relabellings> = v.collect::<Result<_>>()?;
        weights = weights.max(v.iter().map(Relabellings::bytes).sum());
        let mut sums = Vec::with_capacity(kernels.len());
        for some in kernels.chunks(KERNELS) {
            sums.extend(sums_of(some, &blocks, &v, &mut steps)?);
        }
        // What does not depend on the labels is the same in every part of the resamples.
        let read = Sums::read(sums, &windows, found.is_empty())?;
        if found.is_empty() {
            found = read;
        } else {
            found.iter_mut().zip(read).for_each(|(f, r)| f.quadratic.extend(r.quadratic));
        }
    }
    let (first, _) = labels.weights();
    let unit = 1.0 / (first * labels.m as f64);
    for forms in &mut found {
        forms.quadratic.iter_mut().for_each(|q| *q *= unit * unit);
    }
    let bytes = weights + scalar * (KERNELS.min(kernels.len()) * size * size) as u64 + labels.bytes();
    Ok((found, bytes))
}

/// The sums over K of one kernel, where K was made.
struct Sums {
    /// `1 x r`.
    quadratic: Option<Matrix>,
    /// For each window of points, `1 x` its size: row sums, and row sums of squares, of K0; the diagonal of K.
    rows: Vec<Option<Matrix>>,
    squares: Vec<Option<Matrix>>,
    diagonal: Vec<Matrix>,
}

/// Blocks on and below the diagonal; those below count twice.
fn sums_of(
    kernels: &[Kernel],
    points: &[Matrix],
    v: &[Relabellings],
    steps: &mut Steps,
) -> Result<Vec<Sums>> {
    let none = || vec![None; points.len()];
    let empty = |_| Sums { quadratic: None, rows: none(), squares: none(), diagonal: Vec::new() };
    let mut found: Vec<Sums> = kernels.iter().map(empty).collect();
    for (i, x) in points.iter().enumerate() {
        for (j, y) in points[..=i].iter().enumerate() {
            let blocks = kernels.iter().zip(&mut found).map(|(kernel, found)| {
                let k = gram(kernel, x, (i != j).then_some(y))?;
                if i == j { found.without_diagonal(&k) } else { Ok(k) }
            });
            let blocks: Vec<Matrix> = blocks.collect::<Result<_>>()?;
            let forms = relabelled_forms(&v[i], &blocks, (i != j).then_some(&v[j]))?;
            for ((k, form), found) in blocks.iter().zip(forms).zip(&mut found) {
                let form = if i == j { form } else { map(&form, Map::Affine { scale: 2.0, shift: 0.0 })? };
                add(&mut found.quadratic, form)?;
                add(&mut found.rows[j], reduce(k, Along::EachColumn, Reduction::Sum)?)?;
                add(&mut found.squares[j], reduce(k, Along::EachColumn, Reduction::SumSquares)?)?;
                if i != j {
                    add(&mut found.rows[i], transpose(&reduce(k, Along::EachRow, Reduction::Sum)?)?)?;
                    add(
                        &mut found.squares[i],
                        transpose(&reduce(k, Along::EachRow, Reduction::SumSquares)?)?,
                    )?;
                }
            }
        }
        kernels.iter().try_for_each(|_| steps.made())?;
    }
    Ok(found)
}

fn add(to: &mut Option<Matrix>, more: Matrix) -> Result<()> {
    *to = Some(match to.take() {
        None => more,
        Some(sum) => zip(&sum, &more, Zip::Add)?,
    });
    Ok(())
}

impl Sums {
    /// A diagonal block without its diagonal, which is kept.
    fn without_diagonal(&mut self, k: &Matrix) -> Result<Matrix> {
        let own = diagonal(k)?;
        self.diagonal.push(transpose(&own)?);
        add_diagonal_vector(k, &map(&own, Map::Affine { scale: -1.0, shift: 0.0 })?)
    }

    /// Everything on the host, in one read-back; the forms alone unless `all`.
    fn read(sums: Vec<Sums>, windows: &[Range<usize>], all: bool) -> Result<Vec<Forms>> {
        let mut matrices: Vec<&Matrix> = Vec::new();
        for own in &sums {
            matrices.extend(&own.quadratic);
            if all {
                matrices.extend(own.rows.iter().chain(&own.squares).flatten().chain(&own.diagonal));
            }
        }
        let mut arrays = Matrix::to_arrays(&matrices)?.into_iter();
        let mut next = |count: usize| -> Vec<f64> { arrays.by_ref().take(count).flatten().collect() };
        let each = if all { windows.len() } else { 0 };
        let forms = sums.iter().map(|_| {
            let (quadratic, rows) = (next(1), next(each));
            let (squares, diagonal) = (next(each).iter().sum(), next(each));
            Forms { quadratic, rows, diagonal, squares }
        });
        Ok(forms.collect())
    }
}
