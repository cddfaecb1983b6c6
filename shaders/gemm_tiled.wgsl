// Product: c = alpha op(a) op(b) + beta c, over row-major operands padded to vec4 rows.
//
// Each workgroup fills a 64 x 64 tile of c; each invocation keeps a 4 x 4 block of it in registers. Operands pass
// through workgroup memory 16 steps of k at a time, k-major, whichever way they are stored.
// Padding: columns beyond a row's end hold zeros; rows beyond the end are staged as zeros, so padding of c gets zeros.
// LOWER: tiles above the diagonal are skipped; MIRROR: tiles below it are stored a second time, above it.
//
// `load_a` and `load_b` are prepended (f32 or half storage). Twin: `cpu` in src/ops/gemm.rs.
// Grid: (ceil(n / 64), ceil(m / 64), 1).

const TILE: u32 = 64u;
const LANES: u32 = 16u; // workgroup is LANES x LANES
const DEPTH: u32 = 16u; // steps of k staged at a time

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

var<workgroup> a_tile: array<f32, DEPTH * TILE>; // [k][row]
var<workgroup> b_tile: array<f32, DEPTH * TILE>; // [k][col]

// Four consecutive entries of op(a), along its stored rows.
fn stage_a(row0: u32, k0: u32, slot: u32) {
    if TRANS_A {
        let kk = k0 + slot / LANES;
        let q = row0 / 4u + slot % LANES;
        var v = vec4<f32>();
        if kk < params.k && q * 4u < params.m { v = load_a(kk * params.a_stride + params.a_col + q); }
        let at = slot / LANES * TILE + slot % LANES * 4u;
        a_tile[at] = v.x;
        a_tile[at + 1u] = v.y;
        a_tile[at + 2u] = v.z;
        a_tile[at + 3u] = v.w;
    } else {
        let row = slot / 4u;
        let p = slot % 4u;
        var v = vec4<f32>();
        if row0 + row < params.m && k0 + 4u * p < params.k {
            v = load_a((row0 + row) * params.a_stride + params.a_col + k0 / 4u + p);
        }
        let at = 4u * p * TILE + row;
        a_tile[at] = v.x;
        a_tile[at + TILE] = v.y;
        a_tile[at + 2u * TILE] = v.z;
        a_tile[at + 3u * TILE] = v.w;
    }
}

fn stage_b(col0: u32, k0: u32, slot: u32) {
    if TRANS_B {
        let col = slot / 4u;
        let p = slot % 4u;
        var v = vec4<f32>();
        if col0 + col < params.n && k0 + 4u * p < params.k {
            v = load_b((col0 + col) * params.b_stride + params.b_col + k0 / 4u + p);
        }
        let at = 4u * p * TILE + col;
        b_tile[at] = v.x;
        b_tile[at + TILE] = v.y;
        b_tile[at + 2u * TILE] = v.z;
        b_tile[at + 3u * TILE] = v.w;
    } else {
        let kk = k0 + slot / LANES;
        let q = col0 / 4u + slot % LANES;
        var v = vec4<f32>();
        if kk < params.k && q * 4u < params.n { v = load_b(kk * params.b_stride + params.b_col + q); }
        let at = slot / LANES * TILE + slot % LANES * 4u;
        b_tile[at] = v.x;
        b_tile[at + 1u] = v.y;
        b_tile[at + 2u] = v.z;
        b_tile[at + 3u] = v.w;
    }
}

fn store(row: u32, col: u32, v: vec4<f32>) {
    if row >= params.m || col >= params.n { return; }
    let at = row * params.c_stride + params.c_col + col / 4u;
    var out = params.alpha * v;
    if params.beta != 0.0 { out += params.beta * c[at]; }
    c[at] = out;
}

@compute @workgroup_size(LANES, LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) slot: u32,
) {
    let row0 = group.y * TILE;
    let col0 = group.x * TILE;
    if LOWER && i32(col0) > i32(row0 + TILE - 1u) + params.shift { return; }

    var acc0 = vec4<f32>();
    var acc1 = vec4<f32>();
    var acc2 = vec4<f32>();
    var acc3 = vec4<f32>();
    for (var k0 = 0u; k0 < params.k; k0 += DEPTH) {
        stage_a(row0, k0, slot);
        stage_b(col0, k0, slot);
        workgroupBarrier();
        for (var kk = 0u; kk < DEPTH; kk++) {
            let ra = kk * TILE + lane.y * 4u;
            let rb = kk * TILE + lane.x * 4u;
            let bv = vec4(b_tile[rb], b_tile[rb + 1u], b_tile[rb + 2u], b_tile[rb + 3u]);
            acc0 += a_tile[ra] * bv;
            acc1 += a_tile[ra + 1u] * bv;
            acc2 += a_tile[ra + 2u] * bv;
            acc3 += a_tile[ra + 3u] * bv;
        }
        workgroupBarrier();
    }

    let row = row0 + lane.y * 4u;
    let col = col0 + lane.x * 4u;
    store(row, col, acc0);
    store(row + 1u, col, acc1);
    store(row + 2u, col, acc2);
    store(row + 3u, col, acc3);
    if MIRROR && col0 < row0 {
        store(col, row, vec4(acc0.x, acc1.x, acc2.x, acc3.x));
        store(col + 1u, row, vec4(acc0.y, acc1.y, acc2.y, acc3.y));
        store(col + 2u, row, vec4(acc0.z, acc1.z, acc2.z, acc3.z));
        store(col + 3u, row, vec4(acc0.w, acc1.w, acc2.w, acc3.w));
    }
}
