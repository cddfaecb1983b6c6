//! Observations on their device, in chunks of rows.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::linalg::Anchor;
use crate::matrix::window::windows;
use crate::check::pairs;
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
    /// x where it is computed with.
    pub parts: Vec<Part>,
    /// What x and Z are relative to there.
    pub anchor: Anchor,
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
        let anchor = Anchor::new(kernel, x);
        let upload = |rows: Range<usize>| {
            let x = anchor.upload(op, device, x.slice(s![rows.clone(), ..]))?;
            Ok(Part { rows, x })
        };
        let parts = windows(x.nrows(), chunk).map(upload).collect::<Result<_>>()?;
        Ok(Data { x: Matrix::from_host(x.to_owned()), y: y.to_owned(), parts, anchor })
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
