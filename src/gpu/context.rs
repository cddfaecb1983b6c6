//! An open device: what the other files of this folder share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::buffer::Pool;
use super::record::Recorder;
use super::uniforms::Uniforms;
use super::{Choice, Limits, ProductShape, Request, adapter};
use crate::device::{Adapter, Card, Counters, LimitPolicy};
use crate::{Error, Result};

/// Immediates that every shader may use; Vulkan guarantees this much.
const IMMEDIATE_BYTES: u32 = 128;

/// A cheap-to-clone handle on a GPU, its compiled pipelines and its pooled buffers.
#[derive(Clone)]
pub(crate) struct Gpu(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub adapter: Adapter,
    pub limits: Limits,
    pub timeout: Duration,
    pub direct: bool,
    pub threshold: f64,
    pub checked: bool,
    pub budget: f64,
    pub pretends: bool,
    pub card: Option<Card>,
    /// Where parameters travel if not as immediates.
    pub uniforms: Option<Uniforms>,
    pub pipelines: Mutex<HashMap<u64, Compiled>>,
    pub groups: Mutex<HashMap<Bound, wgpu::BindGroup>>,
    pub recorder: Mutex<Recorder>,
    pub pool: Mutex<Pool>,
    pub counters: Mutex<Counters>,
    pub lost: Arc<OnceLock<String>>,
}

/// A pipeline, what it is called, and the text it was compiled from.
pub(super) struct Compiled {
    pub pipeline: wgpu::ComputePipeline,
    pub key: String,
    pub entry: &'static str,
    pub constants: Vec<(&'static str, f64)>,
    pub source: String,
}

/// A pipeline by its number, and the buffers bound to it, each with offset and bytes.
pub(super) type Bound = (u64, Vec<(wgpu::Buffer, u64, u64)>);

/// A poisoned lock means another thread panicked between two assignments; each state guarded here is whole at any time.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    pub(crate) fn open(request: &Request) -> Result<Self> {
        let (index, raw) = adapter::pick(&request.choice)?;
        let described = adapter::describe(index, &raw);
        if !described.usable {
            return Err(Error::MissingFeature { adapter: described.name, feature: "COMPUTE_SHADERS".into() });
        }
        let full = raw.limits();
        let immediates = raw.features().contains(wgpu::Features::IMMEDIATES) && !request.uniforms;
        let limits = match request.limits {
            LimitPolicy::Adapter => full,
            LimitPolicy::WebGpuDefaults => wgpu::Limits::defaults().using_alignment(full),
            LimitPolicy::BindingBytes(bytes) => wgpu::Limits {
                max_storage_buffer_binding_size: bytes.min(full.max_storage_buffer_binding_size),
                ..full
            },
        };
        let limits =
            wgpu::Limits { max_immediate_size: if immediates { IMMEDIATE_BYTES } else { 0 }, ..limits };
        let needed = if immediates { wgpu::Features::IMMEDIATES } else { wgpu::Features::empty() };
        let wanted = wgpu::DeviceDescriptor {
            label: Some("mercer"),
            required_features: needed | (raw.features() & wgpu::Features::SUBGROUP),
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(raw.request_device(&wanted)).map_err(|e| Error::NoGpu(e.to_string()))?;
        let lost = Arc::new(OnceLock::new());
        let seen = lost.clone();
        device.set_device_lost_callback(move |why, message| {
            drop(seen.set(format!("{why:?} {message}")));
        });
        let software = described.is_software();
        let subgroups = raw.features().contains(wgpu::Features::SUBGROUP);
        let pool = Pool::within(described.memory, limits.max_buffer_size);
        Ok(Gpu(Arc::new(Inner {
            uniforms: (!immediates).then(|| Uniforms::new(&device)),
            card: request.card.clone().or_else(|| Card::named(&described.name)),
            pretends: request.choice == Choice::Pretend,
            device,
            queue,
            adapter: described,
            limits: adapter::limits_of(&limits),
            timeout: request.timeout,
            direct: match request.shape {
                ProductShape::Auto => software && subgroups,
                ProductShape::Tiled => false,
                ProductShape::Direct => subgroups,
            },
            threshold: request.threshold,
            checked: request.checked,
            budget: request.budget,
            pipelines: Mutex::default(),
            groups: Mutex::default(),
            recorder: Mutex::default(),
            pool: Mutex::new(pool),
            counters: Mutex::default(),
            lost,
        })))
    }

    pub(crate) fn adapter(&self) -> &Adapter {
        &self.0.adapter
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Floating-point operations below which a problem stays on the CPU.
    pub(crate) fn threshold(&self) -> f64 {
        self.0.threshold
    }

    /// Multiply-adds of one submission, and so of one dispatch, at most.
    pub(crate) fn budget(&self) -> f64 {
        self.0.budget
    }

    /// The card whose model times what is recorded.
    pub(crate) fn card(&self) -> Option<&Card> {
        self.0.card.as_ref()
    }

    /// Nanoseconds by the model of the card; nothing without one.
    pub(super) fn modelled(&self, seconds: impl FnOnce(&Card) -> f64) -> u64 {
        self.0.card.as_ref().map_or(0, |card| (1e9 * seconds(card)) as u64)
    }

    /// Whether nothing is computed here.
    pub(crate) fn pretends(&self) -> bool {
        self.0.pretends
    }

    /// Whether matrix products take the direct shape.
    pub(crate) fn direct(&self) -> bool {
        self.0.direct
    }

    /// Every shader compiled so far: its name and its text.
    pub(crate) fn shaders(&self) -> Vec<(String, String)> {
        let pipelines = lock(&self.0.pipelines);
        let mut all: Vec<_> = pipelines.values().map(|c| (c.name(), c.source.clone())).collect();
        all.sort();
        all
    }

    pub(crate) fn counters(&self) -> Counters {
        *lock(&self.0.counters)
    }

    pub(crate) fn same(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Destroys the device under its users, as a driver reset would.
    pub(crate) fn destroy(&self) {
        self.0.device.destroy();
    }

    /// Runs `body`, turning anything the driver objects to into an [`Error`].
    ///
    /// Every GPU call belongs inside: outside a scope, wgpu answers a validation error with a panic.
    pub(crate) fn guard<T>(&self, op: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let _span = tracing::debug_span!("gpu", op).entered();
        let device = &self.0.device;
        lock(&self.0.counters).error_scopes += 1;
        let invalid = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let result = body();
        // All three are popped, innermost first, whatever each says.
        let said = [internal.pop(), memory.pop(), invalid.pop()].map(pollster::block_on);
        let complaint = said.into_iter().flatten().next();
        if result.is_err() || complaint.is_some() {
            // The device-lost callback runs inside a poll; let it.
            let _ = device.poll(wgpu::PollType::Poll);
        }
        match (self.0.lost.get(), complaint) {
            (Some(why), _) => Err(Error::DeviceLost(why.clone())),
            (None, Some(wgpu::Error::OutOfMemory { source })) => {
                Err(Error::OutOfMemory { op, message: source.to_string() })
            }
            (None, Some(e)) => Err(Error::Gpu { op, message: e.to_string() }),
            (None, None) => result,
        }
    }
}
