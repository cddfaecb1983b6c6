// Transpose: out[j, i] = a[i, j], row-major operands padded to vec4 rows.
//
// Each invocation turns a 4 x 4 block in registers; a workgroup of 8 x 8 covers a 32 x 32 tile.
// Padding: rows beyond the end are read as zeros, which become the padding of the output's rows.
//
// `load_a` is prepended (f32 or half storage). Twin: `transpose` in src/ops/transpose.rs.
// Grid: (ceil(cols / 32), ceil(rows / 32), 1).

struct Params {
    rows: u32,       // rows of the window of a
    in_col: u32,     // first vec4 of the window in each row of a
    in_stride: u32,  // vec4s per row of a
    out_rows: u32,   // columns of the window of a
    out_col: u32,
    out_stride: u32,
}

@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

fn row(i: u32, q: u32) -> vec4<f32> {
    if i >= params.rows { return vec4<f32>(); }
    return load_a(i * params.in_stride + params.in_col + q);
}

fn store(j: u32, p: u32, v: vec4<f32>) {
    if j < params.out_rows { out[j * params.out_stride + params.out_col + p] = v; }
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let q = id.x; // vec4 column of a
    let p = id.y; // vec4 column of out
    if q * 4u >= params.out_rows || p * 4u >= params.rows { return; }
    let r0 = row(4u * p, q);
    let r1 = row(4u * p + 1u, q);
    let r2 = row(4u * p + 2u, q);
    let r3 = row(4u * p + 3u, q);
    store(4u * q, p, vec4(r0.x, r1.x, r2.x, r3.x));
    store(4u * q + 1u, p, vec4(r0.y, r1.y, r2.y, r3.y));
    store(4u * q + 2u, p, vec4(r0.z, r1.z, r2.z, r3.z));
    store(4u * q + 3u, p, vec4(r0.w, r1.w, r2.w, r3.w));
}
