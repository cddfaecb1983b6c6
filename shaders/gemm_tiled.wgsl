// Product: c = alpha op(a) op(b) + beta c, over row-major operands padded to vec4 rows.
//
// A workgroup of LANES x LANES fills a square tile of c of 8 LANES rows: 128 x 128 by 256 invocations, or 64 x 64 by 64.
// Each keeps 8 x 8 entries in registers as 2 x 2 blocks of 4 x 4, half a tile apart: two vec4s of each operand feed 64
// products. Operands pass through workgroup memory 16 steps of k at a time, k-major, whichever way they are stored; the
// vec4 g of step k lies at k * 2 LANES + (g ^ 2 (k / 4)), which keeps turned stores and all reads free of bank conflicts.
// Padding: columns beyond a row's end hold zeros, here and in c. A place past the end is read as the last one there is;
// past the end of k, or of the rows of an operand stored along k, it is staged as zero.
// LOWER: tiles above the diagonal are skipped; MIRROR: tiles below it are stored a second time, above it.
//
// `load_a` and `load_b` (f32 or half storage) are prepended, gemm_stage.wgsl is appended. Twin: `cpu` in src/ops/gemm.rs.
// Grid: (ceil(n / 8 LANES), ceil(m / 8 LANES), 1).

override LANES: u32 = 16u; // or 8
override AHEAD: bool = true; // whether the next steps of k wait in registers: where there are enough, and not for halves
const DEPTH: u32 = 16u;    // steps of k staged at a time

override TRANS_A: bool = false;
override TRANS_B: bool = false;
override LOWER: bool = false;
override MIRROR: bool = false;

struct Params {
    m: u32,
    n: u32,
    k: u32,
    a_stride: u32, // vec4s per stored row
    b_stride: u32,
    c_stride: u32,
    a_col: u32,    // first vec4 of the window in each row
    b_col: u32,
    c_col: u32,
    shift: i32,    // row minus column of the window's first entry
    alpha: f32,
    beta: f32,
}

@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
var<immediate> params: Params;

override WIDE: u32 = 2u * LANES;        // vec4s of one step of k
override OWN: u32 = LANES * LANES;      // invocations
override HALF: u32 = DEPTH * WIDE;      // where op(b) begins
var<workgroup> tile: array<vec4<f32>, 2u * HALF>;

struct Four {
    v0: vec4<f32>,
    v1: vec4<f32>,
    v2: vec4<f32>,
    v3: vec4<f32>,
}

fn store(row: u32, col: u32, v: vec4<f32>) {
    if row >= params.m || col >= params.n { return; }
    let at = row * params.c_stride + params.c_col + col / 4u;
    var out = params.alpha * v;
    if params.beta != 0.0 { out += params.beta * c[at]; }
    c[at] = out;
}

fn store_block(row: u32, col: u32, s: Four, twice: bool) {
    store(row, col, s.v0);
    store(row + 1u, col, s.v1);
    store(row + 2u, col, s.v2);
    store(row + 3u, col, s.v3);
    if MIRROR && twice {
        let t = transpose(mat4x4<f32>(s.v0, s.v1, s.v2, s.v3));
        store(col, row, t[0]);
        store(col + 1u, row, t[1]);
        store(col + 2u, row, t[2]);
        store(col + 3u, row, t[3]);
    }
}

fn add(s: Four, a: vec4<f32>, b: vec4<f32>) -> Four {
    return Four(
        fma(vec4(a.x), b, s.v0),
        fma(vec4(a.y), b, s.v1),
        fma(vec4(a.z), b, s.v2),
        fma(vec4(a.w), b, s.v3),
    );
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * 8u * LANES;
    let col0 = group.x * 8u * LANES;
    if LOWER && i32(col0) > i32(row0 + 8u * LANES - 1u) + params.shift { return; }

    var s00 = Four();
    var s01 = Four();
    var s10 = Four();
    var s11 = Four();
    var a = Four();
    var b = Four();
    if AHEAD {
        a = next_a(row0, slot, 0u);
        b = next_b(col0, slot, 0u);
    }
    for (var k0 = 0u; k0 < params.k; k0 += DEPTH) {
        if !AHEAD { a = next_a(row0, slot, k0); }
        workgroupBarrier();
        if TRANS_A { put_across(0u, slot, k0, a); } else { put_along(0u, slot, k0, params.m - row0, a); }
        if !AHEAD { b = next_b(col0, slot, k0); }
        if TRANS_B { put_along(HALF, slot, k0, params.n - col0, b); } else { put_across(HALF, slot, k0, b); }
        workgroupBarrier();
        if AHEAD {
            a = next_a(row0, slot, k0 + DEPTH);
            b = next_b(col0, slot, k0 + DEPTH);
        }
        for (var p = 0u; p < 4u; p++) {
            let ra = p * 4u * WIDE + (lane.y ^ (2u * p));
            let rb = HALF + p * 4u * WIDE + (lane.x ^ (2u * p));
            for (var j = 0u; j < 4u; j++) {
                let a0 = tile[ra + j * WIDE];
                let a1 = tile[ra + j * WIDE + LANES];
                let b0 = tile[rb + j * WIDE];
                let b1 = tile[rb + j * WIDE + LANES];
                s00 = add(s00, a0, b0);
                s01 = add(s01, a0, b1);
                s10 = add(s10, a1, b0);
                s11 = add(s11, a1, b1);
            }
        }
    }

    let row = row0 + 4u * lane.y;
    let col = col0 + 4u * lane.x;
    let below = col0 < row0;
    store_block(row, col, s00, below);
    store_block(row, col + 4u * LANES, s01, below);
    store_block(row + 4u * LANES, col, s10, below);
    store_block(row + 4u * LANES, col + 4u * LANES, s11, below);
}
