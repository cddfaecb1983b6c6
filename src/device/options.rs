//! How a GPU is opened.

use std::time::Duration;

use super::{Card, Device, Place, threshold};
use crate::Result;
use crate::gpu::{Choice, Gpu, ProductShape, Request};

/// Longest wait for a submission before the device counts as hung.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Multiply-adds of one submission: a tenth of a second on a GPU that makes 2e12 a second, two seconds at 1e11.
const BUDGET: f64 = 2e11;

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
            uniforms: false,
            card: None,
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

    /// How long to wait for one submission before [`Error::Timeout`](crate::Error::Timeout).
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

    /// Whether the parameters of dispatches travel in a uniform buffer, as they must where the adapter has no immediates
    /// (browsers). Off unless said otherwise or needed: immediates are cheaper.
    #[must_use]
    pub fn uniforms(mut self, uniforms: bool) -> Self {
        self.0.uniforms = uniforms;
        self
    }

    /// The card that [`Counters::model_nanoseconds`](super::Counters::model_nanoseconds) is about; by default the one of
    /// [`Card::all`] whose name is the adapter's, if there is one.
    #[must_use]
    pub fn card(mut self, card: Card) -> Self {
        self.0.card = Some(card);
        self
    }

    /// No adapter at all: every shader and command is checked, nothing is computed, and what is read
    /// back is zero. For tests without a GPU, and to count what a computation would do on one.
    #[must_use]
    pub fn pretend(mut self) -> Self {
        self.0.choice = Choice::Pretend;
        self
    }

    /// Opens the device.
    ///
    /// # Errors
    /// [`Error::NoGpu`](crate::Error::NoGpu) if no adapter answers,
    /// [`Error::MissingFeature`](crate::Error::MissingFeature) if it cannot run our shaders.
    pub fn open(&self) -> Result<Device> {
        Gpu::open(&self.0).map(|gpu| Device(Place::Gpu(gpu)))
    }
}
