// Ridge regressions by the thousand: out[r, :] = argmin sum_e w (y - x . phi)^2 + x'Sx + lambda |x|^2 over the entries e of
// row r, with phi the row column[e] of `other`. One workgroup a row, SIDE x SIDE lanes, at most 4 SIDE unknowns k.
//
// Entries are staged 16 at a time; a lane adds up a 4 x 4 block of the normal equations in registers. Their lower triangle
// is then factored in workgroup memory, with the right-hand side as one more row: forward substitution is a part of it.
// BIASED: the last entry of phi counts as 1 and is subtracted from y. A pivot that is not positive is told by `status`.
// Padding: columns beyond k are zeros of `other`, and written as zeros.
//
// Twin: `cpu` in src/ops/ridge_rows.rs. Grid: (across, ceil(rows / across), 1).

override SIDE: u32 = 8u;
override BIASED: bool = false;
override SHARED: bool = false;
const CHUNK: u32 = 16u;

struct Params {
    rows: u32,
    across: u32, // workgroups along x
    k: u32,
    vec4s: u32,  // per row of other, S and out
    penalty: f32,
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> column: array<u32>;
@group(0) @binding(2) var<storage, read> rated: array<vec2<f32>>; // weight and target
@group(0) @binding(3) var<storage, read> other: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> s: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> status: atomic<u32>;
var<immediate> params: Params;

var<workgroup> phi: array<vec4<f32>, CHUNK * SIDE>;
var<workgroup> pair: array<vec2<f32>, CHUNK>;
var<workgroup> tri: array<f32, (4u * SIDE + 1u) * (2u * SIDE + 1u)>;

fn at(i: u32, j: u32) -> u32 { return i * (i + 1u) / 2u + j; }

fn put(i: u32, j: u32, v: f32) {
    if j > i || i >= params.k { return; }
    var whole = v;
    if SHARED { whole += s[i * params.vec4s + j / 4u][j % 4u]; }
    if i == j { whole += params.penalty; }
    tri[at(i, j)] = whole;
}

fn put4(i: u32, j: u32, v: vec4<f32>) {
    put(i, j, v.x);
    put(i, j + 1u, v.y);
    put(i, j + 2u, v.z);
    put(i, j + 3u, v.w);
}

@compute @workgroup_size(SIDE * SIDE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * params.across + group.x;
    if row >= params.rows { return; }
    let k = params.k;
    let ty = lane / SIDE;
    let tx = lane % SIDE;
    let last = k - 1u;
    let is_last = vec4(0u, 1u, 2u, 3u) == vec4(last % 4u);
    var r0 = vec4<f32>();
    var r1 = vec4<f32>();
    var r2 = vec4<f32>();
    var r3 = vec4<f32>();
    var b = vec4<f32>();
    var mass = 0.0;
    let end = offsets[row + 1u];
    for (var e = offsets[row]; e < end; e += CHUNK) {
        workgroupBarrier();
        for (var i = lane; i < CHUNK * SIDE; i += SIDE * SIDE) {
            let q = i % SIDE;
            let entry = e + i / SIDE;
            var v = vec4<f32>();
            if entry < end && q < params.vec4s {
                v = other[column[entry] * params.vec4s + q];
                if BIASED && q == last / 4u { v = select(v, vec4(1.0), is_last); }
            }
            phi[i] = v;
        }
        if lane < CHUNK {
            var own = vec2<f32>();
            if e + lane < end {
                own = rated[e + lane];
                if BIASED { own.y -= other[column[e + lane] * params.vec4s + last / 4u][last % 4u]; }
            }
            pair[lane] = own;
        }
        workgroupBarrier();
        for (var p = 0u; p < CHUNK; p++) {
            let own = pair[p];
            let a = own.x * phi[p * SIDE + ty];
            let c = phi[p * SIDE + tx];
            r0 += a.x * c;
            r1 += a.y * c;
            r2 += a.z * c;
            r3 += a.w * c;
            b += own.y * a;
            mass += own.x;
        }
    }
    put4(4u * ty, 4u * tx, r0);
    put4(4u * ty + 1u, 4u * tx, r1);
    put4(4u * ty + 2u, 4u * tx, r2);
    put4(4u * ty + 3u, 4u * tx, r3);
    if tx == 0u {
        if 4u * ty < k { tri[at(k, 4u * ty)] = b.x; }
        if 4u * ty + 1u < k { tri[at(k, 4u * ty + 1u)] = b.y; }
        if 4u * ty + 2u < k { tri[at(k, 4u * ty + 2u)] = b.z; }
        if 4u * ty + 3u < k { tri[at(k, 4u * ty + 3u)] = b.w; }
    }
    var failed = false;
    for (var j = 0u; j < k; j++) {
        workgroupBarrier();
        let pivot = tri[at(j, j)];
        // Written so that a NaN is refused.
        failed = failed || !(pivot > 0.0);
        let scale = 1.0 / sqrt(pivot);
        workgroupBarrier();
        for (var i = j + lane; i <= k; i += SIDE * SIDE) { tri[at(i, j)] *= scale; }
        workgroupBarrier();
        for (var i = j + 1u + ty; i <= k; i += SIDE) {
            let l = tri[at(i, j)];
            for (var c = j + 1u + tx; c <= min(i, last); c += SIDE) { tri[at(i, c)] -= l * tri[at(c, j)]; }
        }
    }
    for (var back = 0u; back < k; back++) {
        let j = last - back;
        workgroupBarrier();
        let x = tri[at(k, j)] / tri[at(j, j)];
        workgroupBarrier();
        if lane == 0u { tri[at(k, j)] = x; }
        for (var i = lane; i < j; i += SIDE * SIDE) { tri[at(k, i)] -= x * tri[at(j, i)]; }
    }
    workgroupBarrier();
    let known = mass > 0.0 && !failed;
    for (var q = lane; q < params.vec4s; q += SIDE * SIDE) {
        var v = vec4<f32>();
        if known {
            v.x = tri[at(k, 4u * q)];
            if 4u * q + 1u < k { v.y = tri[at(k, 4u * q + 1u)]; }
            if 4u * q + 2u < k { v.z = tri[at(k, 4u * q + 2u)]; }
            if 4u * q + 3u < k { v.w = tri[at(k, 4u * q + 3u)]; }
        }
        out[row * params.vec4s + q] = v;
    }
    if lane == 0u && failed && mass > 0.0 { atomicMax(&status, row + 1u); }
}
