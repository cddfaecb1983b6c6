// Gram-vector product, second stage: out (+)= the sum of its slabs, in their order; one vec4 an invocation.
//
// `extra` is 1 when out already holds the sum of earlier windows. Padding: none of its own; zeros add up to zeros.
// Twin: `cpu` in src/ops/gram_vec.rs. Grid: (ceil(len / 64), 1, 1).

struct Params {
    len: u32,   // vec4s of out and of a slab
    slabs: u32,
    extra: u32,
}

@group(0) @binding(0) var<storage, read> slabs: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.len { return; }
    var total = vec4<f32>();
    if params.extra == 1u { total = out[id.x]; }
    for (var s = 0u; s < params.slabs; s++) { total += slabs[s * params.len + id.x]; }
    out[id.x] = total;
}
