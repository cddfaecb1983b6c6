// Cholesky, diagonal stage: the block at (first, first) of l, at most 64 x 64, becomes its own Cholesky factor.
//
// One workgroup; invocation i owns row i of the block, which is held column-major in workgroup memory (exactly the
// 16 KiB that WebGPU guarantees). Column j is finished by all rows at once, from the columns before it.
// A pivot that is not positive is written to `status` as (index + 1, bits of its value), the first one only, and
// replaced by one: there is no early return, so every barrier is reached by all.
// Padding: rows and columns past the end are the identity. Twin: `cpu` in src/ops/cholesky.rs. Grid: (1, 1, 1).

const BLOCK: u32 = 64u;

struct Params {
    rows: u32,   // size of the block
    stride: u32, // vec4s per row of l
    col: u32,    // first vec4 of the block in its rows
    first: u32,  // index of the block's first row and column
}

@group(0) @binding(0) var<storage, read_write> l: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> status: array<u32>;
var<immediate> params: Params;

var<workgroup> s: array<f32, BLOCK * BLOCK>; // s[column * BLOCK + row]

@compute @workgroup_size(BLOCK)
fn main(@builtin(local_invocation_index) i: u32) {
    let inside = i < params.rows;
    for (var q = 0u; q < BLOCK / 4u; q++) {
        var v = vec4<f32>();
        if inside && 4u * q < params.rows { v = l[i * params.stride + params.col + q]; }
        s[(4u * q) * BLOCK + i] = v.x;
        s[(4u * q + 1u) * BLOCK + i] = v.y;
        s[(4u * q + 2u) * BLOCK + i] = v.z;
        s[(4u * q + 3u) * BLOCK + i] = v.w;
    }
    workgroupBarrier();

    for (var j = 0u; j < params.rows; j++) {
        var rest = s[j * BLOCK + i];
        // Rows above the pivot are done. Four steps at a time: on a software adapter the loop costs more than the
        // arithmetic.
        if i >= j {
            let whole = j / 4u * 4u;
            for (var k = 0u; k < whole; k += 4u) {
                let a = k * BLOCK + i;
                let b = k * BLOCK + j;
                rest -= dot(vec4(s[a], s[a + BLOCK], s[a + 2u * BLOCK], s[a + 3u * BLOCK]),
                    vec4(s[b], s[b + BLOCK], s[b + 2u * BLOCK], s[b + 3u * BLOCK]));
            }
            for (var k = whole; k < j; k++) {
                rest -= s[k * BLOCK + i] * s[k * BLOCK + j];
            }
        }
        // The pivot stays on the diagonal until the end: no later column reads it.
        if i == j { s[j * BLOCK + j] = rest; }
        workgroupBarrier();
        let pivot = s[j * BLOCK + j];
        let good = pivot > 0.0;
        if i == j && !good && status[0] == 0u {
            status[0] = params.first + j + 1u;
            status[1] = bitcast<u32>(pivot);
        }
        if i > j { s[j * BLOCK + i] = rest / sqrt(select(1.0, pivot, good)); }
        workgroupBarrier();
    }

    if !inside { return; }
    let pivot = s[i * BLOCK + i];
    s[i * BLOCK + i] = sqrt(select(1.0, pivot, pivot > 0.0));
    for (var q = 0u; 4u * q < params.rows; q++) {
        let at = 4u * q * BLOCK + i;
        let v = vec4(s[at], s[at + BLOCK], s[at + 2u * BLOCK], s[at + 3u * BLOCK]);
        let keep = vec4(4u * q, 4u * q + 1u, 4u * q + 2u, 4u * q + 3u) <= vec4(i);
        l[i * params.stride + params.col + q] = select(vec4<f32>(), v, keep);
    }
}
