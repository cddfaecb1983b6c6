//! Observations on their device, in chunks of rows.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::check::pairs;
use crate::matrix::Points;
use crate::matrix::window::windows;
use crate::{Device, Kernel, Matrix, Result};

/// Bytes of f64 that one chunk of A may take on the host.
const CHUNK_BYTES: usize = 16 << 20;

/// Rows of x in a chunk, for m inducing points.
pub(super) fn chunk(m: usize) -> usize {
    (CHUNK_BYTES / (8 * m.max(1))).clamp(64, 1 << 16)
}

/// Checked observations.
pub(super) struct Data {
    /// x, and where it is computed with.
    pub points: Points,
    /// `n x p`.
    pub y: Array2<f64>,
    /// x where it is computed with, a chunk each.
    pub parts: Vec<Part>,
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
        let points = Points::new(op, device, x, kernel.origin(), f64::INFINITY)?;
        let upload = |rows: Range<usize>| {
            let x = points.like(op, x.slice(s![rows.clone(), ..]))?;
            Ok(Part { rows, x })
        };
        let parts = windows(x.nrows(), chunk).map(upload).collect::<Result<_>>()?;
        Ok(Data { points, y: y.to_owned(), parts })
    }

    /// Where it is computed with.
    pub fn device(&self) -> &Device {
        self.points.device()
    }

    pub fn n(&self) -> usize {
        self.y.nrows()
    }

    /// Outputs.
    pub fn p(&self) -> usize {
        self.y.ncols()
    }
}

/// One row as a matrix on the device.
pub(super) fn row(device: &Device, values: Array1<f64>) -> Result<Matrix> {
    Matrix::upload("SparseGpRegressor", device, values.insert_axis(Axis(0)).view())
}
