// Product: c = alpha a b + beta c, over row-major operands padded to vec4 rows, without workgroup memory.
//
// For software adapters: no barriers, and the operands come from the CPU's own caches. A workgroup of 8 lanes covers
// 16 rows by 64 columns; each lane keeps 16 rows by two vec4s of c in registers. The four lanes of a quad need the
// same rows of a: each loads a quarter of them and broadcasts.
// Padding: reads past the end are clamped and their results not stored; a's padding is zero, so k runs in whole vec4s.
// LOWER: tiles above the diagonal are skipped.
//
// `load_a` and `load_b` are prepended (f32 or half storage). Twin: `cpu` in src/ops/gemm.rs.
// Grid: (ceil(n / 64), ceil(m / 16), 1).

const ROWS: u32 = 16u;
const COLS: u32 = 64u;

override LOWER: bool = false;

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

@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * ROWS;
    if LOWER && i32(group.x * COLS) > i32(row + ROWS - 1u) + params.shift { return; }
    let q = group.x * (COLS / 4u) + 2u * lane;
    // Clamped once, so that the loop needs no conditions.
    let last = (params.n + 3u) / 4u - 1u;
    let b0 = params.b_col + min(q, last);
    let b1 = params.b_col + min(q + 1u, last);
    let own = row + lane % 4u;
    let a0 = min(own + 0u, params.m - 1u) * params.a_stride + params.a_col;
    let a1 = min(own + 4u, params.m - 1u) * params.a_stride + params.a_col;
    let a2 = min(own + 8u, params.m - 1u) * params.a_stride + params.a_col;
    let a3 = min(own + 12u, params.m - 1u) * params.a_stride + params.a_col;
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
    var l8 = vec4<f32>();
    var r8 = vec4<f32>();
    var l9 = vec4<f32>();
    var r9 = vec4<f32>();
    var l10 = vec4<f32>();
    var r10 = vec4<f32>();
    var l11 = vec4<f32>();
    var r11 = vec4<f32>();
    var l12 = vec4<f32>();
    var r12 = vec4<f32>();
    var l13 = vec4<f32>();
    var r13 = vec4<f32>();
    var l14 = vec4<f32>();
    var r14 = vec4<f32>();
    var l15 = vec4<f32>();
    var r15 = vec4<f32>();
    for (var p = 0u; 4u * p < params.k; p++) {
        let p0 = load_a(a0 + p);
        let p1 = load_a(a1 + p);
        let p2 = load_a(a2 + p);
        let p3 = load_a(a3 + p);
        let k0 = min(4u * p + 0u, params.k - 1u) * params.b_stride;
        let k1 = min(4u * p + 1u, params.k - 1u) * params.b_stride;
        let k2 = min(4u * p + 2u, params.k - 1u) * params.b_stride;
        let k3 = min(4u * p + 3u, params.k - 1u) * params.b_stride;
        let x0 = load_b(k0 + b0);
        let y0 = load_b(k0 + b1);
        let x1 = load_b(k1 + b0);
        let y1 = load_b(k1 + b1);
        let x2 = load_b(k2 + b0);
        let y2 = load_b(k2 + b1);
        let x3 = load_b(k3 + b0);
        let y3 = load_b(k3 + b1);
        let v0 = quadBroadcast(p0, 0u);
        l0 += v0.x * x0 + v0.y * x1 + v0.z * x2 + v0.w * x3;
        r0 += v0.x * y0 + v0.y * y1 + v0.z * y2 + v0.w * y3;
        let v1 = quadBroadcast(p0, 1u);
        l1 += v1.x * x0 + v1.y * x1 + v1.z * x2 + v1.w * x3;
        r1 += v1.x * y0 + v1.y * y1 + v1.z * y2 + v1.w * y3;
        let v2 = quadBroadcast(p0, 2u);
        l2 += v2.x * x0 + v2.y * x1 + v2.z * x2 + v2.w * x3;
        r2 += v2.x * y0 + v2.y * y1 + v2.z * y2 + v2.w * y3;
        let v3 = quadBroadcast(p0, 3u);
        l3 += v3.x * x0 + v3.y * x1 + v3.z * x2 + v3.w * x3;
        r3 += v3.x * y0 + v3.y * y1 + v3.z * y2 + v3.w * y3;
        let v4 = quadBroadcast(p1, 0u);
        l4 += v4.x * x0 + v4.y * x1 + v4.z * x2 + v4.w * x3;
        r4 += v4.x * y0 + v4.y * y1 + v4.z * y2 + v4.w * y3;
        let v5 = quadBroadcast(p1, 1u);
        l5 += v5.x * x0 + v5.y * x1 + v5.z * x2 + v5.w * x3;
        r5 += v5.x * y0 + v5.y * y1 + v5.z * y2 + v5.w * y3;
        let v6 = quadBroadcast(p1, 2u);
        l6 += v6.x * x0 + v6.y * x1 + v6.z * x2 + v6.w * x3;
        r6 += v6.x * y0 + v6.y * y1 + v6.z * y2 + v6.w * y3;
        let v7 = quadBroadcast(p1, 3u);
        l7 += v7.x * x0 + v7.y * x1 + v7.z * x2 + v7.w * x3;
        r7 += v7.x * y0 + v7.y * y1 + v7.z * y2 + v7.w * y3;
        let v8 = quadBroadcast(p2, 0u);
        l8 += v8.x * x0 + v8.y * x1 + v8.z * x2 + v8.w * x3;
        r8 += v8.x * y0 + v8.y * y1 + v8.z * y2 + v8.w * y3;
        let v9 = quadBroadcast(p2, 1u);
        l9 += v9.x * x0 + v9.y * x1 + v9.z * x2 + v9.w * x3;
        r9 += v9.x * y0 + v9.y * y1 + v9.z * y2 + v9.w * y3;
        let v10 = quadBroadcast(p2, 2u);
        l10 += v10.x * x0 + v10.y * x1 + v10.z * x2 + v10.w * x3;
        r10 += v10.x * y0 + v10.y * y1 + v10.z * y2 + v10.w * y3;
        let v11 = quadBroadcast(p2, 3u);
        l11 += v11.x * x0 + v11.y * x1 + v11.z * x2 + v11.w * x3;
        r11 += v11.x * y0 + v11.y * y1 + v11.z * y2 + v11.w * y3;
        let v12 = quadBroadcast(p3, 0u);
        l12 += v12.x * x0 + v12.y * x1 + v12.z * x2 + v12.w * x3;
        r12 += v12.x * y0 + v12.y * y1 + v12.z * y2 + v12.w * y3;
        let v13 = quadBroadcast(p3, 1u);
        l13 += v13.x * x0 + v13.y * x1 + v13.z * x2 + v13.w * x3;
        r13 += v13.x * y0 + v13.y * y1 + v13.z * y2 + v13.w * y3;
        let v14 = quadBroadcast(p3, 2u);
        l14 += v14.x * x0 + v14.y * x1 + v14.z * x2 + v14.w * x3;
        r14 += v14.x * y0 + v14.y * y1 + v14.z * y2 + v14.w * y3;
        let v15 = quadBroadcast(p3, 3u);
        l15 += v15.x * x0 + v15.y * x1 + v15.z * x2 + v15.w * x3;
        r15 += v15.x * y0 + v15.y * y1 + v15.z * y2 + v15.w * y3;
    }
    store(row + 0u, q, l0);
    store(row + 0u, q + 1u, r0);
    store(row + 1u, q, l1);
    store(row + 1u, q + 1u, r1);
    store(row + 2u, q, l2);
    store(row + 2u, q + 1u, r2);
    store(row + 3u, q, l3);
    store(row + 3u, q + 1u, r3);
    store(row + 4u, q, l4);
    store(row + 4u, q + 1u, r4);
    store(row + 5u, q, l5);
    store(row + 5u, q + 1u, r5);
    store(row + 6u, q, l6);
    store(row + 6u, q + 1u, r6);
    store(row + 7u, q, l7);
    store(row + 7u, q + 1u, r7);
    store(row + 8u, q, l8);
    store(row + 8u, q + 1u, r8);
    store(row + 9u, q, l9);
    store(row + 9u, q + 1u, r9);
    store(row + 10u, q, l10);
    store(row + 10u, q + 1u, r10);
    store(row + 11u, q, l11);
    store(row + 11u, q + 1u, r11);
    store(row + 12u, q, l12);
    store(row + 12u, q + 1u, r12);
    store(row + 13u, q, l13);
    store(row + 13u, q + 1u, r13);
    store(row + 14u, q, l14);
    store(row + 14u, q + 1u, r14);
    store(row + 15u, q, l15);
    store(row + 15u, q + 1u, r15);
}
