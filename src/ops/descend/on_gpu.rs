//! A step on a GPU: one launch, in the memory of the parameters.

use super::rule::Numbers;
use super::{Descending, Note, Shrinkage};
use crate::gpu::{Gpu, Pass, Shader};
use crate::ops::map::grid;
use crate::{Matrix, Result};

const SHADER: &str = include_str!("../../../shaders/descend.wgsl");

/// Mirrors `Params` in `shaders/descend.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    count: u32,
    stride: u32,
    vec4s: u32,
    columns: u32,
    at: u32,
    kappa: f32,
    rate: f32,
    decay: f32,
    first: f32,
    one_less_first: f32,
    second: f32,
    one_less_second: f32,
    epsilon: f32,
    m_scale: f32,
    s_scale: f32,
    note: f32,
}

pub(super) fn on_gpu(
    gpu: &Gpu,
    n: &Numbers,
    shrinkage: Shrinkage,
    at: &Descending,
    gradient: &Matrix,
    note: Option<Note>,
) -> Result<()> {
    let count = at.parameters.rows() * at.parameters.vec4s();
    let (grid, stride) = grid(count);
    let params = Params {
        count: count as u32,
        stride,
        vec4s: at.parameters.vec4s() as u32,
        columns: shrinkage.columns as u32,
        at: note.as_ref().map_or(0, |note| note.at) as u32,
        kappa: shrinkage.decay as f32,
        rate: n.rate as f32,
        decay: n.decay as f32,
        first: n.first as f32,
        one_less_first: (1.0 - n.first) as f32,
        second: n.second as f32,
        one_less_second: n.share as f32,
        epsilon: n.epsilon as f32,
        m_scale: n.m_scale as f32,
        s_scale: n.s_scale as f32,
        note: note.as_ref().map_or(0.0, |note| note.scale) as f32,
    };
    let all = [&at.parameters, gradient, &at.first, &at.second];
    let mut binds: Vec<_> = all.iter().map(|m| m.bind()).collect();
    binds.extend(note.as_ref().map(|note| note.losses.bind()));
    gpu.run(&Pass {
        op: "descend",
        shader: Shader::new("descend", &[SHADER]),
        entry: if note.is_some() { "noted" } else { "moved" },
        constants: &[("RULE", f64::from(n.code))],
        binds: &binds,
        params: bytemuck::bytes_of(&params),
        grid,
        work: 0.0,
    })
}
