//! What is known of an adapter before it is opened.

use std::fmt;

use super::Limits;

/// What kind of thing an adapter is, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU seen through a hypervisor.
    Virtual,
    /// The driver does not say.
    Other,
    /// A CPU pretending to be a GPU (llvmpipe, SwiftShader): right answers, no speed.
    Software,
}

/// One adapter, as [`Device::adapters`](super::Device::adapters) lists it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Adapter {
    /// Position in the list.
    pub index: usize,
    /// The driver's name for it.
    pub name: String,
    /// Hardware or software.
    pub kind: AdapterKind,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// Driver and its version.
    pub driver: String,
    /// What it allows.
    pub limits: Limits,
    /// Bytes of its own memory, where the backend says (Vulkan): of its largest heap.
    pub memory: Option<u64>,
    /// Names of the optional features it has.
    pub features: Vec<String>,
    /// Whether it has all that our shaders need.
    pub usable: bool,
}

impl Adapter {
    /// Whether this is a CPU pretending to be a GPU: its timings say nothing about GPUs.
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Software
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_software() { "software, " } else { "" };
        write!(f, "{} ({kind}{}, f32)", self.name, self.backend)
    }
}
