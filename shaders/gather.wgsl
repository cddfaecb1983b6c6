// Selection: out[i, j] = a[r[i], j] (entry `gather_rows`), out[i, j] = a[r[i], c[j]] (entry `permute`), vec4 rows.
//
// One vec4 an invocation. An invocation whose source row lies outside this window of a leaves its vec4 to the
// dispatch of another window.
// Padding: `gather_rows` copies zeros, `permute` writes them.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/gather.rs.
// Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

struct Params {
    count: u32,  // vec4s in the window of out
    stride: u32, // invocations along x
    cols: u32,   // of out
    vec4s: u32,  // per row of out
    a_vec4s: u32,
    a_first: u32, // first row of the window of a
    a_end: u32,   // the row after its last
}

@group(0) @binding(1) var<storage, read> r: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> c: array<u32>;
var<immediate> params: Params;

fn entry(base: u32, j: u32) -> f32 {
    if j >= params.cols { return 0.0; }
    let at = c[j];
    return load_a(base + at / 4u)[at % 4u];
}

@compute @workgroup_size(64)
fn gather_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let source = r[i / params.vec4s];
    if source < params.a_first || source >= params.a_end { return; }
    out[i] = load_a((source - params.a_first) * params.a_vec4s + i % params.vec4s);
}

@compute @workgroup_size(64)
fn permute(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let source = r[i / params.vec4s];
    if source < params.a_first || source >= params.a_end { return; }
    let base = (source - params.a_first) * params.a_vec4s;
    let j = 4u * (i % params.vec4s);
    out[i] = vec4(entry(base, j), entry(base, j + 1u), entry(base, j + 2u), entry(base, j + 3u));
}
