//! The SPIR-V that wgpu hands to a Vulkan driver, of a text and its constants.

use naga::ShaderStage;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// With wgpu's run-time checks or, as the library does, without.
pub fn of(source: &str, entry: &str, constants: &[(String, f64)], checked: bool) -> Vec<u32> {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).expect("valid");
    let constants = constants.iter().cloned().collect();
    let stage = Some((ShaderStage::Compute, entry));
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, stage, &constants)
        .expect("constants");
    let index = if checked { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    // Storage is left to the hardware, which checks it.
    let free = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        capabilities: None,
        bounds_check_policies: BoundsCheckPolicies {
            index,
            buffer: free,
            image_load: free,
            binding_array: free,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: checked,
        emit_int_div_checks: checked,
        fake_missing_bindings: true,
        ..Default::default()
    };
    let pipeline = spv::PipelineOptions { entry_point: entry.to_owned(), shader_stage: ShaderStage::Compute };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).expect("SPIR-V")
}
