// Cholesky, first stage: l = the lower triangle of a, zeros above it. One vec4 an invocation, 8 x 8 vec4s a workgroup.
//
// Padding: columns past the end lie above the diagonal, so they become zeros.
// `load_a` is prepended (f32 or half storage). Twin: `factored` in src/ops/cholesky.rs.
// Grid: (ceil(stride / 8), ceil(rows / 8), 1).

struct Params {
    rows: u32,
    stride: u32, // vec4s per row
    col: u32,
    first: u32,  // row of the matrix at row 0 of the window
}

@group(0) @binding(1) var<storage, read_write> l: array<vec4<f32>>;
var<immediate> params: Params;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.stride || id.y >= params.rows { return; }
    let at = id.y * params.stride + id.x;
    let row = params.first + id.y;
    let keep = vec4(4u * id.x, 4u * id.x + 1u, 4u * id.x + 2u, 4u * id.x + 3u) <= vec4(row);
    l[at] = select(vec4<f32>(), load_a(at), keep);
}
