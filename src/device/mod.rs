//! Where a computation runs.
//!
//! ```
//! use mercer::Device;
//! let device = Device::best(); // a hardware GPU if there is one, else the CPU
//! println!("running on {device}");
//! # assert!(!device.to_string().is_empty());
//! ```

mod adapter;
mod counters;
mod threshold;

use std::fmt;
use std::time::Duration;

pub use adapter::{Adapter, AdapterKind};
pub use counters::Counters;

use crate::gpu::{Choice, Gpu, Request};
pub use crate::gpu::{Limits, ProductShape};
use crate::{Error, Result};

/// Longest wait for a submission before the device counts as hung.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Multiply-adds of one submission: a tenth of a second on a GPU that makes 2e12 a second, two seconds at 1e11.
const BUDGET: f64 = 2e11;

/// A place to compute: the CPU in f64, or one GPU in f32. Cheap to clone; clones share pipelines and memory.
#[derive(Clone)]
pub struct Device(Place);

#[derive(Clone)]
pub(crate) enum Place {
    Cpu,
    Gpu(Gpu),
}

/// Which of an adapter's limits to work within.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LimitPolicy {
    /// All that the adapter has.
    #[default]
    Adapter,
    /// What WebGPU guarantees everywhere: 128 MiB bindings, 256 MiB buffers, 16 KiB of workgroup memory.
    WebGpuDefaults,
    /// All that the adapter has, but bindings of at most this many bytes: work is split more finely.
    BindingBytes(u64),
}

/// How to open a GPU when the defaults of [`Device::gpu`] do not fit.
///
/// ```no_run
/// use mercer::device::{DeviceOptions, LimitPolicy};
/// let device = DeviceOptions::new().name("radeon").limits(LimitPolicy::WebGpuDefaults).open()?;
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DeviceOptions(Request);

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions(Request {
            choice: Choice::Any,
            limits: LimitPolicy::default(),
            timeout: TIMEOUT,
            shape: ProductShape::default(),
            threshold: threshold::WORTHWHILE,
            checked: false,
            budget: BUDGET,
        })
    }
}

impl DeviceOptions {
    /// Any adapter (hardware before software), all of its limits, two minutes of patience.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first adapter whose name contains `name`, whatever the case.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.0.choice = Choice::Name(name.to_owned());
        self
    }

    /// The adapter at this position of [`Device::adapters`].
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.choice = Choice::Index(index);
        self
    }

    /// Which limits to work within.
    #[must_use]
    pub fn limits(mut self, limits: LimitPolicy) -> Self {
        self.0.limits = limits;
        self
    }

    /// How long to wait for one submission before [`Error::Timeout`].
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.0.timeout = timeout;
        self
    }

    /// How matrix products are laid out; a software adapter can be made to run what hardware runs.
    #[must_use]
    pub fn products(mut self, shape: ProductShape) -> Self {
        self.0.shape = shape;
        self
    }

    /// Floating-point operations below which a model leaves this device for the CPU, whose answer is there before a
    /// round trip would be: 5e7 unless said otherwise. With 0 every problem goes to the device.
    #[must_use]
    pub fn threshold(mut self, flops: f64) -> Self {
        self.0.threshold = flops;
        self
    }

    /// Whether every shader keeps its run-time checks: indices clamped, loops counted, divisors tested. Off unless said
    /// otherwise, for they cost time in every inner loop and the library's shaders do not need them; WGSL bodies of a
    /// user's kernel keep theirs in any case.
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Self {
        self.0.checked = checked;
        self
    }

    /// Multiply-adds that are handed to the driver at a time: 2e11 unless said otherwise. A dispatch that would be more is
    /// split. Systems reset a GPU that is busy with one submission for too long, Windows after two seconds.
    #[must_use]
    pub fn budget(mut self, multiply_adds: f64) -> Self {
        self.0.budget = multiply_adds;
        self
    }

    /// No adapter at all: every shader and command is checked, nothing is computed. For tests without a GPU.
    #[must_use]
    pub fn pretend(mut self) -> Self {
        self.0.choice = Choice::Pretend;
        self
    }

    /// Opens the device.
    ///
    /// # Errors
    /// [`Error::NoGpu`] if no adapter answers, [`Error::MissingFeature`] if it cannot run our shaders.
    pub fn open(&self) -> Result<Device> {
        Gpu::open(&self.0).map(|gpu| Device(Place::Gpu(gpu)))
    }
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
