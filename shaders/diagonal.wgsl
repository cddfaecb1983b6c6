// The diagonal: out[i] = a[i, i] (entry `diagonal`), out = a + value I (entry `add`), out = a + diag(d) (entry
// `add_vector`), over vec4 rows.
//
// `diagonal`: one row an invocation. The others: one vec4 an invocation.
// Padding: `diagonal` writes zeros after its column; the others copy zeros (entry i of row i is never padding).
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/diagonal.rs.
// Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

struct Params {
    count: u32,  // rows (entry diagonal) or vec4s in the window
    stride: u32, // invocations along x
    vec4s: u32,  // per row of a
    first: u32,  // first row of the window
    value: f32,
}

@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> d: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn diagonal(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y * params.stride + id.x;
    if row >= params.count { return; }
    let at = params.first + row;
    out[row] = vec4(load_a(row * params.vec4s + at / 4u)[at % 4u], 0.0, 0.0, 0.0);
}

// `value` where vec4 i holds the diagonal of its row, zero elsewhere.
fn spread(i: u32, value: f32) -> vec4<f32> {
    let at = params.first + i / params.vec4s;
    let here = vec4(4u * (i % params.vec4s)) + vec4(0u, 1u, 2u, 3u) == vec4(at);
    return select(vec4<f32>(), vec4(value), here);
}

@compute @workgroup_size(64)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = load_a(i) + spread(i, params.value);
}

@compute @workgroup_size(64)
fn add_vector(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = load_a(i) + spread(i, d[i / params.vec4s].x);
}
