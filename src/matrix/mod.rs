//! A matrix that lives on a device.

pub(crate) mod host;
mod idle;
pub(crate) mod window;

use std::sync::Arc;

use half::f16;
use ndarray::{Array2, ArrayView2};

use crate::device::{Device, Place, mismatch};
use crate::gpu::{Bind, Buffer, Gpu};
use crate::{Error, Result};
use idle::Host;

/// Rows of a GPU matrix are padded with zeros to a whole number of vec4s.
const LANES: usize = 4;

/// How the elements are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Eight bytes: the CPU.
    Double,
    /// Four bytes: a GPU.
    Single,
    /// Two bytes on a GPU, read and accumulated as f32: half the memory, 11 bits of mantissa, |x| at most 65,504.
    Half,
}

/// A `rows x cols` matrix, resident on a [`Device`]: f64 on the CPU, f32 (or f16 storage) on a GPU.
///
/// Operations stay where their operands live and read nothing back until [`to_array`](Matrix::to_array).
/// A clone is another handle on the same memory; a matrix is never changed after it is made.
///
/// ```
/// use mercer::{Device, Matrix};
/// let a = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
/// let m = Matrix::from_array(&Device::cpu(), a.view())?;
/// assert_eq!(m.shape(), (2, 2));
/// assert_eq!(m.to_array()?, a);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Data,
}

#[derive(Clone)]
enum Data {
    Cpu(Arc<Host>),
    Gpu(OnGpu),
}

#[derive(Clone)]
struct OnGpu {
    gpu: Gpu,
    buffer: Arc<Buffer>,
    precision: Precision,
}

/// Two operands, seen together on the device they share.
pub(crate) enum Shared<'a> {
    Cpu,
    Gpu(&'a Gpu),
}

/// A scalar that can be uploaded: `f32` or `f64`.
pub trait Element: Copy + Into<f64> + Send + Sync + 'static {}
impl Element for f32 {}
impl Element for f64 {}

impl Matrix {
    /// Copies `a` to `device`.
    ///
    /// # Errors
    /// [`Error::Shape`] if `a` is empty, [`Error::NotFinite`] if it holds a NaN, an infinity or, on a GPU, a value
    /// beyond f32; [`Error::TooLarge`] if it exceeds the adapter's buffers.
    pub fn from_array<T: Element>(device: &Device, a: ArrayView2<T>) -> Result<Self> {
        Self::upload("Matrix::from_array", device, a)
    }

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

    /// One column from a slice.
    ///
    /// # Errors
    /// As [`Matrix::from_array`].
    pub fn column<T: Element>(device: &Device, v: &[T]) -> Result<Self> {
        let view = ArrayView2::from_shape((v.len(), 1), v)
            .map_err(|e| Error::Shape { op: "Matrix::column", what: e.to_string() })?;
        Self::upload("Matrix::column", device, view)
    }

    /// Wraps a host array without checks: for results of our own computations. Either memory order will do.
    pub(crate) fn from_host(a: Array2<f64>) -> Self {
        let (rows, cols) = a.dim();
        Matrix { rows, cols, data: Data::Cpu(Arc::new(Host::new(a))) }
    }

    pub(crate) fn resident(
        gpu: &Gpu,
        buffer: Buffer,
        (rows, cols): (usize, usize),
        precision: Precision,
    ) -> Self {
        let data = Data::Gpu(OnGpu { gpu: gpu.clone(), buffer: Arc::new(buffer), precision });
        Matrix { rows, cols, data }
    }

