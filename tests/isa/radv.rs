//! AMD's compiler without a GPU: RADV offers a device that runs nothing and compiles everything.

use std::ffi::{CStr, CString};

use ash::{Device, Entry, Instance, khr, vk};

/// Storage buffers that a layout has room for.
const BINDINGS: u32 = 12;

/// What the compiler says of a shader.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    pub registers: u64,
    pub spills: u64,
    pub scratch: u64,
    pub workgroup_bytes: u64,
    /// Half waves that fit one SIMD at a time.
    pub occupancy: u64,
    pub assembly: String,
}

pub struct Compiler {
    device: Device,
    executables: khr::pipeline_executable_properties::Device,
    layout: vk::PipelineLayout,
    _instance: Instance,
    _entry: Entry,
}

impl Compiler {
    /// On the family that `RADV_FORCE_FAMILY` names; the driver reads it from the environment.
    pub fn open() -> Result<Self, Box<dyn std::error::Error>> {
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let wanted = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: plain calls of the loader with structures that live as long as the calls.
        unsafe {
            let entry = Entry::load()?;
            let instance = entry.create_instance(&wanted, None)?;
            let physical = *instance.enumerate_physical_devices()?.first().ok_or("no device")?;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names = [khr::pipeline_executable_properties::NAME.as_ptr()];
            let mut shown = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                .pipeline_executable_info(true);
            let mut newest = vk::PhysicalDeviceVulkan13Features::default()
                .subgroup_size_control(true)
                .maintenance4(true)
                .shader_zero_initialize_workgroup_memory(true);
            let mut newer = vk::PhysicalDeviceVulkan12Features::default().vulkan_memory_model(true);
            let core = vk::PhysicalDeviceFeatures::default().robust_buffer_access(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .enabled_features(&core)
                .push_next(&mut shown)
                .push_next(&mut newest)
                .push_next(&mut newer);
            let device = instance.create_device(physical, &info, None)?;
            let bindings: Vec<_> = (0..BINDINGS)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = [device.create_descriptor_set_layout(&set, None)?];
            let immediates =
                [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(128)];
            let layout =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&immediates);
            let layout = device.create_pipeline_layout(&layout, None)?;
            let executables = khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Compiler { device, executables, layout, _instance: instance, _entry: entry })
        }
    }

    pub fn compile(&self, spirv: &[u32], entry: &str) -> Result<Compiled, Box<dyn std::error::Error>> {
        let name = CString::new(entry)?;
        let keep = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
            | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        // SAFETY: every handle was made by this device, and every structure outlives the call that reads it.
        unsafe {
            let module =
                self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(spirv), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .flags(vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE)
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&name);
            let info = vk::ComputePipelineCreateInfo::default().flags(keep).stage(stage).layout(self.layout);
            let pipeline = self
                .device
                .create_compute_pipelines(vk::PipelineCache::null(), &[info], None)
                .map_err(|(_, e)| e)?[0];
            let which = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
            let mut found = Compiled::default();
            for statistic in self.executables.get_pipeline_executable_statistics(&which)? {
                let value = statistic.value.u64;
                match CStr::from_ptr(statistic.name.as_ptr()).to_str()? {
                    "VGPRs" => found.registers = value,
                    "Spilled VGPRs" | "Spilled SGPRs" => found.spills += value,
                    "Scratch size" => found.scratch = value,
                    "LDS size" => found.workgroup_bytes = value,
                    "Subgroups per SIMD" => found.occupancy = value,
                    _ => {}
                }
            }
            found.assembly = self.assembly(&which)?;
            self.device.destroy_pipeline(pipeline, None);
            self.device.destroy_shader_module(module, None);
            Ok(found)
        }
    }

    /// The machine code as text: asked for twice, first for its size.
    unsafe fn assembly(
        &self,
        which: &vk::PipelineExecutableInfoKHR,
    ) -> Result<String, Box<dyn std::error::Error>> {
        // SAFETY: the caller's, and `p_data` points to as many bytes as the driver asked for.
        unsafe {
            let mut all = self.executables.get_pipeline_executable_internal_representations(which)?;
            let mut texts: Vec<Vec<u8>> = all.iter().map(|one| vec![0; one.data_size + 1]).collect();
            for (one, text) in all.iter_mut().zip(&mut texts) {
                one.p_data = text.as_mut_ptr().cast();
            }
            let mut count = all.len() as u32;
            let get = self.executables.fp().get_pipeline_executable_internal_representations_khr;
            get(self.device.handle(), which, &raw mut count, all.as_mut_ptr()).result()?;
            let at = all.iter().position(|one| {
                CStr::from_ptr(one.name.as_ptr()).to_bytes().windows(7).any(|w| w == b"ssembly")
            });
            let text = at.map(|at| CStr::from_bytes_until_nul(&texts[at])).ok_or("no machine code")??;
            Ok(text.to_string_lossy().into_owned())
        }
    }
}
