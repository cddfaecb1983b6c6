//! Where a computation runs.
//!
//! ```
//! use mercer::Device;
//! let device = Device::best(); // a hardware GPU if there is one, else the CPU
//! println!("running on {device}");
//! # assert!(!device.to_string().is_empty());
//! ```

mod adapter;
mod card;
mod counters;
mod options;
mod threshold;

use std::fmt;

pub use adapter::{Adapter, AdapterKind};
pub use card::Card;
pub use counters::Counters;
pub use options::{DeviceOptions, LimitPolicy};

use crate::gpu::Gpu;
pub use crate::gpu::{Limits, ProductShape};
use crate::{Error, Result};

/// A place to compute: the CPU in f64, or one GPU in f32. Cheap to clone; clones share pipelines and memory.
#[derive(Clone)]
pub struct Device(Place);

#[derive(Clone)]
pub(crate) enum Place {
    Cpu,
    Gpu(Gpu),
}

impl Device {
    /// The CPU: f64, every core.
    pub fn cpu() -> Self {
        Device(Place::Cpu)
    }

    /// The adapter that `WGPU_ADAPTER_NAME` names, else the best one there is, software adapters last.
    ///
    /// # Errors
    /// [`Error::NoGpu`] if there is none.
    pub fn gpu() -> Result<Self> {
        DeviceOptions::new().open()
    }

    /// A hardware GPU if there is one, else the CPU. Never a software adapter: our own CPU path is ten times faster.
    pub fn best() -> Self {
        let hardware = |adapter: &Adapter| adapter.kind != AdapterKind::Software && adapter.usable;
        let gpu = if std::env::var_os("WGPU_ADAPTER_NAME").is_some() {
            Self::gpu().ok().filter(|device| device.adapter().is_some_and(hardware))
        } else {
            let best = Self::adapters().into_iter().filter(hardware).min_by_key(|adapter| adapter.kind);
            best.and_then(|adapter| DeviceOptions::new().index(adapter.index).open().ok())
        };
        gpu.unwrap_or_else(Self::cpu)
    }

    /// The first adapter whose name contains `name`, whatever the case; "cpu" is the CPU.
    ///
    /// # Errors
    /// [`Error::NoGpu`] if none does.
    pub fn named(name: &str) -> Result<Self> {
        if name.eq_ignore_ascii_case("cpu") {
            Ok(Self::cpu())
        } else {
            DeviceOptions::new().name(name).open()
        }
    }

    /// The adapter at this position of [`Device::adapters`].
    ///
    /// # Errors
    /// [`Error::NoGpu`] if there are not that many.
    pub fn nth(index: usize) -> Result<Self> {
        DeviceOptions::new().index(index).open()
    }

    /// Every adapter of this machine, with its kind, backend, driver, limits and features. `WGPU_BACKEND` is honoured.
    pub fn adapters() -> Vec<Adapter> {
        crate::gpu::adapters()
    }

    /// Whether this is a GPU (or a software adapter standing in for one).
    pub fn is_gpu(&self) -> bool {
        matches!(self.0, Place::Gpu(_))
    }

    /// The adapter, or `None` for the CPU.
    pub fn adapter(&self) -> Option<&Adapter> {
        match &self.0 {
            Place::Cpu => None,
            Place::Gpu(gpu) => Some(gpu.adapter()),
        }
    }

    /// The card whose model times this device's work in [`Counters::model_nanoseconds`], if there is one.
    pub fn card(&self) -> Option<&Card> {
        match &self.0 {
            Place::Cpu => None,
            Place::Gpu(gpu) => gpu.card(),
        }
    }

    /// What has been done on this device so far; all zero on the CPU.
    pub fn counters(&self) -> Counters {
        match &self.0 {
            Place::Cpu => Counters::default(),
            Place::Gpu(gpu) => gpu.counters(),
        }
    }

    /// Name and WGSL text of every shader compiled so far, to be tried on other compilers; none on the CPU.
    pub fn shaders(&self) -> Vec<(String, String)> {
        match &self.0 {
            Place::Cpu => Vec::new(),
            Place::Gpu(gpu) => gpu.shaders(),
        }
    }

    /// Submits all recorded work and waits for it; nothing to do on the CPU.
    ///
    /// # Errors
    /// [`Error::Timeout`] or [`Error::DeviceLost`].
    pub fn sync(&self) -> Result<()> {
        match &self.0 {
            Place::Cpu => Ok(()),
            Place::Gpu(gpu) => gpu.sync(),
        }
    }

    /// Destroys the GPU under its users, as a driver reset would: every later use is [`Error::DeviceLost`].
    ///
    /// For testing how an application recovers. Nothing happens on the CPU.
    pub fn destroy(&self) {
        if let Place::Gpu(gpu) = &self.0 {
            gpu.destroy();
        }
    }

    /// Whether matrix products take the direct shape, for which a transposed operand is copied.
    pub(crate) fn direct(&self) -> bool {
        matches!(&self.0, Place::Gpu(gpu) if gpu.direct())
    }

    /// Whether this device computes nothing: what it answers is no answer.
    pub(crate) fn pretends(&self) -> bool {
        matches!(&self.0, Place::Gpu(gpu) if gpu.pretends())
    }

    pub(crate) fn place(&self) -> &Place {
        &self.0
    }

    pub(crate) fn on(gpu: Gpu) -> Self {
        Device(Place::Gpu(gpu))
    }
}

/// Equal when they are the same open device (or both the CPU).
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Place::Cpu, Place::Cpu) => true,
            (Place::Gpu(a), Place::Gpu(b)) => a.same(b),
            _ => false,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.adapter() {
            None => write!(f, "CPU ({} threads, f64)", rayon::current_num_threads()),
            Some(adapter) => write!(f, "{adapter}"),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// The error of an operation whose operands live on two devices.
pub(crate) fn mismatch(op: &'static str, left: &Device, right: &Device) -> Error {
    Error::DeviceMismatch { op, left: left.to_string(), right: right.to_string() }
}