    /// A GPU matrix to be filled by the caller, padding included.
    pub(crate) fn alloc(
        gpu: &Gpu,
        label: &'static str,
        shape: (usize, usize),
        precision: Precision,
    ) -> Result<Self> {
        let bytes = row_bytes(shape.1, precision) * shape.0 as u64;
        Ok(Self::resident(gpu, gpu.alloc(label, bytes)?, shape, precision))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// How the elements are stored.
    pub fn precision(&self) -> Precision {
        match &self.data {
            Data::Cpu(_) => Precision::Double,
            Data::Gpu(on) => on.precision,
        }
    }

    /// Where it lives.
    pub fn device(&self) -> Device {
        match &self.data {
            Data::Cpu(_) => Device::cpu(),
            Data::Gpu(on) => Device::on(on.gpu.clone()),
        }
    }

    /// Bytes it occupies.
    pub fn bytes(&self) -> u64 {
        match &self.data {
            Data::Cpu(a) => (a.len() * size_of::<f64>()) as u64,
            Data::Gpu(on) => row_bytes(self.cols, on.precision) * self.rows as u64,
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

    /// The host array, if it lives on the CPU.
    pub(crate) fn host(&self) -> Option<&Array2<f64>> {
        match &self.data {
            Data::Cpu(a) => Some(a),
            Data::Gpu(_) => None,
        }
    }

    /// The host array of a matrix that `shared` has placed on the CPU.
    pub(crate) fn cpu(&self) -> &Array2<f64> {
        self.host().expect("the caller has established that this lives on the CPU")
    }

    /// The host array itself, if nobody else holds it, or a copy.
    pub(crate) fn into_host(self) -> Array2<f64> {
        match self.data {
            Data::Cpu(a) => {
                Arc::try_unwrap(a).map_or_else(|shared| host::copy(shared.view()), Host::into_array)
            }
            Data::Gpu(_) => unreachable!("the caller has established that this lives on the CPU"),
        }
    }

    /// The buffer of a matrix that `shared` has placed on a GPU.
    pub(crate) fn buffer(&self) -> &Buffer {
        match &self.data {
            Data::Gpu(on) => &on.buffer,
            Data::Cpu(_) => unreachable!("the caller has established that this lives on a GPU"),
        }
    }

    /// Where `self` lives.
    pub(crate) fn place(&self) -> Shared<'_> {
        match &self.data {
            Data::Cpu(_) => Shared::Cpu,
            Data::Gpu(on) => Shared::Gpu(&on.gpu),
        }
    }

    /// Where all of them live.
    pub(crate) fn shared<'a>(&'a self, op: &'static str, others: &[&Matrix]) -> Result<Shared<'a>> {
        for other in others {
            let same = match (&self.data, &other.data) {
                (Data::Cpu(_), Data::Cpu(_)) => true,
                (Data::Gpu(a), Data::Gpu(b)) => a.gpu.same(&b.gpu),
                _ => false,
            };
            if !same {
                return Err(mismatch(op, &self.device(), &other.device()));
            }
        }
        Ok(self.place())
    }

    /// vec4s in one row on the GPU.
    pub(crate) fn vec4s(&self) -> usize {
        self.cols.div_ceil(LANES)
    }

    /// A window of rows may start at a multiple of this: a power of two, at most 32.
    pub(crate) fn row_align(&self) -> usize {
        let row = row_bytes(self.cols, self.precision());
        (OFFSET_ALIGN >> row.trailing_zeros().min(OFFSET_ALIGN.trailing_zeros())) as usize
    }

    /// Rows `from..to` as a binding; `from` must be a multiple of [`Matrix::row_align`].
    pub(crate) fn rows_bind(&self, from: usize, to: usize) -> Bind<'_> {
        let row = row_bytes(self.cols, self.precision());
        self.buffer().part(from as u64 * row, (to - from) as u64 * row)
    }

    pub(crate) fn bind(&self) -> Bind<'_> {
        self.buffer().whole()
    }
}

/// What WebGPU asks of a binding's offset, in bytes.
const OFFSET_ALIGN: u64 = 256;

pub(crate) fn row_bytes(cols: usize, precision: Precision) -> u64 {
    let element = if precision == Precision::Half { 2 } else { 4 };
    (cols.next_multiple_of(LANES) * element) as u64
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Matrix({} x {}, {:?}, {})", self.rows, self.cols, self.precision(), self.device())
    }
}
