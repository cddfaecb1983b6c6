// Reductions: out[i] = op_j a[i, j] (entry `rows`), out[j] = op_i a[i, j] (entry `columns`), over vec4 rows.
//
// rows: LANES invocations walk one chunk of a row, 64 / LANES rows a workgroup; out is rows x chunks.
// columns: WIDTH vec4 columns by 64 / WIDTH rows a workgroup walk one chunk of the rows; out is chunks x columns.
// Both end in a tree in workgroup memory: the order is fixed. More than one chunk is reduced again by the same entry.
// Padding: `rows` ignores it and writes zeros after a final column; `columns` keeps zeros zero.
//
// `load_a` is prepended (f32 or half storage). Twin: `cpu` in src/ops/reduce.rs.
// Grid: rows (ceil(rows * LANES / 64), chunks, 1); columns (x, chunks, z) with x * z >= ceil(vec4s / WIDTH).

const MIN: u32 = 1u;
const MAX: u32 = 2u;
const SUM_SQUARES: u32 = 3u;

override OP: u32 = 0u; // 0: sum
override LANES: u32 = 64u;
override WIDTH: u32 = 64u;

struct Params {
    rows: u32,       // of the window
    cols: u32,
    vec4s: u32,      // per row of a
    chunk: u32,      // vec4s (entry rows) or rows (entry columns) in a chunk
    out_stride: u32, // f32s per row of out (entry rows)
    last: u32,       // 1: out is the result, one column (entry rows)
    carry: u32,      // 1: combine with what an earlier window left in out (entry columns)
    scale: f32,
}

@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_vec4: array<vec4<f32>>;
var<immediate> params: Params;
var<workgroup> tree: array<vec4<f32>, 64>;

fn combine(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    if OP == MIN { return min(x, y); }
    if OP == MAX { return max(x, y); }
    return x + y;
}

fn term(v: vec4<f32>) -> vec4<f32> {
    if OP == SUM_SQUARES { return v * v; }
    return v;
}

// What changes nothing: zero for sums, any entry of the row or column itself for extremes.
fn neutral(entry: vec4<f32>) -> vec4<f32> {
    if OP == MIN || OP == MAX { return entry; }
    return vec4<f32>();
}

@compute @workgroup_size(64)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * (64u / LANES) + lane / LANES;
    let part = lane % LANES;
    let base = min(row, params.rows - 1u) * params.vec4s;
    let end = min(params.vec4s, (group.y + 1u) * params.chunk);
    let none = neutral(vec4(load_a(base).x));
    var sum = none;
    for (var q = group.y * params.chunk + part; q < end; q += LANES) {
        let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
        sum = combine(sum, select(none, term(load_a(base + q)), real));
    }
    tree[lane] = sum;
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if part < reach { tree[lane] = combine(tree[lane], tree[lane + reach]); }
    }
    if part != 0u || row >= params.rows { return; }
    let v = tree[lane];
    let pair = combine(v, v.zwxy);
    let whole = combine(pair, pair.yxwz).x * params.scale;
    let at = row * params.out_stride;
    out[at + group.y] = whole;
    if params.last == 1u {
        out[at + 1u] = 0.0;
        out[at + 2u] = 0.0;
        out[at + 3u] = 0.0;
    }
}

@compute @workgroup_size(64)
fn columns(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let height = 64u / WIDTH;
    let q = (group.z * groups.x + group.x) * WIDTH + lane % WIDTH;
    let part = lane / WIDTH;
    let at = min(q, params.vec4s - 1u);
    let end = min(params.rows, (group.y + 1u) * params.chunk);
    var sum = neutral(load_a(at));
    for (var row = group.y * params.chunk + part; row < end; row += height) {
        sum = combine(sum, term(load_a(row * params.vec4s + at)));
    }
    tree[lane] = sum;
    for (var reach = height / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if part < reach { tree[lane] = combine(tree[lane], tree[lane + reach * WIDTH]); }
    }
    if part != 0u || q >= params.vec4s { return; }
    var whole = tree[lane];
    let slot = group.y * params.vec4s + q;
    if params.carry == 1u { whole = combine(out_vec4[slot], whole); }
    out_vec4[slot] = whole * params.scale;
}
