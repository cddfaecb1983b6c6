// Nearest centre: for each row of x the row of y with the least squared distance, ties to the lowest index.
//
// Each workgroup owns 64 rows of x and walks over all rows of y, 64 at a time, by the loop of gram_tile.wgsl with
// the statistic `SqDist`; each invocation keeps the best of its own columns for its 4 rows, and the 16 candidates of
// a row are compared at the end. out[i] = (bits of the distance, index). `extra` is 1 when out holds the best of
// earlier windows of y. Padding: rows past the end of y are the last one again, under its own index.
//
// Prepended: the statistic, `load_x`, `load_y`, gram_tile.wgsl. Twin: `cpu` in src/ops/nearest.rs.
// Grid: (1, ceil(n / 64), 1).

@group(0) @binding(2) var<storage, read_write> out: array<vec2<u32>>;

const FAR: f32 = 3.4e38;

struct Best {
    distance: f32,
    index: u32,
}

var<workgroup> candidates: array<Best, LANES * LANES>;

// Lower distance, then lower index.
fn better(a: Best, b: Best) -> Best {
    if b.distance < a.distance || (b.distance == a.distance && b.index < a.index) { return b; }
    return a;
}

// An invocation meets its columns in order: of equals the first stays.
fn nearer(old: Best, distance: f32, index: u32) -> Best {
    let yes = distance < old.distance;
    return Best(select(old.distance, distance, yes), select(old.index, index, yes));
}

fn best_of(old: Best, d: vec4<f32>, at: vec4<u32>) -> Best {
    return nearer(nearer(nearer(nearer(old, d.x, at.x), d.y, at.y), d.z, at.z), d.w, at.w);
}

fn finish(row: u32, own: Best, lane: vec3<u32>, slot: u32) {
    workgroupBarrier();
    candidates[slot] = own;
    workgroupBarrier();
    if lane.x != 0u || row >= params.n { return; }
    var best = own;
    for (var i = 1u; i < LANES; i++) { best = better(best, candidates[slot + i]); }
    if params.extra == 1u { best = better(Best(bitcast<f32>(out[row].x), out[row].y), best); }
    out[row] = vec2(bitcast<u32>(best.distance), best.index);
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * TILE;
    let none = Best(FAR, 0xffffffffu);
    var b0 = none;
    var b1 = none;
    var b2 = none;
    var b3 = none;
    walk_from(row0, 0u, slot);
    for (var col0 = 0u; col0 < params.m; col0 += TILE) {
        let s = walk(row0, col0, lane, slot);
        let col = vec4(col0 + 4u * lane.x) + vec4(0u, 1u, 2u, 3u);
        let at = params.col_first + min(col, vec4(params.m - 1u));
        b0 = best_of(b0, s.r0.s0, at);
        b1 = best_of(b1, s.r1.s0, at);
        b2 = best_of(b2, s.r2.s0, at);
        b3 = best_of(b3, s.r3.s0, at);
    }
    let row = row0 + 4u * lane.y;
    finish(row, b0, lane, slot);
    finish(row + 1u, b1, lane, slot);
    finish(row + 2u, b2, lane, slot);
    finish(row + 3u, b3, lane, slot);
}
