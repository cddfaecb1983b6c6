//! Parameters where an adapter has no immediates, as in browsers: each dispatch of a submission has a slot of one uniform
//! buffer, which is written as a whole before the submission. Checked by running every verb with it.

use super::record::BATCH;

/// Bytes between slots: no adapter asks for more, and no `Params` is larger.
pub(super) const SLOT: usize = 256;
/// Bytes of a slot that a shader sees.
const SEEN: u64 = 128;

pub(super) struct Uniforms {
    pub layout: wgpu::BindGroupLayout,
    pub group: wgpu::BindGroup,
    pub buffer: wgpu::Buffer,
}

impl Uniforms {
    pub fn new(device: &wgpu::Device) -> Self {
        let label = Some("params");
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label,
            size: (BATCH * SLOT) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: true,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let slot = wgpu::BufferBinding { buffer: &buffer, offset: 0, size: std::num::NonZeroU64::new(SEEN) };
        let entries = [wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(slot) }];
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label,
            layout: &layout,
            entries: &entries,
        });
        Uniforms { layout, group, buffer }
    }

    /// The text of a shader, with its parameters where they are.
    pub fn text(source: &str) -> String {
        source.replace("var<immediate> params", "@group(1) @binding(0) var<uniform> params")
    }
}
