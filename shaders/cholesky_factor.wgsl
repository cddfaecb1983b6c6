// Cholesky, diagonal stage: the block at (first, first) of l, at most 64 x 64, becomes its own Cholesky factor L, and
// `inverse` becomes the transpose of W = L^-1.
//
// One workgroup. The block is 16 x 16 tiles of 4 x 4, of which an invocation keeps three in registers, 8 tiles apart.
// Step k finishes column k of L and row k of W, and subtracts their product from the rows below: tile (r, c) holds
// what is left of A until step c, and what W has so far after it. So the inverse needs no pass of its own.
// A pivot that is not positive is written to `status` as (index + 1, bits of its value), the first one only, and
// replaced by one: there is no early return, so every barrier is reached by all.
// Padding: rows past the end are the identity; `inverse` is complete if the block is.
// Twin: `cpu` in src/ops/cholesky.rs. Grid: (1, 1, 1).

const SIDE: u32 = 8u; // workgroup is SIDE x SIDE
const TILES: u32 = 16u;

struct Params {
    rows: u32,   // size of the block
    stride: u32, // vec4s per row of l
    col: u32,    // first vec4 of the block in its rows
    first: u32,  // index of the block's first row and column
    wide: u32,
}

@group(0) @binding(0) var<storage, read_write> l: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> inverse: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> status: array<u32>;
var<immediate> params: Params;

var<workgroup> corner: mat4x4<f32>;             // tile (k, k) before it is factored
var<workgroup> left: array<mat4x4<f32>, TILES>; // column k of L below the corner, zeros above
var<workgroup> across: array<vec4<f32>, 64>;    // rows of L below the corner; from it upwards, columns of row k of W

var<private> failed: u32;
var<private> value: f32;

struct Corner {
    l: mat4x4<f32>, // by rows
    w: mat4x4<f32>, // by columns
}

fn row(i: u32, c: u32) -> vec4<f32> {
    if max(i, 4u * c) < params.rows { return l[i * params.stride + params.col + c]; }
    return select(vec4<f32>(), vec4(1.0), vec4(4u * c, 4u * c + 1u, 4u * c + 2u, 4u * c + 3u) == vec4(i));
}

fn tile(r: u32, c: u32) -> mat4x4<f32> {
    return transpose(mat4x4(row(4u * r, c), row(4u * r + 1u, c), row(4u * r + 2u, c), row(4u * r + 3u, c)));
}

fn columns(c: u32) -> mat4x4<f32> {
    return mat4x4(across[4u * c], across[4u * c + 1u], across[4u * c + 2u], across[4u * c + 3u]);
}

fn set_columns(c: u32, m: mat4x4<f32>) {
    across[4u * c] = m[0];
    across[4u * c + 1u] = m[1];
    across[4u * c + 2u] = m[2];
    across[4u * c + 3u] = m[3];
}

fn root(pivot: f32) -> f32 {
    return sqrt(select(1.0, pivot, pivot > 0.0));
}

