// Weighted kernel sum: for each tile, sum_ij w_ij k(x_i, y_j), and for GRADIENT its derivatives; K is never stored.
//
// Each workgroup takes one 64 x 64 tile by the loop of gram_tile.wgsl and writes `extra` vec4s for it: the sum and the
// NGRAD scalar slots, padded to whole vec4s, then NWEIGHT x d4 vec4s. The host adds the tiles up in f64, in order.
// LOW_RANK: w_ij = u_i . v_j over `stride` vec4s; otherwise u holds w itself, row-major with `stride` vec4s a row.
// SYMMETRIC: a pair below the diagonal counts twice, one above it not at all; tiles above it are zeros at once.
// Padding: pairs past the end have weight zero. The two passes over features are in the same order.
//
// Prepended: the kernel, `load_x`, `load_y`, gram_tile.wgsl and gram_sum_grad.wgsl or gram_sum_value.wgsl.
// Twin: `cpu` in src/ops/gram_sum.rs. Grid: (ceil(m / 64), ceil(n / 64), 1).

override LOW_RANK: bool = false;
override SYMMETRIC: bool = false;

@group(0) @binding(3) var<storage, read> u: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;

var<workgroup> sums: array<vec4<f32>, LANES * LANES>;

// 1, or under SYMMETRIC 2, 1, 0 below, on and above the diagonal.
fn factor(row: u32, col: u32) -> vec4<f32> {
    if !SYMMETRIC { return vec4(1.0); }
    let i = vec4(params.row_first + row);
    let j = vec4(params.col_first + col) + vec4(0u, 1u, 2u, 3u);
    return select(vec4(0.0), vec4(1.0), j <= i) + select(vec4(0.0), vec4(1.0), j < i);
}

fn weights(row: u32, col: u32) -> vec4<f32> {
    if row >= params.n || col >= params.m { return vec4<f32>(); }
    if !LOW_RANK { return factor(row, col) * inside(col, u[row * params.stride + params.col + col / 4u]); }
    var w = vec4<f32>();
    let last = params.m - 1u;
    for (var p = 0u; p < params.stride; p++) {
        let a = u[row * params.stride + p];
        w.x += dot(a, v[col * params.stride + p]);
        w.y += dot(a, v[min(col + 1u, last) * params.stride + p]);
        w.z += dot(a, v[min(col + 2u, last) * params.stride + p]);
        w.w += dot(a, v[min(col + 3u, last) * params.stride + p]);
    }
    return inside(col, w);
}

// Four sums over the workgroup, in a fixed order; invocation 0 stores them.
fn total(values: vec4<f32>, slot: u32, at: u32) {
    workgroupBarrier();
    sums[slot] = values;
    workgroupBarrier();
    if slot < LANES {
        var s = vec4<f32>();
        for (var i = 0u; i < LANES; i++) { s += sums[i * LANES + slot]; }
        sums[slot] = s;
    }
    workgroupBarrier();
    if slot == 0u {
        var s = vec4<f32>();
        for (var i = 0u; i < LANES; i++) { s += sums[i]; }
        out[at] = s;
    }
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * TILE;
    let col0 = group.x * TILE;
    let row = row0 + 4u * lane.y;
    let col = col0 + 4u * lane.x;
    let first = (group.y * groups.x + group.x) * params.extra;
    if SYMMETRIC && params.col_first + col0 > params.row_first + row0 + TILE - 1u {
        for (var i = slot; i < params.extra; i += LANES * LANES) { out[first + i] = vec4<f32>(); }
        return;
    }
    let s = tile_stats(row0, col0, lane, slot);
    let w0 = weights(row, col);
    let w1 = weights(row + 1u, col);
    let w2 = weights(row + 2u, col);
    let w3 = weights(row + 3u, col);
    let same0 = same(row, col);
    let same1 = same(row + 1u, col);
    let same2 = same(row + 2u, col);
    let same3 = same(row + 3u, col);
    sum_up(s, w0, w1, w2, w3, same0, same1, same2, same3, row0, col0, lane, slot, first);
}
