// Cholesky, panel stage: 64 finished columns go to their place in l. One vec4 an invocation, 16 x 16 a workgroup.
//
// The panel is computed into a buffer of its own because a dispatch may not read and write one buffer.
// Padding: none, 64 columns are 16 whole vec4s. Twin: `put_panel` in src/ops/cholesky.rs.
// Grid: (1, ceil(rows / 16), 1).

struct Params {
    rows: u32,
    stride: u32, // vec4s per row of l
    col: u32,    // vec4 column of l that receives the panel
    first: u32,
}

@group(0) @binding(0) var<storage, read> panel: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> l: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.y >= params.rows { return; }
    l[id.y * params.stride + params.col + id.x] = panel[id.y * 16u + id.x];
}
