// Log-sum-exp by row: out[i] = log sum_j exp(a[i, j]), by the monoid of pairs (max, sum of exp(. - max)).
//
// partial: LANES invocations walk one chunk of a row, 64 / LANES rows a workgroup, then a tree in workgroup memory;
// out is rows x chunks pairs. merge: one invocation a row joins its chunks in order. Shared with softmax, which
// wants the pairs themselves (LOG = false).
// Padding: ignored in a; a last stage writes zeros after its result.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/logsumexp.rs.
// Grid: partial (ceil(rows * LANES / 64), chunks, 1); merge (ceil(rows / 64), 1, 1).

override LANES: u32 = 64u;
override LOG: bool = true;

const LOWEST: f32 = -0x1.fffffep+127f;

struct Params {
    rows: u32,       // of the window
    cols: u32,
    vec4s: u32,      // per row of a
    chunk: u32,      // vec4s in a chunk
    chunks: u32,     // of a row
    in_stride: u32,  // pairs per row of what merge reads
    out_stride: u32, // pairs per row of out
    last: u32,       // 1: out is the result, one pair a row
}

@group(0) @binding(0) var<storage, read> pairs: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f32>>;
var<immediate> params: Params;
var<workgroup> tree: array<vec2<f32>, 64>;

fn join(x: vec2<f32>, y: vec2<f32>) -> vec2<f32> {
    let top = max(x.x, y.x);
    return vec2(top, x.y * exp(x.x - top) + y.y * exp(y.x - top));
}

fn store(row: u32, chunk: u32, pair: vec2<f32>) {
    let at = row * params.out_stride;
    if params.last == 0u {
        out[at + chunk] = pair;
        return;
    }
    if LOG { out[at] = vec2(pair.x + log(pair.y), 0.0); } else { out[at] = pair; }
    out[at + 1u] = vec2<f32>();
}

@compute @workgroup_size(64)
fn partial(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * (64u / LANES) + lane / LANES;
    let part = lane % LANES;
    let base = min(row, params.rows - 1u) * params.vec4s;
    let end = min(params.vec4s, (group.y + 1u) * params.chunk);
    // An empty sum above an entry of the row: a finite start, so that no difference of infinities arises.
    var all = vec2(max(load_a(base).x, LOWEST), 0.0);
    for (var q = group.y * params.chunk + part; q < end; q += LANES) {
        let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
        let v = load_a(base + q);
        let w = select(vec4(v.x), v, real);
        let pair = max(w.xy, w.zw);
        let top = max(all.x, max(pair.x, pair.y));
        let e = select(vec4<f32>(), exp(v - top), real);
        all = vec2(top, all.y * exp(all.x - top) + ((e.x + e.z) + (e.y + e.w)));
    }
    tree[lane] = all;
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if part < reach { tree[lane] = join(tree[lane], tree[lane + reach]); }
    }
    if part == 0u && row < params.rows { store(row, group.y, tree[lane]); }
}

@compute @workgroup_size(64)
fn merge(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= params.rows { return; }
    let base = row * params.in_stride;
    var all = pairs[base];
    for (var c = 1u; c < params.chunks; c++) { all = join(all, pairs[base + c]); }
    store(row, 0u, all);
}
