// Half storage: out = a, each vec4 of f32 packed into two words of two halves.
//
// One vec4 an invocation. Padding: zeros stay zeros. Twin: `cpu` in src/ops/half.rs.
// Grid: (across, ceil(vec4s / (64 * across)), 1), with stride = 64 * across.

struct Params {
    vec4s: u32,
    stride: u32, // invocations along x
}

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.vec4s { return; }
    let v = a[i];
    out[i] = vec2(pack2x16float(v.xy), pack2x16float(v.zw));
}
