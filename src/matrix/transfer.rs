//! Matrices on their way to a device and back.

use std::sync::Arc;

use half::f16;
use ndarray::{Array2, ArrayView1, ArrayView2};

use super::{Data, Element, LANES, Matrix, OnGpu, Precision, Shared};
use crate::device::{Device, Place};
use crate::host::memory as host;
use crate::host::pool::Host;
use crate::{Error, Result};

/// How much of a column's range rounding may move a number by.
const COARSE: f64 = 1e-4;
/// A range that is rounding itself, relative to the numbers.
const CONSTANT: f64 = 1e-12;

impl Matrix {
    pub(crate) fn upload<T: Element>(op: &'static str, device: &Device, a: ArrayView2<T>) -> Result<Self> {
        let (rows, cols) = a.dim();
        if rows == 0 || cols == 0 {
            return Err(Error::Shape { op, what: format!("the matrix is empty ({rows} x {cols})") });
        }
        let largest = if device.is_gpu() { f64::from(f32::MAX) } else { f64::MAX };
        if let Some((row, col)) = host::first_beyond(a, largest) {
            return Err(Error::NotFinite { op, what: "the matrix", value: a[[row, col]].into(), row, col });
        }
        match device.place() {
            Place::Cpu => Ok(Self::from_host(host::copy(a))),
            Place::Gpu(gpu) => gpu.guard(op, || {
                let stride = cols.next_multiple_of(LANES);
                let mut padded = vec![0f32; rows * stride];
                for (to, from) in padded.chunks_exact_mut(stride).zip(a.rows()) {
                    to.iter_mut().zip(from).for_each(|(t, &f)| *t = f.into() as f32);
                }
                let buffer = gpu.upload("matrix", bytemuck::cast_slice(&padded))?;
                Ok(Self::resident(gpu, buffer, (rows, cols), Precision::Single))
            }),
        }
    }

    /// Keeps in mind that `a`, which it was made from, had differences that it has lost.
    pub(super) fn remembers<T: Element>(mut self, a: ArrayView2<T>) -> Self {
        if let Data::Gpu(on) = &mut self.data {
            on.coarse = a.columns().into_iter().position(is_coarse);
        }
        self
    }

    /// An error for points whose differences were lost when they were uploaded.
    ///
    /// # Errors
    /// [`Error::Unsupported`].
    pub(crate) fn differs(&self, op: &'static str) -> Result<()> {
        match &self.data {
            Data::Gpu(OnGpu { coarse: Some(column), .. }) => Err(Error::Unsupported {
                op,
                what: format!("what tells the numbers of column {column} apart, which f32 has rounded away,"),
                device: self.device().to_string(),
                instead: "subtract the mean of each column before the upload, change the unit, or use the CPU",
            }),
            _ => Ok(()),
        }
    }

    /// Reads it back as f64.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Timeout`], or what an earlier operation on the device left behind.
    pub fn to_array(&self) -> Result<Array2<f64>> {
        let on = match &self.data {
            Data::Cpu(a) => return Ok(host::copy(a.view())),
            Data::Gpu(on) => on,
        };
        let raw = on.gpu.download(&on.buffer, 0, self.bytes())?;
        let stride = self.cols.next_multiple_of(LANES);
        let at = |i: usize| match on.precision {
            Precision::Half => f64::from(bytemuck::pod_read_unaligned::<f16>(&raw[2 * i..2 * i + 2])),
            _ => f64::from(bytemuck::pod_read_unaligned::<f32>(&raw[4 * i..4 * i + 4])),
        };
        Ok(Array2::from_shape_fn((self.rows, self.cols), |(r, c)| at(r * stride + c)))
    }

