// Product: c = alpha op(a) b + beta c, over row-major operands padded to vec4 rows, without workgroup memory.
//
// Each invocation keeps an 8 x 8 block of c in registers: 8 rows by two vec4s that lie 8 vec4s apart, so that the
// lanes of a row of invocations read consecutive vec4s of b. A workgroup of 8 x 8 covers a 64 x 64 tile. For
// software adapters: no barriers, and the operands come from the CPU's own caches.
// Padding: reads beyond the last row are clamped to it and their results not stored; k runs over whole vec4s.
// LOWER: tiles above the diagonal are skipped; MIRROR: tiles below it are stored a second time, above it.
//
// `load_a` and `load_b` are prepended (f32 or half storage). Twin: `cpu` in src/ops/gemm.rs.
// Grid: (ceil(n / 64), ceil(m / 64), 1).

const TILE: u32 = 64u;

override TRANS_A: bool = false;
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

fn store(row: u32, q: u32, v: vec4<f32>) {
    if row >= params.m || 4u * q >= params.n { return; }
    let at = row * params.c_stride + params.c_col + q;
    var out = params.alpha * v;
    if params.beta != 0.0 { out += params.beta * c[at]; }
    c[at] = out;
}

// Rows r..r+3 and vec4 column q again, as rows 4q..4q+3 and vec4 column r/4; rows past the end are padding now.
fn mirror(r: u32, q: u32, v0: vec4<f32>, v1: vec4<f32>, v2: vec4<f32>, v3: vec4<f32>) {
    let keep = vec4(r, r + 1u, r + 2u, r + 3u) < vec4(params.m);
    let zero = vec4<f32>();
    store(4u * q, r / 4u, select(zero, vec4(v0.x, v1.x, v2.x, v3.x), keep));
    store(4u * q + 1u, r / 4u, select(zero, vec4(v0.y, v1.y, v2.y, v3.y), keep));
    store(4u * q + 2u, r / 4u, select(zero, vec4(v0.z, v1.z, v2.z, v3.z), keep));
    store(4u * q + 3u, r / 4u, select(zero, vec4(v0.w, v1.w, v2.w, v3.w), keep));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    if LOWER && i32(group.x * TILE) > i32(group.y * TILE + TILE - 1u) + params.shift { return; }
    let row = group.y * TILE + lane.y * 8u;
    let q0 = group.x * 16u + lane.x;
    let q1 = q0 + 8u;
    // Clamped once, so that the loop needs no conditions.
    let last = (params.n + 3u) / 4u - 1u;
    let b0 = params.b_col + min(q0, last);
    let b1 = params.b_col + min(q1, last);
    let a0 = min(row + 0u, params.m - 1u) * params.a_stride + params.a_col;
    let a1 = min(row + 1u, params.m - 1u) * params.a_stride + params.a_col;
    let a2 = min(row + 2u, params.m - 1u) * params.a_stride + params.a_col;
    let a3 = min(row + 3u, params.m - 1u) * params.a_stride + params.a_col;
    let a4 = min(row + 4u, params.m - 1u) * params.a_stride + params.a_col;
    let a5 = min(row + 5u, params.m - 1u) * params.a_stride + params.a_col;
    let a6 = min(row + 6u, params.m - 1u) * params.a_stride + params.a_col;
    let a7 = min(row + 7u, params.m - 1u) * params.a_stride + params.a_col;
    let at_row = params.a_col + min(row, (params.m - 1u) / 4u * 4u) / 4u;
    let at_next = params.a_col + min(row + 4u, (params.m - 1u) / 4u * 4u) / 4u;
    var l0 = vec4<f32>();
    var r0 = vec4<f32>();
    var l1 = vec4<f32>();
    var r1 = vec4<f32>();
    var l2 = vec4<f32>();
    var r2 = vec4<f32>();
    var l3 = vec4<f32>();
    var r3 = vec4<f32>();
    var l4 = vec4<f32>();
    var r4 = vec4<f32>();
    var l5 = vec4<f32>();
    var r5 = vec4<f32>();
    var l6 = vec4<f32>();
    var r6 = vec4<f32>();
    var l7 = vec4<f32>();
    var r7 = vec4<f32>();
    if TRANS_A {
        for (var k = 0u; k < params.k; k++) {
            let u = load_a(k * params.a_stride + at_row);
            let v = load_a(k * params.a_stride + at_next);
            let x = load_b(k * params.b_stride + b0);
            let y = load_b(k * params.b_stride + b1);
            l0 += u.x * x;
            r0 += u.x * y;
            l1 += u.y * x;
            r1 += u.y * y;
            l2 += u.z * x;
            r2 += u.z * y;
            l3 += u.w * x;
            r3 += u.w * y;
            l4 += v.x * x;
            r4 += v.x * y;
            l5 += v.y * x;
            r5 += v.y * y;
            l6 += v.z * x;
            r6 += v.z * y;
            l7 += v.w * x;
            r7 += v.w * y;
        }
    } else {
        let whole = params.k / 4u;
        for (var p = 0u; p < whole; p++) {
            let v0 = load_a(a0 + p);
            let v1 = load_a(a1 + p);
            let v2 = load_a(a2 + p);
            let v3 = load_a(a3 + p);
            let v4 = load_a(a4 + p);
            let v5 = load_a(a5 + p);
            let v6 = load_a(a6 + p);
            let v7 = load_a(a7 + p);
            var at = 4u * p * params.b_stride;
            let x0 = load_b(at + b0);
            let y0 = load_b(at + b1);
            at += params.b_stride;
            let x1 = load_b(at + b0);
            let y1 = load_b(at + b1);
            at += params.b_stride;
            let x2 = load_b(at + b0);
            let y2 = load_b(at + b1);
            at += params.b_stride;
            let x3 = load_b(at + b0);
            let y3 = load_b(at + b1);
            l0 += v0.x * x0 + v0.y * x1 + v0.z * x2 + v0.w * x3;
            r0 += v0.x * y0 + v0.y * y1 + v0.z * y2 + v0.w * y3;
            l1 += v1.x * x0 + v1.y * x1 + v1.z * x2 + v1.w * x3;
            r1 += v1.x * y0 + v1.y * y1 + v1.z * y2 + v1.w * y3;
            l2 += v2.x * x0 + v2.y * x1 + v2.z * x2 + v2.w * x3;
            r2 += v2.x * y0 + v2.y * y1 + v2.z * y2 + v2.w * y3;
            l3 += v3.x * x0 + v3.y * x1 + v3.z * x2 + v3.w * x3;
            r3 += v3.x * y0 + v3.y * y1 + v3.z * y2 + v3.w * y3;
            l4 += v4.x * x0 + v4.y * x1 + v4.z * x2 + v4.w * x3;
            r4 += v4.x * y0 + v4.y * y1 + v4.z * y2 + v4.w * y3;
            l5 += v5.x * x0 + v5.y * x1 + v5.z * x2 + v5.w * x3;
            r5 += v5.x * y0 + v5.y * y1 + v5.z * y2 + v5.w * y3;
            l6 += v6.x * x0 + v6.y * x1 + v6.z * x2 + v6.w * x3;
            r6 += v6.x * y0 + v6.y * y1 + v6.z * y2 + v6.w * y3;
            l7 += v7.x * x0 + v7.y * x1 + v7.z * x2 + v7.w * x3;
            r7 += v7.x * y0 + v7.y * y1 + v7.z * y2 + v7.w * y3;
        }
        for (var k = 4u * whole; k < params.k; k++) {
            let x = load_b(k * params.b_stride + b0);
            let y = load_b(k * params.b_stride + b1);
            let s0 = load_a(a0 + whole)[k - 4u * whole];
            l0 += s0 * x;
            r0 += s0 * y;
            let s1 = load_a(a1 + whole)[k - 4u * whole];
            l1 += s1 * x;
            r1 += s1 * y;
            let s2 = load_a(a2 + whole)[k - 4u * whole];
            l2 += s2 * x;
            r2 += s2 * y;
            let s3 = load_a(a3 + whole)[k - 4u * whole];
            l3 += s3 * x;
            r3 += s3 * y;
            let s4 = load_a(a4 + whole)[k - 4u * whole];
            l4 += s4 * x;
            r4 += s4 * y;
            let s5 = load_a(a5 + whole)[k - 4u * whole];
            l5 += s5 * x;
            r5 += s5 * y;
            let s6 = load_a(a6 + whole)[k - 4u * whole];
            l6 += s6 * x;
            r6 += s6 * y;
            let s7 = load_a(a7 + whole)[k - 4u * whole];
            l7 += s7 * x;
            r7 += s7 * y;
        }
    }
    store(row + 0u, q0, l0);
    store(row + 0u, q1, r0);
    store(row + 1u, q0, l1);
    store(row + 1u, q1, r1);
    store(row + 2u, q0, l2);
    store(row + 2u, q1, r2);
    store(row + 3u, q0, l3);
    store(row + 3u, q1, r3);
    store(row + 4u, q0, l4);
    store(row + 4u, q1, r4);
    store(row + 5u, q0, l5);
    store(row + 5u, q1, r5);
    store(row + 6u, q0, l6);
    store(row + 6u, q1, r6);
    store(row + 7u, q0, l7);
    store(row + 7u, q1, r7);
    if MIRROR && group.x < group.y {
        mirror(row + 0u, q0, l0, l1, l2, l3);
        mirror(row + 0u, q1, r0, r1, r2, r3);
        mirror(row + 4u, q0, l4, l5, l6, l7);
        mirror(row + 4u, q1, r4, r5, r6, r7);
    }
}
