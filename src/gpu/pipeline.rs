//! Compiled shaders, cached by name and constants.

use super::context::{Gpu, lock};
use super::{Pass, Shader};

impl Gpu {
    pub(super) fn pipeline(&self, pass: &Pass) -> wgpu::ComputePipeline {
        let key = format!("{}.{} {:?}", pass.shader.key, pass.entry, pass.constants);
        let mut pipelines = lock(&self.0.pipelines);
        if let Some(pipeline) = pipelines.get(&key) {
            return pipeline.clone();
        }
        let pipeline = self.compile(&key, pass);
        lock(&self.0.counters).pipelines += 1;
        pipelines.entry(key).or_insert(pipeline).clone()
    }

    fn compile(&self, label: &str, pass: &Pass) -> wgpu::ComputePipeline {
        let _span = tracing::debug_span!("compile", label).entered();
        let device = &self.0.device;
        let Shader { parts, .. } = pass.shader;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(parts.concat().into()),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: None,
            module: &module,
            entry_point: Some(pass.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: pass.constants,
                // Sound: our shaders write every slot of workgroup memory before they read it.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    }
}
