//! Finding adapters.

use super::{Choice, Limits};
use crate::device::{Adapter, AdapterKind};
use crate::{Error, Result};

const INSTALL: &str =
    "on Debian or Ubuntu `apt-get install mesa-vulkan-drivers libvulkan1` gives a software one";

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env())
}

fn found() -> Vec<wgpu::Adapter> {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
    pollster::block_on(instance().enumerate_adapters(backends))
}

pub(super) fn limits_of(limits: &wgpu::Limits) -> Limits {
    Limits {
        buffer_bytes: limits.max_buffer_size,
        binding_bytes: limits.max_storage_buffer_binding_size,
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        workgroup_invocations: limits.max_compute_invocations_per_workgroup,
        groups_per_axis: limits.max_compute_workgroups_per_dimension,
    }
}

pub(super) fn describe(index: usize, adapter: &wgpu::Adapter) -> Adapter {
    let info = adapter.get_info();
    Adapter {
        index,
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Cpu => AdapterKind::Software,
            wgpu::DeviceType::Other => AdapterKind::Other,
        },
        backend: info.backend.to_str().to_owned(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        limits: limits_of(&adapter.limits()),
        features: adapter.features().iter_names().map(|(name, _)| name.to_owned()).collect(),
        memory: memory(adapter),
        usable: adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS),
        name: info.name,
    }
}

/// Bytes of the largest heap of an adapter's own memory. wgpu does not say; Vulkan does.
#[cfg(not(any(target_vendor = "apple", target_family = "wasm")))]
fn memory(adapter: &wgpu::Adapter) -> Option<u64> {
    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    const LOCAL: u32 = 1;
    // SAFETY: nothing is destroyed, and the instance outlives the borrow of its adapter.
    let raw = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let instance = raw.shared_instance().raw_instance();
    // SAFETY: the physical device is one of this instance's.
    let all = unsafe { instance.get_physical_device_memory_properties(raw.raw_physical_device()) };
    let heaps = all.memory_heaps.iter().take(all.memory_heap_count as usize);
    heaps.filter(|heap| heap.flags.as_raw() & LOCAL != 0).map(|heap| heap.size).max()
}

#[cfg(any(target_vendor = "apple", target_family = "wasm"))]
fn memory(_: &wgpu::Adapter) -> Option<u64> {
    None
}

/// Every adapter of this machine, in the driver's order.
pub(crate) fn adapters() -> Vec<Adapter> {
    found().iter().enumerate().map(|(i, a)| describe(i, a)).collect()
}

/// wgpu's stand-in for a GPU.
fn pretended() -> Result<(usize, wgpu::Adapter)> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::NOOP;
    descriptor.backend_options.noop = wgpu::NoopBackendOptions { enable: true, ..Default::default() };
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    adapter.map(|a| (0, a)).map_err(|e| Error::NoGpu(e.to_string()))
}

pub(super) fn pick(choice: &Choice) -> Result<(usize, wgpu::Adapter)> {
    if *choice == Choice::Pretend {
        return pretended();
    }
    let mut all: Vec<_> = found().into_iter().enumerate().collect();
    if all.is_empty() {
        return Err(Error::NoGpu(format!("no adapter was found; {INSTALL}")));
    }
    let position = match choice {
        Choice::Index(i) => all.iter().position(|(at, _)| at == i),
        Choice::Name(name) => by_name(&all, name),
        Choice::Pretend => None,
        Choice::Any => match std::env::var("WGPU_ADAPTER_NAME") {
            Ok(name) if !name.is_empty() => by_name(&all, &name),
            _ => (0..all.len()).min_by_key(|&i| rank(&all[i].1)),
        },
    };
    let known = || all.iter().map(|(_, a)| a.get_info().name).collect::<Vec<_>>().join(", ");
    match position {
        Some(at) => Ok(all.swap_remove(at)),
        None => Err(Error::NoGpu(format!("none answers {choice:?}; there are: {}", known()))),
    }
}

fn by_name(all: &[(usize, wgpu::Adapter)], name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    all.iter().position(|(_, a)| a.get_info().name.to_lowercase().contains(&name))
}

/// Lower is better: a discrete GPU first, software last.
fn rank(adapter: &wgpu::Adapter) -> u8 {
    match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
