// Diagonal of a Gram matrix: out[i] = k(x_i, x_i), one row an invocation, 64 a workgroup; nothing is staged.
//
// The statistics are those of a row against itself four times over, of which one result is kept.
// Padding: out has one column, so the other three entries of its vec4 are zeros.
//
// Prepended: the kernel, `load_x`, `load_y`, gram_tile.wgsl. Twin: `cpu` in src/ops/gram_diagonal.rs.
// Grid: (ceil(n / 64), 1, 1).

@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.n { return; }
    var s = stats_zero();
    for (var p = 0u; p < params.d4; p++) {
        let a = load_x(id.x * params.d4 + p);
        s = stats_add(s, p, a, a, a, a, a);
    }
    out[id.x] = vec4(kernel_value(s, vec4(1.0)).x, 0.0, 0.0, 0.0);
}
