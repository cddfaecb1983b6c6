// One proximal step of many lassos, a row a problem, in place over vec4 rows: z' = S(y - (p - b), threshold) and
// y' = z' + beta (z' - z), with the soft threshold S, p = yG/L and beta = (t - 1) / t', t' = (1 + sqrt(1 + 4 t^2)) / 2.
//
// LANES invocations share a row: they walk it once for z' (kept in p) and its sums, by a tree in workgroup memory, and
// once more for y'. Where (y - z')(z' - z) > 0 the momentum pushes uphill, and starts anew from t = 1.
// state = (t', largest move over largest entry of z', sum |z'|, 0), a vec4 a row.
// Padding: p, b, z and y are zero there, and stay so.
//
// Twin: `cpu` in src/ops/shrink.rs. Grid: (across, ceil(groups / across), 1), 64 / LANES rows a group.

override LANES: u32 = 8u;       // 1, 8 or 64
override MOMENTUM: bool = true; // or plain proximal steps

struct Params {
    rows: u32,
    across: u32, // groups along x
    vec4s: u32,  // per row
    threshold: f32,
}

@group(0) @binding(0) var<storage, read_write> p: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> z: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> state: array<vec4<f32>>;
var<immediate> params: Params;
var<workgroup> sums: array<vec2<f32>, 64>;
var<workgroup> most: array<vec2<f32>, 64>;

fn largest(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = (group.y * params.across + group.x) * (64u / LANES) + lane / LANES;
    let part = lane % LANES;
    let real = row < params.rows;
    let first = row * params.vec4s;
    let end = select(first, first + params.vec4s, real);
    // Read before the barriers: the first lane of the row overwrites it.
    var t = 1.0;
    if real { t = state[row].x; }
    var uphill = 0.0;
    var size = 0.0;
    var far = vec2<f32>();
    for (var i = first + part; i < end; i += LANES) {
        let ahead = y[i];
        let old = z[i];
        let u = ahead - (p[i] - b[i]);
        let now = sign(u) * max(abs(u) - params.threshold, vec4<f32>());
        p[i] = now;
        let gone = now - old;
        uphill += dot(ahead - now, gone);
        size += dot(abs(now), vec4(1.0));
        far = max(far, vec2(largest(abs(gone)), largest(abs(now))));
    }
    sums[lane] = vec2(uphill, size);
    most[lane] = far;
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if part < reach {
            sums[lane] += sums[lane + reach];
            most[lane] = max(most[lane], most[lane + reach]);
        }
    }
    workgroupBarrier();
    if !real { return; }
    let sum = sums[lane - part];
    let top = most[lane - part];
    var beta = 0.0;
    if MOMENTUM {
        if sum.x > 0.0 { t = 1.0; }
        let next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
        beta = (t - 1.0) / next;
        t = next;
    }
    for (var i = first + part; i < end; i += LANES) {
        let now = p[i];
        y[i] = now + beta * (now - z[i]);
        z[i] = now;
    }
    if part == 0u { state[row] = vec4(t, top.x / max(top.y, 1e-30), sum.y, 0.0); }
}
