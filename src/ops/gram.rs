//! Kernel (Gram) matrices: `K[i, j] = k(x_i, y_j)`.
//!
//! The definition is [`Kernel::value`]; the CPU path runs the kernel's program over tiles of pairs on every core, the
//! GPU path `shaders/gram.wgsl`. Both are checked against it in `tests/ops/gram.rs`.

mod on_cpu;
mod on_gpu;

use on_cpu::cpu;
pub(crate) use on_cpu::gram_lower;
pub(super) use on_cpu::{Ready, STRIP};
use on_gpu::on_gpu;
pub(super) use on_gpu::{Loaded, Params, fill, per_pair};

use super::{require, to_half};
use crate::matrix::Shared;
use crate::{Kernel, Matrix, Precision, Result};

pub(super) const TILE: usize = 64; // `TILE` in the shaders
pub(super) const DEPTH: usize = 4; // `DEPTH` in the shaders

/// `K[i, j] = k(x_i, y_j)`: `n x m` from the rows of `x` (`n x d`) and `y` (`m x d`).
///
/// Without `y` it is the symmetric Gram matrix of `x`: computed once for each pair, exactly symmetric, and with any
/// white noise on its diagonal.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if the kernel or the operands disagree about the features,
/// [`Error::Parameter`](crate::Error::Parameter) for a hyper-parameter outside its domain,
/// [`Error::Unsupported`](crate::Error::Unsupported) for a kernel that the GPU cannot run, and for a stationary one of points
/// on a GPU whose differences f32 has lost,
/// [`Error::TooLarge`](crate::Error::TooLarge) if K exceeds the adapter's largest buffer (then use
/// [`gram_vec`](super::gram_vec())), [`Error::Overflow`](crate::Error::Overflow) for a value beyond f64 on the CPU. A GPU
/// holds infinities or NaN for what is beyond f32: to find out would mean reading back, which is left to what uses K.
///
/// ```
/// use mercer::{Device, Kernel, Matrix, ops::gram};
/// let x = Matrix::column(&Device::cpu(), &[0.0, 1.0])?;
/// let k = gram(&Kernel::rbf(1.0), &x, None)?.to_array()?;
/// assert_eq!(k[[0, 0]], 1.0);
/// assert!((k[[0, 1]] - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn gram(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>) -> Result<Matrix> {
    match check_points("gram", x, y, kernel.is_stationary())? {
        Shared::Cpu => cpu(kernel, x.cpu(), y.map(Matrix::cpu)).map(Matrix::from_host),
        Shared::Gpu(gpu) => gpu.guard("gram", || on_gpu(gpu, kernel, x, y, Precision::Single)),
    }
}

/// [`gram()`] stored in half precision: values are rounded to 11 bits as they are stored, an absolute error of at most
/// 2.5e-4 for a kernel bounded by one, in half the memory.
///
/// # Errors
/// As [`gram()`].
pub fn gram_half(kernel: &Kernel, x: &Matrix, y: Option<&Matrix>) -> Result<Matrix> {
    match check_points("gram", x, y, kernel.is_stationary())? {
        Shared::Cpu => to_half(&gram(kernel, x, y)?),
        Shared::Gpu(gpu) => gpu.guard("gram", || on_gpu(gpu, kernel, x, y, Precision::Half)),
    }
}

pub(super) fn check<'a>(op: &'static str, x: &'a Matrix, y: Option<&Matrix>) -> Result<Shared<'a>> {
    if let Some(y) = y {
        let (p, q) = (x.cols(), y.cols());
        require(op, p == q, || format!("x has {p} features, y has {q}"))?;
    }
    x.shared(op, y.as_slice())
}

/// [`check`] of points whose differences matter, if those do.
pub(super) fn check_points<'a>(
    op: &'static str,
    x: &'a Matrix,
    y: Option<&Matrix>,
    differences: bool,
) -> Result<Shared<'a>> {
    if differences {
        x.differs(op)?;
        y.map_or(Ok(()), |y| y.differs(op))?;
    }
    check(op, x, y)
}
