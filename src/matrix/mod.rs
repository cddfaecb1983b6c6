//! A matrix that lives on a device.

pub(crate) mod points;
mod sparse;
mod transfer;
pub(crate) mod window;

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};

use crate::device::{Device, mismatch};
use crate::gpu::{Bind, Buffer, Gpu};
use crate::host::memory as host;
pub use crate::host::memory::Element;
use crate::host::pool::Host;
use crate::{Error, Result};

#[cfg(test)]
pub(crate) use points::shift;
pub(crate) use points::{Origin, Points};
pub use sparse::SparseMatrix;

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
    /// What made this matrix found on the way, and what uses it would have to find again.
    inverses: Option<Arc<Matrix>>,
    /// A column whose differences are lost in f32.
    coarse: Option<usize>,
}

/// Two operands, seen together on the device they share.
pub(crate) enum Shared<'a> {
    Cpu,
    Gpu(&'a Gpu),
}

impl Matrix {
    /// Copies `a` to `device`; a GPU holds it in f32. Points far from the origin lose what tells them apart there: verbs
    /// that need the differences of rows then refuse, models shift their data first.
    ///
    /// # Errors
    /// [`Error::Shape`] if `a` is empty, [`Error::NotFinite`] if it holds a NaN, an infinity or, on a GPU, a value
    /// beyond f32; [`Error::TooLarge`] if it exceeds the adapter's buffers.
    pub fn from_array<T: Element>(device: &Device, a: ArrayView2<T>) -> Result<Self> {
        Ok(Self::upload("Matrix::from_array", device, a)?.remembers(a))
    }

    /// One column from a slice.
    ///
    /// # Errors
    /// As [`Matrix::from_array`].
    pub fn column<T: Element>(device: &Device, v: &[T]) -> Result<Self> {
        let view = ArrayView2::from_shape((v.len(), 1), v)
            .map_err(|e| Error::Shape { op: "Matrix::column", what: e.to_string() })?;
        Ok(Self::upload("Matrix::column", device, view)?.remembers(view))
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
        let data = Data::Gpu(OnGpu {
            gpu: gpu.clone(),
            buffer: Arc::new(buffer),
            precision,
            inverses: None,
            coarse: None,
        });
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

    /// This triangular matrix on a GPU, together with the transposed inverses of its diagonal blocks.
    pub(crate) fn with_inverses(mut self, inverses: Matrix) -> Self {
        if let Data::Gpu(on) = &mut self.data {
            on.inverses = Some(Arc::new(inverses));
        }
        self
    }

    /// The transposed inverses of the diagonal blocks, one below the other, if they are known.
    pub(crate) fn inverses(&self) -> Option<&Matrix> {
        self.on_gpu()?.inverses.as_deref()
    }

    /// The only handle on its memory, by a copy if there are others.
    pub(crate) fn make_own(&mut self) -> Result<()> {
        let alone = match &self.data {
            Data::Cpu(a) => Arc::strong_count(a) == 1,
            Data::Gpu(on) => Arc::strong_count(&on.buffer) == 1,
        };
        if !alone {
            *self = self.copied()?;
        }
        Ok(())
    }

    /// Another matrix with the same entries, where this one lives.
    pub(crate) fn copied(&self) -> Result<Self> {
        match &self.data {
            Data::Cpu(a) => Ok(Self::from_host(host::copy(a.view()))),
            Data::Gpu(on) => on.gpu.guard("Matrix::copied", || {
                let out = Self::alloc(&on.gpu, "matrix.copy", self.shape(), on.precision)?;
                on.gpu.copy(&on.buffer, 0, out.buffer(), 0, self.bytes());
                Ok(out)
            }),
        }
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
        self.on_gpu().map_or(Precision::Double, |on| on.precision)
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

    /// What there is of it on a GPU, if it lives on one.
    fn on_gpu(&self) -> Option<&OnGpu> {
        match &self.data {
            Data::Cpu(_) => None,
            Data::Gpu(on) => Some(on),
        }
    }

    /// The buffer of a matrix that `shared` has placed on a GPU.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.on_gpu().expect("the caller has established that this lives on a GPU").buffer
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
