//! Inputs on their way to a device: f64 on the host, f32 on a GPU, shifted, and only where that is worth it and harmless.
//!
//! In f32 the neighbours of 50,000 are 0.004 away, and the square of 1e20 is infinite: rounded as they are, points far
//! from the origin or of unusual units become other points. So the middle of the data is subtracted in f64 where a method
//! sees differences only, and data that f32 would change all the same stay on the CPU. Checked in `tests/kernel_methods/shifted.rs`
//! through models, and by the conformance test on data shifted and scaled.

use std::sync::{Arc, OnceLock};

use ndarray::{Array1, ArrayView1, ArrayView2, Axis};

use super::Matrix;
use crate::{Device, Result};

/// Largest distance from the origin of values whose squares and sums f32 holds.
const FARTHEST: f64 = 1e15;
/// Smallest such distance: squares of a thousandth of it are still normal numbers.
const NEAREST: f64 = 1e-15;
/// Distance from the origin, in ranges of a feature, beyond which rounding to f32 moves points by more than 1e-4 of it.
const RANGES: f64 = 1.6e3;

/// Where a method measures its inputs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Anywhere: only differences between points matter, or the method adds the shift back itself.
    Free,
    /// The origin as it is: a linear kernel, counts, features of a map.
    Fixed,
}

/// `n x d` points: f64 on the host, and on a device what that device computes with. A clone is another handle.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    device: Device,
    /// Whether they are on the CPU because f32 would change them.
    unfit: bool,
    shift: Array1<f64>,
    host: Matrix,
    resident: Arc<OnceLock<Matrix>>,
}

impl Points {
    /// Copies `x`. Computations on it run on `device` if `flops` operations are worth it and f32 holds the points, else
    /// on the CPU: [`Points::device`] says which.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if `x` is empty, [`Error::NotFinite`](crate::Error::NotFinite).
    pub fn new(
        op: &'static str,
        device: &Device,
        x: ArrayView2<f64>,
        origin: Origin,
        flops: f64,
    ) -> Result<Self> {
        let host = Matrix::upload(op, &Device::cpu(), x)?;
        let shift = shift(x, origin);
        let suited = device.suited_to(flops);
        let unfit = suited.is_gpu() && !fits_f32(x, &shift, origin);
        let device = if unfit { Device::cpu() } else { suited };
        Ok(Points { device, unfit, shift, host, resident: Arc::default() })
    }

    /// The same on `device`, whatever f32 does to the points: for a caller who measures that.
    ///
    /// # Errors
    /// As [`Points::new`].
    pub fn on(op: &'static str, device: &Device, x: ArrayView2<f64>, origin: Origin) -> Result<Self> {
        let host = Matrix::upload(op, &Device::cpu(), x)?;
        let (device, shift) = (device.clone(), shift(x, origin));
        Ok(Points { device, unfit: false, shift, host, resident: Arc::default() })
    }

    /// Whether they stay on the CPU, although a GPU would be worth it, because f32 would change them.
    pub fn unfit(&self) -> bool {
        self.unfit
    }

    /// Where computations on the points run.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same points for computations in f64 on the CPU.
    pub fn on_cpu(&self) -> Self {
        Points { device: Device::cpu(), resident: Arc::default(), ..self.clone() }
    }

    /// The points in f64.
    pub fn host(&self) -> ArrayView2<'_, f64> {
        self.host.cpu().view()
    }

    /// The points as a matrix on the CPU, in f64.
    pub fn on_host(&self) -> &Matrix {
        &self.host
    }

    /// What is subtracted from each feature on a GPU.
    pub fn shift(&self) -> &Array1<f64> {
        &self.shift
    }

    /// What has been subtracted from the points of [`Points::matrix`]: zero on the CPU.
    pub fn offset(&self) -> Array1<f64> {
        if self.device.is_gpu() { self.shift.clone() } else { Array1::zeros(self.shift.len()) }
    }

    /// The points where computations run: as they are on the CPU, shifted on a GPU. Uploaded at the first call.
    ///
    /// # Errors
    /// Those of the device.
    pub fn matrix(&self) -> Result<&Matrix> {
        if !self.device.is_gpu() {
            return Ok(&self.host);
        }
        if let Some(there) = self.resident.get() {
            return Ok(there);
        }
        let there = self.like("Points::matrix", self.host())?;
        Ok(self.resident.get_or_init(|| there))
    }

    /// Other points of the same space, seen from the same origin, on the same device.
    ///
    /// # Errors
    /// As [`Matrix::from_array`].
    pub fn like(&self, op: &'static str, y: ArrayView2<f64>) -> Result<Matrix> {
        if self.device.is_gpu() {
            Matrix::upload(op, &self.device, (&y - &self.shift).view())
        } else {
            Matrix::upload(op, &self.device, y)
        }
    }
}