    /// Reads several matrices of one device back at once: one wait instead of one for each.
    ///
    /// # Errors
    /// As [`Matrix::to_array`]; [`Error::DeviceMismatch`] if they live apart.
    pub(crate) fn to_arrays(all: &[&Matrix]) -> Result<Vec<Array2<f64>>> {
        let Some((first, others)) = all.split_first() else { return Ok(vec![]) };
        let gpu = match first.shared("Matrix::to_arrays", others)? {
            Shared::Gpu(gpu) if all.iter().all(|m| m.precision() == Precision::Single) => gpu,
            _ => return all.iter().map(|m| m.to_array()).collect(),
        };
        let raw = gpu.guard("Matrix::to_arrays", || {
            let bytes = all.iter().map(|m| m.bytes()).sum();
            let packed = gpu.alloc("matrix.together", bytes)?;
            let mut at = 0;
            for matrix in all {
                gpu.copy(matrix.buffer(), 0, &packed, at, matrix.bytes());
                at += matrix.bytes();
            }
            gpu.download(&packed, 0, bytes)
        })?;
        let mut rest = raw.as_slice();
        let mut arrays = Vec::with_capacity(all.len());
        for matrix in all {
            let (own, others) = rest.split_at(matrix.bytes() as usize);
            rest = others;
            let stride = matrix.cols.next_multiple_of(LANES);
            let value = |i: usize| f64::from(bytemuck::pod_read_unaligned::<f32>(&own[4 * i..4 * i + 4]));
            arrays.push(Array2::from_shape_fn((matrix.rows, matrix.cols), |(r, c)| value(r * stride + c)));
        }
        Ok(arrays)
    }

    /// The rows of `a` and below them those of `b`, where both live.
    ///
    /// # Errors
    /// [`Error::Shape`] for different numbers of columns, [`Error::DeviceMismatch`] if they live apart.
    pub(crate) fn stacked(op: &'static str, a: &Matrix, b: &Matrix) -> Result<Self> {
        if a.cols != b.cols || a.precision() != b.precision() {
            return Err(Error::Shape { op, what: format!("{} and {} columns", a.cols, b.cols) });
        }
        match a.shared(op, &[b])? {
            Shared::Cpu => {
                let (above, below) = (a.cpu().view(), b.cpu().view());
                let whole = ndarray::concatenate(ndarray::Axis(0), &[above, below]);
                whole.map(Self::from_host).map_err(|e| Error::Shape { op, what: e.to_string() })
            }
            Shared::Gpu(gpu) => gpu.guard(op, || {
                let out = Self::alloc(gpu, "matrix.stacked", (a.rows + b.rows, a.cols), a.precision())?;
                gpu.copy(a.buffer(), 0, out.buffer(), 0, a.bytes());
                gpu.copy(b.buffer(), 0, out.buffer(), a.bytes(), b.bytes());
                Ok(out)
            }),
        }
    }

    /// A copy of the last `count` rows, where the matrix lives.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn last_rows(&self, count: usize) -> Result<Self> {
        let count = count.min(self.rows);
        match self.place() {
            Shared::Cpu => {
                let part = self.cpu().slice(ndarray::s![self.rows - count.., ..]);
                Ok(Self::from_host(host::copy(part)))
            }
            Shared::Gpu(gpu) => gpu.guard("Matrix::last_rows", || {
                let out = Self::alloc(gpu, "matrix.rows", (count, self.cols), self.precision())?;
                gpu.copy(self.buffer(), self.bytes() - out.bytes(), out.buffer(), 0, out.bytes());
                Ok(out)
            }),
        }
    }

    /// [`Matrix::to_array`] without a copy, if it lives on the CPU and this is the only handle on it.
    pub(crate) fn into_array(self) -> Result<Array2<f64>> {
        match self.data {
            Data::Cpu(a) => Ok(Arc::try_unwrap(a).map_or_else(|a| host::copy(a.view()), Host::into_array)),
            Data::Gpu(_) => self.to_array(),
        }
    }

    /// The same values on another device; a handle on the same memory if it lives there already.
    ///
    /// # Errors
    /// As [`Matrix::to_array`] and [`Matrix::from_array`].
    pub fn to_device(&self, device: &Device) -> Result<Self> {
        if self.device() == *device {
            return Ok(self.clone());
        }
        match &self.data {
            Data::Cpu(a) => Self::upload("Matrix::to_device", device, a.view()),
            Data::Gpu(_) => Self::upload("Matrix::to_device", device, self.to_array()?.view()),
        }
    }
}

/// Whether f32 moves a number by too much of the range of all.
fn is_coarse<T: Element>(column: ArrayView1<T>) -> bool {
    let [mut low, mut high, mut moved] = [f64::INFINITY, f64::NEG_INFINITY, 0.0];
    for v in column {
        let v: f64 = (*v).into();
        (low, high) = (low.min(v), high.max(v));
        moved = f64::max(moved, (v - f64::from(v as f32)).abs());
    }
    let range = high - low;
    moved > COARSE * range && range > CONSTANT * low.abs().max(high.abs())
}
