//! Where the origin lies when f32 sees the inputs.

use ndarray::{Array1, ArrayView2, Axis};

use crate::{Device, Kernel};

/// What to subtract from the inputs before they go to `device`: the mean of x if the device rounds them to f32 and the
/// kernel sees differences only. Far from the origin f32 would displace the points, by 1e-7 of their distance from it.
pub(super) fn origin(device: &Device, kernel: &Kernel, x: ArrayView2<f64>) -> Array1<f64> {
    let moved = device.is_gpu() && kernel.is_stationary();
    let mean = x.mean_axis(Axis(0)).filter(|m| moved && m.iter().all(|v| v.is_finite()));
    mean.unwrap_or_else(|| Array1::zeros(x.ncols()))
}
