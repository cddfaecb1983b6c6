// Units that are drawn, over vec4 rows: means[i, j] = h(a[i, j]) and out[i, j] drawn with that mean, each with a last column
// of ones. DRAW 0: h the logistic function, decisions by integer thresholds; 1: h the identity, normal numbers.
//
// One vec4 of out an invocation, from the four words of block first + i a_vec4s + q of a stream. Entry `drawn` leaves the
// means out. Padding: written as zeros. `random_philox.wgsl` and `random_draws.wgsl` are prepended.
//
// Twin: `cpu` in src/ops/unit_draws.rs. Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

override DRAW: u32 = 0u;

struct Params {
    count: u32,   // vec4s in the window of out
    stride: u32,  // invocations along x
    cols: u32,    // units
    vec4s: u32,   // per row of out
    first: vec2<u32>, // block of the window's first row
    stream: vec2<u32>,
    key: vec2<u32>,
    a_vec4s: u32, // per row of a
}

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> means: array<vec4<f32>>;
var<immediate> params: Params;

struct Made { mean: vec4<f32>, drawn: vec4<f32> }

fn made(i: u32) -> Made {
    let q = i % params.vec4s;
    let at = (i / params.vec4s) * params.a_vec4s + min(q, params.a_vec4s - 1u);
    let low = params.first.x + at;
    let carry = select(0u, 1u, low < at);
    let words = philox(vec4(low, params.first.y + carry, params.stream), params.key);
    let own = a[at];
    var mean = own;
    var drawn: vec4<f32>;
    if DRAW == 0u {
        let e = exp(-abs(own));
        mean = select(e, vec4(1.0), own >= vec4<f32>()) / (1.0 + e);
        drawn = bitcast<vec4<f32>>(vec4(
            decided(words.x, mean.x),
            decided(words.y, mean.y),
            decided(words.z, mean.z),
            decided(words.w, mean.w),
        ));
    } else {
        drawn = own + vec4(normals(words.x, words.y), normals(words.z, words.w));
    }
    let column = vec4(4u * q) + vec4(0u, 1u, 2u, 3u);
    let ones = select(vec4<f32>(), vec4(1.0), column == vec4(params.cols));
    let real = column < vec4(params.cols);
    return Made(select(ones, mean, real), select(ones, drawn, real));
}

@compute @workgroup_size(64)
fn drawn(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = made(i).drawn;
}

@compute @workgroup_size(64)
fn both(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let own = made(i);
    out[i] = own.drawn;
    means[i] = own.mean;
}
