// Softmax by row: out[i, j] = exp(a[i, j] - max_i) / sum_i, over vec4 rows.
//
// One vec4 an invocation. The pairs (max, sum) come from shaders/logsumexp.wgsl with LOG = false, one vec4 a row.
// Not exp(a - logsumexp): at entries of 1e6 the logarithm of the sum is lost beside the maximum.
// Padding: written as zeros.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/softmax.rs.
// Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

struct Params {
    count: u32,  // vec4s in the window
    stride: u32, // invocations along x
    cols: u32,
    vec4s: u32,  // per row
}

@group(0) @binding(1) var<storage, read> pairs: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let real = vec4(4u * (i % params.vec4s)) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
    let pair = pairs[i / params.vec4s];
    out[i] = select(vec4<f32>(), exp(load_a(i) - pair.x) / pair.y, real);
}
