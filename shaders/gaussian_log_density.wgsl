// Gaussian log densities: out[i, k] = offset[k] - |W_k (x_i - m_k)|^2 / 2.
//
// One invocation computes four components of one row; those of a workgroup share the components and walk over W
// together, and their rows of x wait in workgroup memory. Entry `full`: W_k is d x d, taken eight rows at a time; rows first..end of each W_k in one dispatch, and what
// earlier dispatches left is carried on when first > 0. Entry `diagonal`: W_k is a row of factors.
// Padding: features past the end are zeros in x, m and W; components past the end are written as zeros.
//
// Twin: `cpu` in src/ops/gaussian_log_density.rs. Grid: (ceil(n / 64), ceil(k / 4), 1).

struct Params {
    n: u32,          // rows of x in the window
    k: u32,          // components in the window
    d: u32,
    d4: u32,         // vec4s per row of x, m and W
    out_stride: u32, // vec4s per row of out
    out_col: u32,    // vec4 of out (and of offset) where the window of components starts
    first: u32,      // rows of each W_k
    end: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> means: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> offset: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

// The workgroup's rows of x, [vec4][row], as many vec4s as there is room for; other features come from storage.
override STAGED: u32 = 16u;
var<workgroup> rows: array<vec4<f32>, 64u * STAGED>;

fn stage(row0: u32, lane: u32) {
    // Neighbouring lanes read neighbouring vec4s.
    for (var i = lane; i < 64u * STAGED; i += 64u) {
        let r = i / STAGED;
        let l = i % STAGED;
        rows[l * 64u + r] = x[min(row0 + r, params.n - 1u) * params.d4 + l];
    }
    workgroupBarrier();
}

fn chain(a: vec4<f32>, b: vec4<f32>, s: f32) -> f32 {
    return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, fma(a.w, b.w, s))));
}

// s + z times the four vec4s of W at `at`.
fn times(at: vec4<u32>, z: vec4<f32>, s: vec4<f32>) -> vec4<f32> {
    return vec4(chain(w[at.x], z, s.x), chain(w[at.y], z, s.y), chain(w[at.z], z, s.z), chain(w[at.w], z, s.w));
}

// |W_k (x_row - m_k)|^2 over the rows of W_k in this dispatch, eight of them at a time.
fn whole(row: u32, lane: u32, k: u32) -> f32 {
    let d4 = params.d4;
    var sum = 0.0;
    for (var j = params.first; j < params.end; j += 8u) {
        var y = vec4<f32>();
        var u = vec4<f32>();
        // A row past the last one is read as that one, and discarded.
        let low = vec4(j, j + 1u, j + 2u, j + 3u);
        let high = low + 4u;
        let a = (k * params.d + min(low, vec4(params.end - 1u))) * d4;
        let b = (k * params.d + min(high, vec4(params.end - 1u))) * d4;
        for (var l = 0u; l < STAGED; l++) {
            let z = rows[l * 64u + lane] - means[k * d4 + l];
            y = times(a + l, z, y);
            u = times(b + l, z, u);
        }
        for (var l = STAGED; l < d4; l++) {
            let z = x[row * d4 + l] - means[k * d4 + l];
            y = times(a + l, z, y);
            u = times(b + l, z, u);
        }
        y = select(vec4<f32>(), y, low < vec4(params.end));
        u = select(vec4<f32>(), u, high < vec4(params.end));
        sum += dot(y, y) + dot(u, u);
    }
    return sum;
}

fn factors(row: u32, lane: u32, k: u32) -> f32 {
    let d4 = params.d4;
    var sum = 0.0;
    for (var l = 0u; l < STAGED; l++) {
        let z = w[k * d4 + l] * (rows[l * 64u + lane] - means[k * d4 + l]);
        sum = chain(z, z, sum);
    }
    for (var l = STAGED; l < d4; l++) {
        let z = w[k * d4 + l] * (x[row * d4 + l] - means[k * d4 + l]);
        sum = chain(z, z, sum);
    }
    return sum;
}

fn store(row: u32, k: u32, distances: vec4<f32>) {
    let at = row * params.out_stride + params.out_col + k / 4u;
    var before = offset[params.out_col + k / 4u];
    if params.first > 0u { before = out[at]; }
    let real = vec4(k, k + 1u, k + 2u, k + 3u) < vec4(params.k);
    out[at] = select(vec4<f32>(), before - 0.5 * distances, real);
}

@compute @workgroup_size(64)
fn full(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    stage(group.x * 64u, lane);
    let row = group.x * 64u + lane;
    if row >= params.n { return; }
    let k = 4u * group.y;
    var distances = vec4<f32>();
    for (var c = 0u; c < min(4u, params.k - k); c++) { distances[c] = whole(row, lane, k + c); }
    store(row, k, distances);
}

@compute @workgroup_size(64)
fn diagonal(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    stage(group.x * 64u, lane);
    let row = group.x * 64u + lane;
    if row >= params.n { return; }
    let k = 4u * group.y;
    var distances = vec4<f32>();
    for (var c = 0u; c < min(4u, params.k - k); c++) { distances[c] = factors(row, lane, k + c); }
    store(row, k, distances);
}
