// Smallest entry by row: out[i] = (min_j a[i, j], the lowest j that attains it), as two words.
//
// partial: LANES invocations walk one chunk of a row, 64 / LANES rows a workgroup, then a tree in workgroup memory;
// out is rows x chunks. merge: one invocation a row joins its chunks. Ties go to the lower index at every step.
// Padding: ignored in a; the rest of a row of out is never read.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/argmin.rs.
// Grid: partial (ceil(rows * LANES / 64), chunks, 1); merge (ceil(rows / 64), 1, 1).

override LANES: u32 = 64u;

struct Params {
    rows: u32,       // of the window
    cols: u32,
    vec4s: u32,      // per row of a
    chunk: u32,      // vec4s in a chunk
    chunks: u32,     // of a row
    in_stride: u32,  // pairs per row of what merge reads
    out_stride: u32, // pairs per row of out
}

struct Best {
    value: f32,
    index: u32,
}

@group(0) @binding(0) var<storage, read> bests: array<Best>;
@group(0) @binding(1) var<storage, read_write> out: array<Best>;
var<immediate> params: Params;
var<workgroup> tree: array<Best, 64>;

fn better(x: Best, y: Best) -> Best {
    if y.value < x.value || (y.value == x.value && y.index < x.index) { return y; }
    return x;
}

fn offer(x: Best, value: f32, index: u32) -> Best {
    if index < params.cols && value < x.value { return Best(value, index); }
    return x;
}

@compute @workgroup_size(64)
fn partial(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * (64u / LANES) + lane / LANES;
    let part = lane % LANES;
    let base = min(row, params.rows - 1u) * params.vec4s;
    let end = min(params.vec4s, (group.y + 1u) * params.chunk);
    // The first entry of the row is a candidate in every chunk.
    var best = Best(load_a(base).x, 0u);
    for (var q = group.y * params.chunk + part; q < end; q += LANES) {
        let v = load_a(base + q);
        best = offer(best, v.x, 4u * q);
        best = offer(best, v.y, 4u * q + 1u);
        best = offer(best, v.z, 4u * q + 2u);
        best = offer(best, v.w, 4u * q + 3u);
    }
    tree[lane] = best;
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if part < reach { tree[lane] = better(tree[lane], tree[lane + reach]); }
    }
    if part == 0u && row < params.rows { out[row * params.out_stride + group.y] = tree[lane]; }
}

@compute @workgroup_size(64)
fn merge(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= params.rows { return; }
    let base = row * params.in_stride;
    var best = bests[base];
    for (var c = 1u; c < params.chunks; c++) { best = better(best, bests[base + c]); }
    out[row * params.out_stride] = best;
}
