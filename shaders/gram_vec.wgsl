// Gram-vector product: out[i, :] (+)= sum_j k(x_i, y_j) v[j, :], four columns of v at a time; K is never stored.
//
// Each workgroup owns 64 rows of x and walks over its share of the window of y, 64 rows at a time, by the loop of
// gram_tile.wgsl; each invocation sums its own 4 rows x every 16th vec4 of columns, and the 16 partial sums of a row
// are added in a fixed order at the end. Where y is shared among several workgroups, out is one slab of n rows for each
// share, which gram_vec_add.wgsl adds up. `extra` is 1 when out already holds the sum of earlier windows.
// ONE: v has a single column, and one product a pair is made instead of four.
// Padding: rows past the end of y have weight zero. `col` is the vec4 of v and out, `stride` their vec4s per row.
//
// Prepended: the kernel, `load_x`, `load_y`, gram_tile.wgsl. Twin: `cpu` in src/ops/gram_vec.rs.
// Grid: (shares, ceil(n / 64), 1); a share is short enough for llvmpipe's 65,535 iterations.

override ONE: bool = false;

@group(0) @binding(3) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;

// Two tiles in turn: while one is read the other is written, so that the walk's own barriers suffice.
// ONE packs four rows to a vec4.
var<workgroup> weights: array<vec4<f32>, 2u * TILE>;

fn stage_weights(col0: u32, end: u32, slot: u32) {
    if slot >= TILE { return; }
    let j = col0 + slot;
    let w = select(vec4<f32>(), v[min(j, params.m - 1u) * params.stride + params.col], j < end);
    let first = col0 % (2u * TILE);
    if ONE { weights[first + slot / 4u][slot % 4u] = w.x; } else { weights[first + slot] = w; }
}

fn put(row: u32, slab: u32, total: vec4<f32>) {
    if row >= params.n { return; }
    let at = (slab * params.n + row) * params.stride + params.col;
    var sum = total;
    if params.extra == 1u { sum += out[at]; }
    out[at] = sum;
}

// The sum over the 16 lanes of a row, for the first of them. The tile of y is done with.
fn over_lanes(partial: vec4<f32>, slot: u32) -> vec4<f32> {
    workgroupBarrier();
    y_tile[slot] = partial;
    workgroupBarrier();
    var total = vec4<f32>();
    if slot % LANES == 0u {
        for (var i = 0u; i < LANES; i++) { total += y_tile[slot + i]; }
    }
    return total;
}

fn sum(a: vec4<f32>) -> f32 {
    return (a.x + a.y) + (a.z + a.w);
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * TILE;
    let row = row0 + 4u * lane.y;
    let share = (params.m + groups.x * TILE - 1u) / (groups.x * TILE) * TILE;
    let first = group.x * share;
    let end = min(params.m, first + share);
    var o0 = vec4<f32>();
    var o1 = vec4<f32>();
    var o2 = vec4<f32>();
    var o3 = vec4<f32>();
    walk_from(row0, first, slot);
    for (var col0 = first; col0 < end; col0 += TILE) {
        stage_weights(col0, end, slot);
        let s = walk(row0, col0, lane, slot);
        let col = col0 + 4u * lane.x;
        let k0 = kernel_value(s.r0, same(row, col));
        let k1 = kernel_value(s.r1, same(row + 1u, col));
        let k2 = kernel_value(s.r2, same(row + 2u, col));
        let k3 = kernel_value(s.r3, same(row + 3u, col));
        let at = col0 % (2u * TILE);
        if ONE {
            let w = weights[at + lane.x];
            o0 = fma(w, k0, o0);
            o1 = fma(w, k1, o1);
            o2 = fma(w, k2, o2);
            o3 = fma(w, k3, o3);
        } else {
            let mine = at + 4u * lane.x;
            let w = mat4x4<f32>(weights[mine], weights[mine + 1u], weights[mine + 2u], weights[mine + 3u]);
            o0 += w * k0;
            o1 += w * k1;
            o2 += w * k2;
            o3 += w * k3;
        }
    }
    if ONE {
        let total = over_lanes(vec4(sum(o0), sum(o1), sum(o2), sum(o3)), slot);
        if lane.x == 0u {
            put(row, group.x, vec4(total.x, 0.0, 0.0, 0.0));
            put(row + 1u, group.x, vec4(total.y, 0.0, 0.0, 0.0));
            put(row + 2u, group.x, vec4(total.z, 0.0, 0.0, 0.0));
            put(row + 3u, group.x, vec4(total.w, 0.0, 0.0, 0.0));
        }
        return;
    }
    let t0 = over_lanes(o0, slot);
    let t1 = over_lanes(o1, slot);
    let t2 = over_lanes(o2, slot);
    let t3 = over_lanes(o3, slot);
    if lane.x == 0u {
        put(row, group.x, t0);
        put(row + 1u, group.x, t1);
        put(row + 2u, group.x, t2);
        put(row + 3u, group.x, t3);
    }
}
