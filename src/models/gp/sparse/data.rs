//! Observations on their device, in chunks of rows.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::matrix::window::windows;
use crate::models::check::pairs;
use crate::{Device, Kernel, Matrix, Result};

/// Bytes of f64 that one chunk of A may take on the host.
const CHUNK_BYTES: usize = 16 << 20;

/// Rows of x in a chunk, for m inducing points.
pub(super) fn chunk(m: usize) -> usize {
    (CHUNK_BYTES / (8 * m.max(1))).clamp(64, 1 << 16)
}

/// Checked observations.
pub(super) struct Data {
    /// `n x d`, on the CPU in f64.
    pub x: Matrix,
    /// `n x p`.
    pub y: Array2<f64>,
    /// x less the origin, where it is computed with.
    pub parts: Vec<Part>,
    /// What the device does not see of x and Z.
    pub origin: Array1<f64>,
}

/// Some rows of x on the device.
pub(super) struct Part {
    pub rows: Range<usize>,
    pub x: Matrix,
}

impl Data {
    pub fn new(
        op: &'static str,
        device: &Device,
        kernel: &Kernel,
        x: ArrayView2<f64>,
        y: ArrayView2<f64>,
        chunk: usize,
    ) -> Result<Self> {
        pairs(op, x, y)?;
        let origin = origin(device, kernel, x);
        let parts = parts(op, device, x, &origin, chunk)?;
        Ok(Data { x: Matrix::from_host(x.to_owned()), y: y.to_owned(), parts, origin })
    }

    pub fn n(&self) -> usize {
        self.y.nrows()
    }

    /// Outputs.
    pub fn p(&self) -> usize {
        self.y.ncols()
    }
}

/// The rows of x, less the origin, in chunks on the device.
fn parts(
    op: &'static str,
    device: &Device,
    x: ArrayView2<f64>,
    origin: &Array1<f64>,
    chunk: usize,
) -> Result<Vec<Part>> {
    let upload = |rows: Range<usize>| {
        let x = Matrix::upload(op, device, (&x.slice(s![rows.clone(), ..]) - origin).view())?;
        Ok(Part { rows, x })
    };
    windows(x.nrows(), chunk).map(upload).collect()
}

/// What to subtract from the inputs before they go to `device`: the mean of x if the device rounds them to f32 and the
/// kernel sees differences only. Far from the origin f32 would displace the points, by 1e-7 of their distance from it.
fn origin(device: &Device, kernel: &Kernel, x: ArrayView2<f64>) -> Array1<f64> {
    let moved = device.is_gpu() && kernel.is_stationary();
    let mean = x.mean_axis(Axis(0)).filter(|m| moved && m.iter().all(|v| v.is_finite()));
    mean.unwrap_or_else(|| Array1::zeros(x.ncols()))
}

/// One row as a matrix on the device.
pub(super) fn row(device: &Device, values: Array1<f64>) -> Result<Matrix> {
    Matrix::upload("SparseGpRegressor", device, values.insert_axis(Axis(0)).view())
}
