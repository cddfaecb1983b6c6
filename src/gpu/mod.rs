//! The only code that talks to wgpu: adapters, pipelines, buffers, recording, readback.
//!
//! The verbs see five things: [`Gpu`], [`Buffer`], [`Bind`], [`Pass`] and [`Limits`]. Without the feature `gpu` the
//! same five exist with no inhabitants, so no verb needs a `cfg`.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod adapter;
#[cfg(feature = "gpu")]
mod buffer;
#[cfg(feature = "gpu")]
mod context;
#[cfg(feature = "gpu")]
mod pipeline;
#[cfg(feature = "gpu")]
mod readback;
#[cfg(feature = "gpu")]
mod record;
#[cfg(feature = "gpu")]
mod uniforms;

#[cfg(not(feature = "gpu"))]
pub(crate) use absent::{Buffer, Gpu, adapters};
#[cfg(feature = "gpu")]
pub(crate) use {adapter::adapters, buffer::Buffer, context::Gpu};

/// The limits that decide how work is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Largest part of a buffer that one shader sees, in bytes.
    pub binding_bytes: u64,
    /// Workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// Invocations in one workgroup.
    pub workgroup_invocations: u32,
    /// Workgroups along one axis of a dispatch.
    pub groups_per_axis: u32,
}

/// A part of a buffer as one binding of a shader.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nobody to read it"))]
pub(crate) struct Bind<'a> {
    pub buffer: &'a Buffer,
    pub offset: u64,
    pub bytes: u64,
    /// Bytes that a dispatch reads and writes of it: all, unless said otherwise.
    touched: u64,
}

impl Bind<'_> {
    /// The same where a dispatch reads and writes only so many bytes, or more than all.
    pub(crate) fn touching(self, bytes: f64) -> Self {
        Bind { touched: bytes as u64, ..self }
    }
}

/// WGSL text in parts, and the name under which its pipelines are cached.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nobody to read it"))]
pub(crate) struct Shader<'a> {
    key: &'a str,
    parts: &'a [&'a str],
    /// Whether some of the text is a user's, whose indices nobody has checked.
    foreign: bool,
}

impl<'a> Shader<'a> {
    /// A shader whose every line is this library's.
    pub const fn new(key: &'a str, parts: &'a [&'a str]) -> Self {
        Shader { key, parts, foreign: false }
    }

    /// The same shader, which may hold text of a user's: then its run-time checks stay.
    pub const fn foreign(self, foreign: bool) -> Self {
        Shader { foreign, ..self }
    }
}

/// One dispatch.
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "there is nobody to read it"))]
pub(crate) struct Pass<'a> {
    /// The verb: label of the pipeline, and the `op` of its errors.
    pub op: &'static str,
    pub shader: Shader<'a>,
    pub entry: &'static str,
    pub constants: &'a [(&'static str, f64)],
    pub binds: &'a [Bind<'a>],
    /// The shader's `Params`: immediates, or a slot of a uniform buffer where there are none.
    pub params: &'a [u8],
    pub grid: [u32; 3],
    /// Multiply-adds, roughly; 0 for a pass over what is bound, whose bytes then count.
    pub work: f64,
}

#[cfg(feature = "gpu")]
impl Pass<'_> {
    /// What this dispatch costs, in multiply-adds.
    fn cost(&self) -> f64 {
        self.work.max(self.touched() as f64 / 4.0)
    }

    /// Bytes that it reads and writes.
    fn touched(&self) -> u64 {
        self.binds.iter().map(|bind| bind.touched).sum()
    }
}

/// How matrix products are laid out on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProductShape {
    /// Direct on software adapters, tiled on hardware.
    #[default]
    Auto,
    /// Operands staged through workgroup memory: for hardware.
    Tiled,
    /// Operands read straight from storage and shared within quads of lanes: for software adapters, where barriers
    /// cost and caches are large. Tiled where the adapter has no subgroup operations.
    Direct,
}

/// What to open, and how.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub choice: Choice,
    pub limits: crate::device::LimitPolicy,
    pub timeout: std::time::Duration,
    pub shape: ProductShape,
    /// Floating-point operations below which a problem stays on the CPU.
    pub threshold: f64,
    /// Whether every shader keeps wgpu's run-time checks.
    pub checked: bool,
    /// Multiply-adds of one submission.
    pub budget: f64,
    /// Whether parameters travel in a uniform buffer although there are immediates.
    pub uniforms: bool,
    /// The card to model, if not the adapter's own.
    pub card: Option<crate::device::Card>,
}

/// Which adapter to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// What `WGPU_ADAPTER_NAME` says, else hardware before software.
    Any,
    /// The first whose name contains this, whatever the case.
    Name(String),
    /// By position in [`adapters`].
    Index(usize),
    /// None: wgpu's own stand-in, which checks every shader and command and computes nothing.
    Pretend,
}
