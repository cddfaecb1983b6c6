//! Data less a mean, in blocks of rows on a device: centred in f64 before a GPU rounds it to f32.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Zip, s};
use rayon::prelude::*;

use crate::host::memory::mirror_lower;
use crate::matrix::points::suited;
use crate::matrix::window::windows;
use crate::ops::{Trans, accumulate_lower_alone, gemm};
use crate::{Device, Matrix, Result};

/// Entries of a block: on the CPU it stays in the last cache, on a GPU it is worth the launch.
const CPU_BLOCK: usize = 1 << 20;
const GPU_BLOCK: usize = 1 << 22;
/// Rows that one task adds up or centres.
const TASK: usize = 128;
/// Shares of the rows whose products are summed apart, and the most columns for which their sums are small.
const LANES: usize = 8;
const FEW_COLUMNS: usize = 512;

/// The blocks of rows that data with `d` columns is cut into.
pub(super) fn blocks(device: &Device, n: usize, d: usize) -> impl Iterator<Item = Range<usize>> {
    let entries = if device.is_gpu() { GPU_BLOCK } else { CPU_BLOCK };
    windows(n, (entries / d).max(TASK))
}

/// Whether products of so many columns are best made by [`scatter`].
pub(super) fn in_one_pass(device: &Device, d: usize) -> bool {
    !device.is_gpu() && d <= FEW_COLUMNS
}

/// The mean of each column; the same bits however many threads there are.
pub(super) fn mean(x: ArrayView2<f64>) -> Array1<f64> {
    let (n, d) = x.dim();
    let starts: Vec<usize> = (0..n).step_by(TASK).collect();
    let part = |&from: &usize| {
        let mut sums = vec![0.0; d];
        for row in x.slice(s![from..n.min(from + TASK), ..]).rows() {
            match row.as_slice() {
                Some(row) => sums.iter_mut().zip(row).for_each(|(s, v)| *s += v),
                None => sums.iter_mut().zip(row).for_each(|(s, v)| *s += v),
            }
        }
        sums
    };
    total(starts.par_iter().map(part).collect(), d) / n as f64
}

fn total(parts: Vec<Vec<f64>>, d: usize) -> Array1<f64> {
    let mut total = Array1::<f64>::zeros(d);
    for part in &parts {
        total += &ArrayView1::from(part);
    }
    total
}

/// `X - 1 c^T` on the host, and the sum of each of its columns.
pub(super) fn shifted(x: ArrayView2<f64>, c: ArrayView1<f64>) -> (Array2<f64>, Array1<f64>) {
    let (n, d) = x.dim();
    let mut out = vec![0.0; n * d];
    let c = c.to_vec();
    let part = |(task, to): (usize, &mut [f64])| {
        let mut sums = vec![0.0; d];
        for (to, from) in to.chunks_exact_mut(d).zip(x.slice(s![task * TASK.., ..]).rows()) {
            match from.as_slice() {
                Some(from) => to.iter_mut().zip(from).zip(&c).for_each(|((t, v), c)| *t = v - c),
                None => to.iter_mut().zip(from).zip(&c).for_each(|((t, v), c)| *t = v - c),
            }
            sums.iter_mut().zip(to).for_each(|(s, t)| *s += *t);
        }
        sums
    };
    let parts = out.par_chunks_mut((TASK * d).max(1)).enumerate().map(part).collect();
    (Array2::from_shape_vec((n, d), out).expect("as many entries as x"), total(parts, d))
}

/// `Σ (x_i - c)(x_i - c)^T` and `Σ (x_i - c)` of few columns, on the host: a few rows are centred, multiplied and
/// forgotten. The shares of the rows and their order are fixed, so that the bits do not depend on the number of threads.
pub(super) fn scatter(x: ArrayView2<f64>, c: ArrayView1<f64>) -> (Array2<f64>, Array1<f64>) {
    let (n, d) = x.dim();
    let share = |lane: Range<usize>| {
        let (mut sums, mut scatter) = (Array1::<f64>::zeros(d), Array2::<f64>::zeros((d, d)));
        let mut room = Array2::<f64>::zeros((TASK, d));
        for rows in windows(lane.len(), TASK) {
            let from = x.slice(s![lane.start + rows.start..lane.start + rows.end, ..]);
            let mut z = room.slice_mut(s![..rows.len(), ..]);
            for (mut z, x) in z.rows_mut().into_iter().zip(from.rows()) {
                Zip::from(&mut z).and(&x).and(&c).for_each(|z, x, c| *z = x - c);
                sums += &z;
            }
            accumulate_lower_alone(z.t(), z.view(), scatter.view_mut());
        }
        (scatter, sums)
    };
    let lanes: Vec<Range<usize>> = windows(n, n.div_ceil(LANES)).collect();
    let parts: Vec<_> = lanes.into_par_iter().map(share).collect();
    let empty = (Array2::zeros((d, d)), Array1::zeros(d));
    let (mut scatter, sums) = parts.into_iter().reduce(|a, b| (a.0 + b.0, a.1 + b.1)).unwrap_or(empty);
    mirror_lower(&mut scatter);
    (scatter, sums)
}

/// `X - 1 mean^T` on the host.
pub(super) fn less(x: ArrayView2<f64>, mean: ArrayView1<f64>) -> Array2<f64> {
    shifted(x, mean).0
}

/// The mean of the first rows: close enough to that of all of them to centre by while it is not known.
pub(super) fn glimpse(x: ArrayView2<f64>) -> Array1<f64> {
    mean(x.slice(s![..x.nrows().min(TASK), ..]))
}

/// `X - 1 mean^T` on the device.
pub(super) fn on(device: &Device, x: ArrayView2<f64>, mean: ArrayView1<f64>) -> Result<Matrix> {
    place(device, less(x, mean))
}

/// A host array of finite entries, on the device.
pub(super) fn place(device: &Device, a: Array2<f64>) -> Result<Matrix> {
    if device.is_gpu() {
        Matrix::upload("Matrix::upload", device, a.view())
    } else {
        Ok(Matrix::from_host(a))
    }
}

/// `(X - 1 mean^T) B` for `b`, `d x k`: a block of rows at a time.
pub(super) fn project(
    device: &Device,
    x: ArrayView2<f64>,
    mean: ArrayView1<f64>,
    b: ArrayView2<f64>,
) -> Result<Array2<f64>> {
    let (n, d) = x.dim();
    let mut out = Array2::zeros((n, b.ncols()));
    let device = &suited(device, x, 2.0 * x.len() as f64 * b.ncols() as f64);
    let b = place(device, b.as_standard_layout().into_owned())?;
    for rows in blocks(device, n, d) {
        let block = on(device, x.slice(s![rows.clone(), ..]), mean)?;
        out.slice_mut(s![rows, ..]).assign(&gemm(1.0, &block, Trans::No, &b, Trans::No)?.to_array()?);
    }
    Ok(out)
}
