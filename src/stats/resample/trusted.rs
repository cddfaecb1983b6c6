//! When a GPU's answer is kept: never one that is not a number, and never one that f32 cannot tell from another.

use ndarray::ArrayView2;

use crate::matrix::{Origin, Points};
use crate::{Device, Error, Kernel, Result};

/// The number, or the error of a statistic that is NaN or infinite.
pub(in crate::stats) fn finite(op: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(not_finite(op, value)) }
}

fn not_finite(op: &'static str, value: f64) -> Error {
    let requirement = "kernel values and their sums must be finite: scale the data, or use a bounded kernel";
    Error::Parameter { name: format!("the statistic of {op}"), value, requirement }
}

/// What `attempt` finds on the device; on the CPU if f32 does not hold it, which is what `None` says.
pub(in crate::stats) fn trusted<T>(
    op: &'static str,
    device: &Device,
    attempt: impl Fn(&Device) -> Result<Option<T>>,
) -> Result<T> {
    if device.is_gpu()
        && let Some(found) = attempt(device)?
    {
        return Ok(found);
    }
    attempt(&Device::cpu())?.ok_or_else(|| not_finite(op, f64::NAN))
}

/// A number that is computed on the device, or on the CPU if f32 cannot hold it.
pub(in crate::stats) fn number_on(
    op: &'static str,
    device: &Device,
    compute: impl Fn(&Device) -> Result<f64>,
) -> Result<f64> {
    let there = compute(device)?;
    if device.is_gpu() && !there.is_finite() {
        return finite(op, compute(&Device::cpu())?);
    }
    finite(op, there)
}

/// By what part of its terms f32 may move a sum over pairs of n points.
pub(in crate::stats) fn rounding(n: usize) -> f64 {
    f64::from(f32::EPSILON) * (n as f64).sqrt()
}

/// Where points may be measured from that all of these kernels see.
pub(in crate::stats) fn origin_of(kernels: &[Kernel]) -> Origin {
    let free = kernels.iter().all(|k| k.origin() == Origin::Free);
    if free { Origin::Free } else { Origin::Fixed }
}

/// Two sets of points that are computed with together, on one device.
pub(in crate::stats) fn same_device(
    op: &'static str,
    device: &Device,
    (x, of_x): (ArrayView2<f64>, Origin),
    (y, of_y): (ArrayView2<f64>, Origin),
    flops: f64,
) -> Result<(Points, Points)> {
    let first = Points::new(op, device, x, of_x, flops)?;
    let second = Points::new(op, first.device(), y, of_y, flops)?;
    if first.device() == second.device() {
        return Ok((first, second));
    }
    Ok((Points::new(op, &Device::cpu(), x, of_x, flops)?, second))
}