// The factor of the corner and its inverse: everybody computes them, which is cheaper than waiting for one who does.
fn factored(k: u32) -> Corner {
    let a = corner;
    let p0 = a[0].x;
    let l00 = root(p0);
    let w00 = 1.0 / l00;
    let l10 = a[0].y * w00;
    let l20 = a[0].z * w00;
    let l30 = a[0].w * w00;
    let p1 = a[1].y - l10 * l10;
    let l11 = root(p1);
    let w11 = 1.0 / l11;
    let l21 = (a[1].z - l20 * l10) * w11;
    let l31 = (a[1].w - l30 * l10) * w11;
    let p2 = a[2].z - l20 * l20 - l21 * l21;
    let l22 = root(p2);
    let w22 = 1.0 / l22;
    let l32 = (a[2].w - l30 * l20 - l31 * l21) * w22;
    let p3 = a[3].w - l30 * l30 - l31 * l31 - l32 * l32;
    let l33 = root(p3);
    let w33 = 1.0 / l33;

    // Greater than zero and finite, by their bits: fast math may take it that there are no NaN.
    let good = bitcast<vec4<u32>>(vec4(p0, p1, p2, p3)) - vec4(1u) < vec4(0x7f7fffffu);
    if failed == 0u && !all(good) {
        let at = select(select(select(3u, 2u, !good.z), 1u, !good.y), 0u, !good.x);
        failed = params.first + 4u * k + at + 1u;
        value = select(select(select(p3, p2, !good.z), p1, !good.y), p0, !good.x);
    }

    let w10 = -l10 * w00 * w11;
    let w21 = -l21 * w11 * w22;
    let w32 = -l32 * w22 * w33;
    let w20 = -(l20 * w00 + l21 * w10) * w22;
    let w31 = -(l31 * w11 + l32 * w21) * w33;
    let w30 = -(l30 * w00 + l31 * w10 + l32 * w20) * w33;
    return Corner(
        mat4x4(l00, 0.0, 0.0, 0.0, l10, l11, 0.0, 0.0, l20, l21, l22, 0.0, l30, l31, l32, l33),
        mat4x4(w00, w10, w20, w30, 0.0, w11, w21, w31, 0.0, 0.0, w22, w32, 0.0, 0.0, 0.0, w33),
    );
}

// Tile r of column k of L, from what is left of A.
fn finish(r: u32, k: u32, a: mat4x4<f32>, w: mat4x4<f32>) {
    var x = mat4x4<f32>();
    if r > k {
        x = a * transpose(w);
        set_columns(r, transpose(x));
    }
    left[r] = x;
}

// Row i of column k of L and of W^T: above the corner L is zero, below it W^T is.
fn put(i: u32, k: u32, corner_rows: mat4x4<f32>) {
    let own = across[i];
    var of_l = vec4<f32>();
    var of_w = own;
    if i / 4u > k {
        of_l = own;
        of_w = vec4<f32>();
    }
    if i == 4u * k { of_l = corner_rows[0]; }
    if i == 4u * k + 1u { of_l = corner_rows[1]; }
    if i == 4u * k + 2u { of_l = corner_rows[2]; }
    if i == 4u * k + 3u { of_l = corner_rows[3]; }
    if i < params.rows { l[i * params.stride + params.col + k] = of_l; }
    inverse[i * TILES + k] = of_w;
}

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(local_invocation_id) lane: vec3<u32>, @builtin(local_invocation_index) slot: u32) {
    let low = lane.xy;
    let high = low + SIDE;
    var a = tile(low.y, low.x);
    var b = tile(high.y, low.x);
    var c = tile(high.y, high.x);
    for (var k = 0u; k < SIDE && 4u * k < params.rows; k++) {
        if all(low == vec2(k)) { corner = a; }
        workgroupBarrier();
        let own = factored(k);
        if low.y == k && low.x < k { set_columns(low.x, own.w * a); }
        if all(low == vec2(k)) { set_columns(k, own.w); }
        if low.x == k {
            finish(low.y, k, a, own.w);
            finish(high.y, k, b, own.w);
            a = mat4x4<f32>();
            b = mat4x4<f32>();
        }
        workgroupBarrier();
        put(slot, k, own.l);
        let far = left[high.y];
        let near_columns = columns(low.x);
        a -= left[low.y] * near_columns;
        b -= far * near_columns;
        c -= far * columns(high.x);
    }
    // The upper rows are done.
    for (var k = SIDE; k < TILES && 4u * k < params.rows; k++) {
        if all(high == vec2(k)) { corner = c; }
        workgroupBarrier();
        let own = factored(k);
        if high.y == k {
            set_columns(low.x, own.w * b);
            if high.x < k { set_columns(high.x, own.w * c); }
        }
        if all(high == vec2(k)) { set_columns(k, own.w); }
        if high.x == k {
            finish(high.y, k, c, own.w);
            c = mat4x4<f32>();
        }
        workgroupBarrier();
        put(slot, k, own.l);
        let far = left[high.y];
        b -= far * columns(low.x);
        c -= far * columns(high.x);
    }
    if slot == 0u && failed != 0u && status[0] == 0u {
        status[0] = failed;
        status[1] = bitcast<u32>(value);
    }
}
