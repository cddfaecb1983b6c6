// The words of topics: beta[w, k] = exp(psi(lambda[w, k]) - psi(total[k])), relative to the word's largest.
//
// A word an invocation, by vec4s of topics. Padding: written as zeros. `map_digamma.wgsl` is prepended.
//
// Twin: `expected` in src/ops/topic_sweep.rs. Grid: (across, ceil(rows / (64 across)), 1), with stride = 64 across.

struct Params {
    rows: u32,
    stride: u32, // invocations along x
    topics: u32,
    vec4s: u32,  // of a row of topics
}

@group(0) @binding(0) var<storage, read> lambda: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> total: array<vec4<f32>>; // psi of the sums of columns
@group(0) @binding(2) var<storage, read_write> beta: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn expected(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y * params.stride + id.x;
    if row >= params.rows { return; }
    let at = row * params.vec4s;
    var top = -3e38;
    for (var q = 0u; q < params.vec4s; q++) {
        let v = max(lambda[at + q], vec4(1e-30));
        let logs = vec4(digamma(v.x), digamma(v.y), digamma(v.z), digamma(v.w)) - total[q];
        let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.topics);
        let own = select(vec4(-3e38), logs, real);
        beta[at + q] = own;
        top = max(top, max(max(own.x, own.y), max(own.z, own.w)));
    }
    for (var q = 0u; q < params.vec4s; q++) {
        let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.topics);
        beta[at + q] = select(vec4<f32>(), exp(max(beta[at + q] - top, vec4(-100.0))), real);
    }
}
