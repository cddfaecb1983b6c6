// What the moments of one component are products of: out[i] = (sqrt(r_ik) (x_i - c_k), then sqrt(r_ik) alone).
//
// One vec4 an invocation: neighbours read and write neighbouring vec4s. The square root of the weight stands in a vec4 of
// its own, so that it can be a block of a product. Weights below zero (there are none) count as zero.
// Padding: padded features are zeros in x and c, hence in out; the three places after the weight are zeros.
//
// Twin: `alone` in src/ops/moments.rs. Grid: any two axes with ceil(n (d4 + 1) / 64) workgroups.

struct Params {
    n: u32,        // rows in the window
    d4: u32,       // vec4s per row of x and of the centres
    r_stride: u32, // vec4s per row of r
    k: u32,        // component: column of r
    centre: u32,   // its row in the window of centres
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> r: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> centres: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let wide = params.d4 + 1u;
    let at = (group.y * groups.x + group.x) * 64u + lane;
    let i = at / wide;
    let l = at % wide;
    if i >= params.n { return; }
    let root = sqrt(max(r[i * params.r_stride + params.k / 4u][params.k % 4u], 0.0));
    if l < params.d4 {
        out[at] = root * (x[i * params.d4 + l] - centres[params.centre * params.d4 + l]);
    } else {
        out[at] = vec4(root, 0.0, 0.0, 0.0);
    }
}
