//! Where the inputs that go to a GPU are counted from.

use ndarray::{Array1, ArrayView2, Axis};

use crate::{Device, Kernel, Matrix, Result};

/// The mean of the rows of `x`, for a kernel that sees differences only.
///
/// `k(x - c, x' - c) = k(x, x')`, but f32 keeps seven digits of `x - c` where it keeps seven of x: without it, inputs at
/// 5e4 lengthscales from zero are those of other points. On the CPU, and for other kernels, there is none.
pub(super) fn origin(device: &Device, kernel: &Kernel, x: ArrayView2<f64>) -> Option<Array1<f64>> {
    if device.is_gpu() && kernel.is_stationary() { x.mean_axis(Axis(0)) } else { None }
}

/// `x` on a device, counted from there.
pub(super) fn upload(device: &Device, x: ArrayView2<f64>, origin: Option<&Array1<f64>>) -> Result<Matrix> {
    match origin {
        None => Matrix::from_array(device, x),
        Some(c) => Matrix::from_array(device, (&x - c).view()),
    }
}
