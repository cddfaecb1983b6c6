//! Every shader that the library can assemble passes naga and its back ends.

use naga::back::{glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::support::assembled::assembled;

#[test]
fn every_shader_passes_every_back_end() {
    let mut all = assembled();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all.dedup_by(|a, b| a.1 == b.1);
    assert!(all.len() > 100, "only {} shaders were assembled", all.len());
    for (name, source) in all {
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        let needed =
            Capabilities::IMMEDIATES | Capabilities::SUBGROUP | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
        let info = Validator::new(ValidationFlags::all(), needed)
            .validate(&module)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&source)));
        // Back ends want overrides resolved; the defaults will do.
        let (module, info) = naga::back::pipeline_constants::process_overrides(
            &module,
            &info,
            None,
            &naga::back::PipelineConstants::default(),
        )
        .unwrap_or_else(|e| panic!("{name}: {e}"));
        spv::write_vec(&module, &info, &spv::Options::default(), None)
            .unwrap_or_else(|e| panic!("{name}: SPIR-V: {e}"));
        let text = metal(&name, &module, &info);
        // Metal compiles with fast math, which takes it that there are no NaN and no infinities: nothing may ask for them,
        // and what finds a pivot that is none looks at its bits.
        for word in ["isnan", "isinf", "isfinite", "INFINITY", "NAN"] {
            assert!(!text.contains(word), "{name}: {word} in MSL");
        }
        if name.starts_with("log_det") {
            assert!(text.contains("as_type<uint>(v"), "{name}: {text}");
        }
        if name.starts_with("cholesky_factor") {
            assert!(text.contains("as_type<metal::uint4>(metal::float4(p0"), "{name}: {text}");
        }
        let options = hlsl::Options {
            fake_missing_bindings: true,
            shader_model: hlsl::ShaderModel::V6_0,
            immediates_target: Some(hlsl::BindTarget::default()),
            ..Default::default()
        };
        let mut text = String::new();
        hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions::default())
            .write(&module, &info, None)
            .unwrap_or_else(|e| panic!("{name}: HLSL: {e}"));
        // GLSL cannot express quad operations.
        if !source.contains("quadBroadcast") {
            gles(&name, &module, &info);
        }
    }
}

/// The text for Metal.
fn metal(name: &str, module: &naga::Module, info: &naga::valid::ModuleInfo) -> String {
    let options = msl::Options { fake_missing_bindings: true, lang_version: (2, 4), ..Default::default() };
    msl::write_string(module, info, &options, &msl::PipelineOptions::default())
        .unwrap_or_else(|e| panic!("{name}: MSL: {e}"))
        .0
}

/// GLSL ES 3.2, the oldest that has what we use, one entry point at a time.
fn gles(name: &str, module: &naga::Module, info: &naga::valid::ModuleInfo) {
    let options = glsl::Options { version: glsl::Version::new_gles(320), ..Default::default() };
    for entry in &module.entry_points {
        let pipeline = glsl::PipelineOptions {
            shader_stage: naga::ShaderStage::Compute,
            entry_point: entry.name.clone(),
            multiview: None,
        };
        let (mut text, bounds) = (String::new(), naga::proc::BoundsCheckPolicies::default());
        glsl::Writer::new(&mut text, module, info, &options, &pipeline, bounds)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|e| panic!("{name}: GLSL: {e}"));
    }
}
