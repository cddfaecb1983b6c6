//! The one place that decides when a problem is worth a trip to the GPU.

use super::{Device, Place};

/// Floating-point operations below which launch and transfer cost more than a hardware GPU saves.
///
/// A round trip is of the order of 0.1 ms; two CPU cores do about 10 Mflop in that time.
pub(super) const WORTHWHILE: f64 = 5e7;

impl Device {
    /// This device if `flops` operations are enough to pay for its round trips, else the CPU.
    ///
    /// Models ask this once, before they upload; a [`Matrix`](crate::Matrix) that is already resident stays where it is.
    /// [`DeviceOptions::threshold`](super::DeviceOptions::threshold) says how many are enough.
    #[must_use]
    pub fn suited_to(&self, flops: f64) -> Device {
        match self.place() {
            Place::Gpu(gpu) if flops < gpu.threshold() => Device::cpu(),
            _ => self.clone(),
        }
    }
}
