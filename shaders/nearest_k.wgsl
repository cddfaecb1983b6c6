// The k nearest rows of y for each row of x: out[i, 0..k] = (bits of the squared distance, index), nearest first, the
// lower index of equals.
//
// A workgroup has 64 rows of x, one an invocation, and walks over the rows of y, 16 at a time, DEPTH vec4s of each staged
// in workgroup memory. Each invocation keeps its list in out itself, and touches it only for a row nearer than its last.
// `held` entries are there from earlier windows of y. Padding: rows past the end are computed and not kept.
//
// Prepended: `load_x`, `load_y`. Twin: `cpu` in src/ops/nearest_k.rs. Grid: (ceil(n / 64), 1, 1).

struct Params {
    n: u32,         // rows of x in the window
    m: u32,         // rows of y in the window
    d4: u32,        // vec4s per row
    k: u32,
    col_first: u32, // index of the window's first row of y
    held: u32,      // entries of each list so far
}

@group(0) @binding(2) var<storage, read_write> out: array<vec2<u32>>;
var<immediate> params: Params;

const SIDE: u32 = 16u;
const DEPTH: u32 = 4u;

var<workgroup> staged: array<vec4<f32>, 64>;

fn square(e: vec4<f32>, s: f32) -> f32 {
    return fma(e.x, e.x, fma(e.y, e.y, fma(e.z, e.z, fma(e.w, e.w, s))));
}

// The list from `list` on has `held` entries; one more, farther down the rows than all of them, finds its place.
fn insert(list: u32, held: u32, distance: f32, index: u32) -> u32 {
    let full = held == params.k;
    if full && distance >= bitcast<f32>(out[list + params.k - 1u].x) { return held; }
    var at = min(held, params.k - 1u);
    while at > 0u {
        let before = out[list + at - 1u];
        if bitcast<f32>(before.x) <= distance { break; }
        out[list + at] = before;
        at -= 1u;
    }
    out[list + at] = vec2(bitcast<u32>(distance), index);
    return select(held + 1u, held, full);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * 64u + lane;
    let own = min(row, params.n - 1u) * params.d4;
    var held = params.held;
    for (var col0 = 0u; col0 < params.m; col0 += SIDE) {
        var sums = array<vec4<f32>, 4>();
        for (var q0 = 0u; q0 < params.d4; q0 += DEPTH) {
            let base = min(col0 + lane / DEPTH, params.m - 1u) * params.d4;
            let q = q0 + lane % DEPTH;
            workgroupBarrier();
            staged[lane] = select(vec4<f32>(), load_y(base + min(q, params.d4 - 1u)), q < params.d4);
            workgroupBarrier();
            for (var p = 0u; p < min(DEPTH, params.d4 - q0); p++) {
                let a = load_x(own + q0 + p);
                for (var s = 0u; s < 4u; s++) {
                    let at = 4u * s * DEPTH + p;
                    let so_far = sums[s];
                    sums[s] = vec4(
                        square(a - staged[at], so_far.x),
                        square(a - staged[at + DEPTH], so_far.y),
                        square(a - staged[at + 2u * DEPTH], so_far.z),
                        square(a - staged[at + 3u * DEPTH], so_far.w),
                    );
                }
            }
        }
        if row < params.n {
            for (var s = 0u; s < min(SIDE, params.m - col0); s++) {
                held = insert(row * params.k, held, sums[s / 4u][s % 4u], params.col_first + col0 + s);
            }
        }
    }
}
