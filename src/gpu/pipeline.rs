//! Compiled shaders, cached by name and constants.

use super::Pass;
use super::context::{Compiled, Gpu, lock};

impl Gpu {
    pub(super) fn pipeline(&self, pass: &Pass) -> wgpu::ComputePipeline {
        let key = format!("{}.{} {:?}", pass.shader.key, pass.entry, pass.constants);
        let mut pipelines = lock(&self.0.pipelines);
        if let Some(compiled) = pipelines.get(&key) {
            return compiled.pipeline.clone();
        }
        let compiled = self.compile(&key, pass);
        lock(&self.0.counters).pipelines += 1;
        pipelines.entry(key).or_insert(compiled).pipeline.clone()
    }

    fn compile(&self, label: &str, pass: &Pass) -> Compiled {
        let _span = tracing::debug_span!("compile", label).entered();
        let device = &self.0.device;
        let source = pass.shader.parts.concat();
        // Written out rather than derived by the driver, which leaves out what a kernel happens not to use.
        let entries: Vec<_> = (0..pass.binds.len()).map(|i| entry(&source, i as u32)).collect();
        let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&group)],
            immediate_size: pass.params.len() as u32,
        });
        let text = wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.as_str().into()),
        };
        let module = if self.0.checked || pass.shader.foreign {
            device.create_shader_module(text)
        } else {
            // SAFETY: the text is ours alone, and nothing in it needs a check at run time.
            // Indices: into workgroup and private memory they are built from invocation ids below the workgroup's size
            // and from constants; into storage from `Params`, which the verbs make of shapes that they have checked and
            // of windows that end with the binding, and every place past an edge is either not visited or clamped in the
            // text. Indices that are data (gathered rows, entries of a precomputed kernel) are checked on the host.
            // Loops: each counts up to a bound from `Params`. Divisors: constants, and sizes that are not zero.
            // What this argument overlooked would show in `tests/device/checks.rs`, where every verb must give the
            // same bits with all checks on.
            unsafe { device.create_shader_module_trusted(text, wgpu::ShaderRuntimeChecks::unchecked()) }
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(pass.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: pass.constants,
                // Sound: our shaders write every slot of workgroup memory before they read it.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Compiled { pipeline, source }
    }
}

/// The layout of a binding, from the text that declares it.
fn entry(source: &str, binding: u32) -> wgpu::BindGroupLayoutEntry {
    let writable = source.contains(&format!("@binding({binding}) var<storage, read_write>"));
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: !writable },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
