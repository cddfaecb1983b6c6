// Gaussian log densities: out[i, k] = offset[k] - |W_k (x_i - m_k)|^2 / 2.
//
// One invocation computes four components of one row; those of a workgroup share the components and walk over W
// together. Entry `full`: W_k is d x d, taken four rows at a time; rows first..end of each W_k in one dispatch, and what
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

// |W_k (x_row - m_k)|^2 over the rows of W_k in this dispatch.
fn whole(row: u32, k: u32) -> f32 {
    let d4 = params.d4;
    var sum = 0.0;
    for (var j = params.first; j < params.end; j += 4u) {
        var y = vec4<f32>();
        // A row past the last one is read as that one, and discarded.
        let last = params.end - 1u;
        let at = (vec4(k * params.d) + min(vec4(j, j + 1u, j + 2u, j + 3u), vec4(last))) * d4;
        for (var l = 0u; l < d4; l++) {
            let z = x[row * d4 + l] - means[k * d4 + l];
            y += vec4(dot(w[at.x + l], z), dot(w[at.y + l], z), dot(w[at.z + l], z), dot(w[at.w + l], z));
        }
        y = select(vec4<f32>(), y, vec4(j, j + 1u, j + 2u, j + 3u) < vec4(params.end));
        sum += dot(y, y);
    }
    return sum;
}

fn factors(row: u32, k: u32) -> f32 {
    let d4 = params.d4;
    var sum = 0.0;
    for (var l = 0u; l < d4; l++) {
        let z = w[k * d4 + l] * (x[row * d4 + l] - means[k * d4 + l]);
        sum += dot(z, z);
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
fn full(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.n { return; }
    let k = 4u * id.y;
    var distances = vec4<f32>();
    for (var c = 0u; c < min(4u, params.k - k); c++) { distances[c] = whole(id.x, k + c); }
    store(id.x, k, distances);
}

@compute @workgroup_size(64)
fn diagonal(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.n { return; }
    let k = 4u * id.y;
    var distances = vec4<f32>();
    for (var c = 0u; c < min(4u, params.k - k); c++) { distances[c] = factors(id.x, k + c); }
    store(id.x, k, distances);
}
