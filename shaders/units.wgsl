// Units of a network, over vec4 rows: out[i, j] = h(a[i, j]) and a last column of ones (entry `forward`),
// out[i, j] = delta[i, j] h'(a) with h' found from z = h(a), the last column left out (entry `backward`).
//
// One vec4 of out an invocation. UNIT picks h when the pipeline is made.
// Padding: written as zeros.
//
// Twin: `cpu` in src/ops/units.rs. Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

override UNIT: u32 = 0u; // as `Unit::code` numbers them

struct Params {
    count: u32,   // vec4s in the window of out
    stride: u32,  // invocations along x
    cols: u32,    // units
    vec4s: u32,   // per row of out
    a_vec4s: u32, // per row of the operands
}

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>; // or delta
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> z: array<vec4<f32>>;
var<immediate> params: Params;

fn value(v: vec4<f32>) -> vec4<f32> {
    let e = exp(-abs(v));
    switch UNIT {
        case 0u: { return v; }
        case 1u: { return select(e, vec4(1.0), v >= vec4<f32>()) / (1.0 + e); }
        // One beyond 9.02 in f32; some drivers go through exp(2 v), which overflows.
        case 2u: { return tanh(clamp(v, vec4(-10.0), vec4(10.0))); }
        case 3u: { return max(v, vec4<f32>()); }
        // The logarithm of 1 + e has no digits where e is small.
        case 4u: { return max(v, vec4<f32>()) + select(log(1.0 + e), e * (1.0 - 0.5 * e), e < vec4(1e-3)); }
        default: { return select(vec4<f32>(), vec4(1.0), v > vec4<f32>()); }
    }
}

fn slope(z: vec4<f32>) -> vec4<f32> {
    switch UNIT {
        case 0u: { return vec4(1.0); }
        case 1u: { return z * (1.0 - z); }
        case 2u: { return (1.0 - z) * (1.0 + z); }
        case 3u: { return select(vec4<f32>(), vec4(1.0), z > vec4<f32>()); }
        case 4u: { return 1.0 - exp(-z); }
        default: { return vec4<f32>(); }
    }
}

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let q = i % params.vec4s;
    let column = vec4(4u * q) + vec4(0u, 1u, 2u, 3u);
    let own = a[(i / params.vec4s) * params.a_vec4s + min(q, params.a_vec4s - 1u)];
    let ones = select(vec4<f32>(), vec4(1.0), column == vec4(params.cols));
    out[i] = select(ones, value(own), column < vec4(params.cols));
}

@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let q = i % params.vec4s;
    let at = (i / params.vec4s) * params.a_vec4s + q;
    let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
    out[i] = select(vec4<f32>(), a[at] * slope(z[at]), real);
}
