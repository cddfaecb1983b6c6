// Element-wise: out = f(a) (entry `map`), out = a op b with b broadcast (entry `zip`), over vec4 rows.
//
// One vec4 an invocation. OP picks the operation, SPREAD how b is read; both are settled when the pipeline is made.
// Padding: written as zeros, whatever f(0) is.
//
// `map_digamma.wgsl`, `load_a` and `load_b` are prepended (f32 or half storage). Twin: `cpu` in src/ops/map.rs.
// Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

override OP: u32 = 0u;     // as `Map::code` and `Zip::code` number them
override SPREAD: u32 = 0u; // b: 0 same shape, 1 one row, 2 one column, 3 one entry

struct Params {
    count: u32,  // vec4s in the window
    stride: u32, // invocations along x
    cols: u32,
    vec4s: u32,  // per row
    x: f32,      // parameters of f
    y: f32,
}

@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

fn f(v: vec4<f32>) -> vec4<f32> {
    switch OP {
        case 0u: { return exp(v); }
        case 1u: { return log(v); }
        case 2u: { return sqrt(v); }
        case 3u: { return v * v; }
        case 4u: { return abs(v); }
        case 5u: { return 1.0 / v; }
        case 6u: { return params.x * v + params.y; }
        // One beyond 9.02 in f32; some drivers go through exp(2 v), which overflows.
        case 7u: { return tanh(clamp(v, vec4(-10.0), vec4(10.0))); }
        case 8u: {
            let e = exp(-abs(v));
            return select(e, vec4(1.0), v >= vec4<f32>()) / (1.0 + e);
        }
        case 11u: { return vec4(digamma(v.x), digamma(v.y), digamma(v.z), digamma(v.w)); }
        case 10u: { return max(v, vec4<f32>()) + log(1.0 + exp(-abs(v))); }
        default: { return max(v, vec4(params.x)); }
    }
}

fn g(u: vec4<f32>, v: vec4<f32>) -> vec4<f32> {
    switch OP {
        case 0u: { return u + v; }
        case 1u: { return u - v; }
        case 2u: { return u * v; }
        default: { return u / v; }
    }
}

fn real(i: u32) -> vec4<bool> {
    return vec4(4u * (i % params.vec4s)) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
}

@compute @workgroup_size(64)
fn map(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = select(vec4<f32>(), f(load_a(i)), real(i));
}

fn other(i: u32) -> vec4<f32> {
    switch SPREAD {
        case 0u: { return load_b(i); }
        case 1u: { return load_b(i % params.vec4s); }
        case 2u: { return vec4(load_b(i / params.vec4s).x); }
        default: { return vec4(load_b(0u).x); }
    }
}

@compute @workgroup_size(64)
fn zip(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = select(vec4<f32>(), g(load_a(i), other(i)), real(i));
}
