// Gram-vector product: out[i, :] (+)= sum_j k(x_i, y_j) v[j, :], four columns of v at a time; K is never stored.
//
// Each workgroup owns 64 rows of x and walks over all of its window of y, 64 rows at a time, by the loop of
// gram_tile.wgsl; each invocation sums its own 4 rows x every 16th vec4 of columns, and the 16 partial sums of a row
// are added in a fixed order at the end. `extra` is 1 when out already holds the sum of earlier windows.
// Padding: columns past the end of y are masked. `col` is the vec4 of v and out, `stride` their vec4s per row.
//
// Prepended: the kernel, `load_x`, `load_y`, gram_tile.wgsl. Twin: `cpu` in src/ops/gram_vec.rs.
// Grid: (1, ceil(n / 64), 1); the window of y is short enough for llvmpipe's 65,535 iterations.

@group(0) @binding(3) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

var<workgroup> sums: array<vec4<f32>, LANES * LANES>;

fn weight(j: u32) -> vec4<f32> {
    if j >= params.m { return vec4<f32>(); }
    return v[j * params.stride + params.col];
}

// The sum over the 16 lanes of a row, stored by the first of them.
fn finish(row: u32, partial: vec4<f32>, lane: vec3<u32>, slot: u32) {
    workgroupBarrier();
    sums[slot] = partial;
    workgroupBarrier();
    if lane.x != 0u || row >= params.n { return; }
    var total = vec4<f32>();
    for (var i = 0u; i < LANES; i++) { total += sums[slot + i]; }
    let at = row * params.stride + params.col;
    if params.extra == 1u { total += out[at]; }
    out[at] = total;
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * TILE;
    let row = row0 + 4u * lane.y;
    var o0 = vec4<f32>();
    var o1 = vec4<f32>();
    var o2 = vec4<f32>();
    var o3 = vec4<f32>();
    for (var col0 = 0u; col0 < params.m; col0 += TILE) {
        let s = tile_stats(row0, col0, lane, slot);
        let col = col0 + 4u * lane.x;
        let w = mat4x4<f32>(weight(col), weight(col + 1u), weight(col + 2u), weight(col + 3u));
        o0 += w * inside(col, kernel_value(s.r0, same(row, col)));
        o1 += w * inside(col, kernel_value(s.r1, same(row + 1u, col)));
        o2 += w * inside(col, kernel_value(s.r2, same(row + 2u, col)));
        o3 += w * inside(col, kernel_value(s.r3, same(row + 3u, col)));
    }
    finish(row, o0, lane, slot);
    finish(row + 1u, o1, lane, slot);
    finish(row + 2u, o2, lane, slot);
    finish(row + 3u, o3, lane, slot);
}
