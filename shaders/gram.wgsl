// Gram matrix: out[i, j] = k(x_i, y_j).
//
// Each workgroup fills a 64 x 64 tile by the loop of gram_tile.wgsl. MIRROR: tiles above the diagonal are skipped
// and tiles below it are stored a second time, above it.
// Padding: columns of out past the end get zeros. HALF packs two values to a word.
//
// Prepended: the kernel, `load_x`, `load_y`, gram_tile.wgsl and `put`, which stores a vec4 in f32 or half.
// Twin: `cpu` in src/ops/gram.rs. Grid: (ceil(m / 64), ceil(n / 64), 1).

override MIRROR: bool = false;

fn store(row: u32, col: u32, v: vec4<f32>) {
    if row >= params.n || col >= params.m { return; }
    put(row * params.stride + params.col + col / 4u, inside(col, v));
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    if MIRROR && group.x > group.y { return; }
    let s = tile_stats(group.y * TILE, group.x * TILE, lane, slot);
    let row = group.y * TILE + 4u * lane.y;
    let col = group.x * TILE + 4u * lane.x;
    let k0 = kernel_value(s.r0, same(row, col));
    let k1 = kernel_value(s.r1, same(row + 1u, col));
    let k2 = kernel_value(s.r2, same(row + 2u, col));
    let k3 = kernel_value(s.r3, same(row + 3u, col));
    store(row, col, k0);
    store(row + 1u, col, k1);
    store(row + 2u, col, k2);
    store(row + 3u, col, k3);
    if MIRROR && group.x < group.y {
        store(col, row, vec4(k0.x, k1.x, k2.x, k3.x));
        store(col + 1u, row, vec4(k0.y, k1.y, k2.y, k3.y));
        store(col + 2u, row, vec4(k0.z, k1.z, k2.z, k3.z));
        store(col + 3u, row, vec4(k0.w, k1.w, k2.w, k3.w));
    }
}
