// Logarithms of a diagonal, summed: out[g] = (sum of log d[i] over block g, the first i with d[i] not positive, d[i]).
//
// A workgroup of 64 takes a block of 1024 entries, 16 an invocation, then a tree in workgroup memory; the host adds
// the blocks in f64. An entry that is not positive (a NaN too) counts as one and leaves its index.
// Padding: d is a column, one vec4 an entry; only its first component is read.
//
// Twin: `cpu` in src/ops/log_det.rs. Grid: (ceil(rows / 1024), 1, 1).

const BLOCK: u32 = 1024u;
const NONE: u32 = 0xffffffffu;

struct Params {
    rows: u32,      // of the window
    first: u32,     // first row of the window
    out_first: u32, // its first block
}

@group(0) @binding(0) var<storage, read> d: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;
var<immediate> params: Params;
var<workgroup> sums: array<f32, 64>;
var<workgroup> worst: array<u32, 64>;

// Greater than zero and finite. By its bits: where a compiler takes it that there are no NaN (Metal's fast math) a
// comparison of floats may hold of one.
fn positive(v: f32) -> bool {
    return bitcast<u32>(v) - 1u < 0x7f7fffffu;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let end = min(params.rows, (group.x + 1u) * BLOCK);
    var sum = 0.0;
    var bad = NONE;
    for (var i = group.x * BLOCK + lane; i < end; i += 64u) {
        let v = d[i].x;
        if !positive(v) { bad = min(bad, i); } else { sum += log(v); }
    }
    sums[lane] = sum;
    worst[lane] = bad;
    for (var reach = 32u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach {
            sums[lane] += sums[lane + reach];
            worst[lane] = min(worst[lane], worst[lane + reach]);
        }
    }
    if lane != 0u { return; }
    let at = worst[0];
    var index = NONE;
    var value = 0u;
    if at != NONE {
        index = params.first + at;
        value = bitcast<u32>(d[at].x);
    }
    out[params.out_first + group.x] = vec4(bitcast<u32>(sums[0]), index, value, 0u);
}
