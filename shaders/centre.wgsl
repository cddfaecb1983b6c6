// Double centring: out[i, j] = a[i, j] - (rows[i] + cols[j]) + all, over vec4 rows.
//
// One vec4 an invocation. The two means are added first: addition commutes, so equal means of a symmetric matrix
// give an exactly symmetric result.
// Padding: written as zeros.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/centre.rs.
// Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

struct Params {
    count: u32,  // vec4s in the window
    stride: u32, // invocations along x
    n: u32,
    vec4s: u32,  // per row
    first: u32,  // first row of the window
}

@group(0) @binding(1) var<storage, read> row_means: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> col_means: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> grand_mean: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let row = params.first + i / params.vec4s;
    let q = i % params.vec4s;
    let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.n);
    let means = vec4(row_means[row / 4u][row % 4u]) + col_means[q];
    out[i] = select(vec4<f32>(), (load_a(i) - means) + grand_mean[0].x, real);
}
