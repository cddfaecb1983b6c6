// Waves: out[i, j] = size cos 2π(turns[i, j] + phases[j]), or, with BOTH, cosine and sine of each side by side.
//
// One vec4 of the output an invocation; a sine is a cosine a quarter turn later. Whole turns are dropped before anything is
// added, and the polynomial is our own: WGSL promises of its cosine no more than 2^-11.
// Padding: written as zeros.
//
// Twin: `cpu` in src/ops/fourier.rs. Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

override BOTH: bool = false;

struct Params {
    count: u32,  // vec4s of the output in the window
    stride: u32, // invocations along x
    cols: u32,   // of the output
    vec4s: u32,  // per row of the output
    sources: u32, // vec4s per row of `turns`
    size: f32,
}

@group(0) @binding(0) var<storage, read> turns: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> phases: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

fn rest(v: vec4<f32>) -> vec4<f32> {
    return v - round(v);
}

// cos 2πv = sin 2πu with u = 1/4 - |v|, by its series: the first term left out is below 6e-8.
fn wave(v: vec4<f32>) -> vec4<f32> {
    let u = 0.25 - abs(rest(v));
    let s = u * u;
    var sum = fma(s, vec4(-15.094643), vec4(42.058693));
    sum = fma(s, sum, vec4(-76.70586));
    sum = fma(s, sum, vec4(81.60525));
    sum = fma(s, sum, vec4(-41.341702));
    return u * fma(s, sum, vec4(6.2831855));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let q = i % params.vec4s;
    let source = select(q, q / 2u, BOTH);
    var v = rest(turns[(i / params.vec4s) * params.sources + source]) + phases[source];
    if BOTH {
        let two = select(v.xy, v.zw, q % 2u == 1u);
        v = vec4(two.x, two.x - 0.25, two.y, two.y - 0.25);
    }
    let real = vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
    out[i] = select(vec4<f32>(), params.size * wave(v), real);
}