/// Where computations on points run that a method shifts itself, by about their middle.
pub(crate) fn suited(device: &Device, x: ArrayView2<f64>, flops: f64) -> Device {
    chosen(device, x, &shift(x, Origin::Free), Origin::Free, flops)
}

fn chosen(device: &Device, x: ArrayView2<f64>, shift: &Array1<f64>, origin: Origin, flops: f64) -> Device {
    let suited = device.suited_to(flops);
    if suited.is_gpu() && fits_f32(x, shift, origin) { suited } else { Device::cpu() }
}

/// What to subtract: about the middle of each feature, or nothing.
pub(crate) fn shift(x: ArrayView2<f64>, origin: Origin) -> Array1<f64> {
    match origin {
        Origin::Free => x.axis_iter(Axis(1)).map(middle).collect(),
        Origin::Fixed => Array1::zeros(x.ncols()),
    }
}

/// Whether f32 holds the shifted points so well that nobody would see the difference.
fn fits_f32(x: ArrayView2<f64>, shift: &Array1<f64>, origin: Origin) -> bool {
    x.axis_iter(Axis(1)).zip(shift).all(|(column, shift)| {
        let (low, high) = extent(column);
        let reach = (low - shift).abs().max((high - shift).abs());
        let of_usual_size = reach == 0.0 || (NEAREST..=FARTHEST).contains(&reach);
        let range = high - low;
        let resolved = origin == Origin::Free || range == 0.0 || reach <= RANGES * range;
        of_usual_size && resolved
    })
}

fn extent(column: ArrayView1<f64>) -> (f64, f64) {
    column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)))
}

/// Near the middle of a column, on a grid so coarse that what f32 holds exactly it still holds exactly when shifted; the
/// origin if that is as near.
pub(crate) fn middle(column: ArrayView1<f64>) -> f64 {
    let (low, high) = extent(column);
    let range = high - low;
    if range == 0.0 {
        return low;
    }
    let step = (range.log2().floor() - 2.0).exp2();
    let middle = ((0.5 * low + 0.5 * high) / step).round() * step;
    if middle.is_finite() { middle } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::{Origin, fits_f32, middle, shift};

    #[test]
    fn the_middle_is_near_and_even() {
        for (low, high) in [(50_000.0, 50_003.0), (-1.0, 1.0), (0.0, 7.0), (1e-9, 2e-9), (-3e5, -2e5)] {
            let found = middle(array![low, high].view());
            let (range, off) = (high - low, (found - 0.5 * (low + high)).abs());
            assert!(off <= 0.126 * range, "{low} to {high}: {found}");
        }
        assert_eq!(middle(array![-1.0, 1.2].view()), 0.0);
        assert_eq!(middle(array![5e4].view()), 5e4);
        assert_eq!(middle(array![-1.7e308, 1.7e308].view()), 0.0);
    }

    #[test]
    fn what_f32_would_change_is_known() {
        let fits = |x: &ndarray::Array2<f64>, origin| fits_f32(x.view(), &shift(x.view(), origin), origin);
        let far = array![[1.7e9, 1.0], [1.7e9 + 60.0, 2.0]];
        assert!(fits(&far, Origin::Free) && !fits(&far, Origin::Fixed));
        assert!(fits(&array![[1.0, 3.0], [1.0, 4.0]], Origin::Fixed));
        for size in [1e-25, 1e25] {
            assert!(!fits(&array![[0.0], [size]], Origin::Free), "{size}");
        }
    }
}
