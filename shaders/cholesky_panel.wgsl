// Cholesky, panel stage: 64 finished columns go to their place in l, transposed to `across`, and as zeros to their
// mirror image above the diagonal.
//
// The panel is computed into a buffer of its own because a dispatch may not read and write one buffer. Each
// invocation takes 4 rows of one vec4 column; a workgroup of 16 x 16 covers 64 rows.
// Padding: rows past the end become the zeros that pad the rows of `across` and `above`.
// Twin: `put_panel` in src/ops/cholesky.rs. Grid: (1, ceil(rows / 64), 1).

struct Params {
    rows: u32,
    stride: u32, // vec4s per row of l and of across
    col: u32,    // vec4 column of l that receives the panel
    first: u32,  // vec4 column of across that receives the window's first row
    wide: u32,   // vec4s per row of the panel, which col counts round and round
}

@group(0) @binding(0) var<storage, read> panel: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> l: array<vec4<f32>>;      // the window's rows
@group(0) @binding(2) var<storage, read_write> above: array<vec4<f32>>;  // the 64 rows of l with these columns' numbers
@group(0) @binding(3) var<storage, read_write> across: array<vec4<f32>>;
var<immediate> params: Params;

fn put(row: u32, q: u32) -> vec4<f32> {
    if row >= params.rows { return vec4<f32>(); }
    let v = panel[row * params.wide + params.col % params.wide + q];
    l[row * params.stride + params.col + q] = v;
    return v;
}

fn put_across(at: u32, v: vec4<f32>) {
    across[at] = v;
    above[at] = vec4<f32>();
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = 4u * id.y;
    if row >= params.rows { return; }
    let v0 = put(row, id.x);
    let v1 = put(row + 1u, id.x);
    let v2 = put(row + 2u, id.x);
    let v3 = put(row + 3u, id.x);
    let at = 4u * id.x * params.stride + params.first + id.y;
    put_across(at, vec4(v0.x, v1.x, v2.x, v3.x));
    put_across(at + params.stride, vec4(v0.y, v1.y, v2.y, v3.y));
    put_across(at + 2u * params.stride, vec4(v0.z, v1.z, v2.z, v3.z));
    put_across(at + 3u * params.stride, vec4(v0.w, v1.w, v2.w, v3.w));
}
