//! Compiled shaders, cached by name and constants, and the buffers bound to them.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Pass;
use super::context::{Bound, Compiled, Gpu, lock};
use super::uniforms::Uniforms;
use crate::{Error, Result};

/// Sets of bound buffers kept; beyond this all are forgotten, and made again as they are needed.
const GROUPS: usize = 4096;

impl Compiled {
    pub fn name(&self) -> String {
        format!("{}.{} {:?}", self.key, self.entry, self.constants)
    }

    fn is(&self, pass: &Pass) -> bool {
        self.key == pass.shader.key && self.entry == pass.entry && self.constants == pass.constants
    }
}

/// A number for what a pipeline depends on; two pipelines may share it.
fn number(pass: &Pass) -> u64 {
    let mut hasher = DefaultHasher::new();
    (pass.shader.key, pass.entry).hash(&mut hasher);
    pass.constants.iter().for_each(|(name, value)| (name, value.to_bits()).hash(&mut hasher));
    hasher.finish()
}

impl Gpu {
    /// The pipeline of a pass with its buffers bound.
    ///
    /// Only what is new passes through the driver's validation, and so through a scope for its errors; what it rejects is
    /// not kept.
    pub(super) fn prepared(&self, pass: &Pass) -> Result<(wgpu::ComputePipeline, wgpu::BindGroup)> {
        let limit = self.0.limits.binding_bytes;
        if let Some(bind) = pass.binds.iter().find(|bind| bind.bytes > limit) {
            let what = format!("a binding of {}", pass.op);
            return Err(Error::TooLarge { what, need: bind.bytes, limit });
        }
        let (number, pipeline) = match self.known(pass) {
            (number, Some(pipeline)) => (number, pipeline),
            (number, None) => {
                let compiled = self.guard(pass.op, || Ok(self.compile(pass)))?;
                let pipeline = compiled.pipeline.clone();
                lock(&self.0.counters).pipelines += 1;
                lock(&self.0.pipelines).insert(number, compiled);
                (number, pipeline)
            }
        };
        let binds = pass.binds.iter().map(|bind| (bind.buffer.raw.clone(), bind.offset, bind.bytes));
        let bound: Bound = (number, binds.collect());
        let known = lock(&self.0.groups).get(&bound).cloned();
        if let Some(group) = known {
            return Ok((pipeline, group));
        }
        let group = self.guard(pass.op, || Ok(self.bind(&pipeline, pass.op, &bound)))?;
        let mut groups = lock(&self.0.groups);
        if groups.len() >= GROUPS {
            groups.clear();
        }
        groups.insert(bound, group.clone());
        lock(&self.0.counters).bind_groups += 1;
        Ok((pipeline, group))
    }

    /// The pipeline of a pass and its number; the number that it would have, if there is none.
    fn known(&self, pass: &Pass) -> (u64, Option<wgpu::ComputePipeline>) {
        let pipelines = lock(&self.0.pipelines);
        let mut number = number(pass);
        while let Some(compiled) = pipelines.get(&number) {
            if compiled.is(pass) {
                return (number, Some(compiled.pipeline.clone()));
            }
            number = number.wrapping_add(1);
        }
        (number, None)
    }

    fn bind(&self, pipeline: &wgpu::ComputePipeline, op: &str, bound: &Bound) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(&bound.1)
            .map(|(binding, (buffer, offset, bytes))| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: *offset,
                    size: std::num::NonZeroU64::new(*bytes),
                }),
            })
            .collect();
        self.0.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(op),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    }

    fn compile(&self, pass: &Pass) -> Compiled {
        let label = pass.shader.key;
        let _span = tracing::debug_span!("compile", label).entered();
        let device = &self.0.device;
        let mut source = pass.shader.parts.concat();
        if self.0.uniforms.is_some() {
            source = Uniforms::text(&source);
        }
        // Written out rather than derived by the driver, which leaves out what a kernel happens not to use.
        let entries: Vec<_> = (0..pass.binds.len()).map(|i| entry(&source, i as u32)).collect();
        let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        });
        let groups: Vec<_> =
            [&group].into_iter().chain(self.0.uniforms.iter().map(|u| &u.layout)).map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &groups,
            immediate_size: if self.0.uniforms.is_some() { 0 } else { pass.params.len() as u32 },
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
        Compiled {
            pipeline,
            key: pass.shader.key.to_owned(),
            entry: pass.entry,
            constants: pass.constants.to_vec(),
            source,
        }
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
