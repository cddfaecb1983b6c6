// Random numbers: out[i, 4 q .. 4 q + 3] from the words of block (first + i) vec4s + q of a stream.
//
// OP: 0 words, 1 uniform on [0, 1), 2 normal (entry `plain`); 3 Bernoulli with probabilities `given`, 4 Bernoulli with a
// threshold for each column, 5 categories by cumulative thresholds (entry `decide`). One vec4 an invocation. Logarithm,
// sine and cosine are written out: WGSL allows its own an absolute error of 5e-4. Padding: zeros.
//
// `random_philox.wgsl` is prepended. Twin: `cpu` in src/ops/random.rs.
// Grid: (across, ceil(count / (64 across)), 1), with stride = 64 across.

override OP: u32 = 0u;

struct Params {
    count: u32,  // vec4s of the window
    stride: u32, // invocations along x
    cols: u32,
    vec4s: u32,  // per row
    first: vec2<u32>, // block of the window's first vec4
    stream: vec2<u32>,
    key: vec2<u32>,
    categories: u32, // 5: thresholds in `given`
}

@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
var<immediate> params: Params;

const SHARE: f32 = 5.9604644775390625e-8; // 2^-24
const LN2: f32 = 0.69314718;

// -ln(k 2^-24) for k in 1..2^24: k = m 2^(e + 1), -ln m = 2 artanh((1 - m) / (1 + m)).
fn minus_log(k: u32) -> f32 {
    if k >= 16777216u { return 0.0; }
    let e = firstLeadingBit(k);
    let top = 2u << e;
    let s = f32(top - k) / f32(top + k);
    let z = s * s;
    var sum = fma(z, 1.0 / 15.0, 1.0 / 13.0);
    sum = fma(z, sum, 1.0 / 11.0);
    sum = fma(z, sum, 1.0 / 9.0);
    sum = fma(z, sum, 1.0 / 7.0);
    sum = fma(z, sum, 0.2);
    sum = fma(z, sum, 1.0 / 3.0);
    return fma(2.0 * s * z, sum, 2.0 * s) + f32(23u - e) * LN2;
}

// Cosine and sine of v 2^-24 turns: of at most an eighth by their series, then so many quarters.
fn on_circle(v: u32) -> vec2<f32> {
    let turned = v + 2097152u;
    let angle = f32(i32(turned & 4194303u) - 2097152) * 3.7450704e-7; // 2 pi 2^-24
    let z = angle * angle;
    let c = fma(z, fma(z, fma(z, fma(z, 2.4801587e-5, -1.3888889e-3), 4.1666668e-2), -0.5), 1.0);
    let s = fma(angle * z, fma(z, fma(z, fma(z, 2.7557319e-6, -1.984127e-4), 8.333333e-3), -0.16666667), angle);
    switch (turned >> 22u) & 3u {
        case 0u: { return vec2(c, s); }
        case 1u: { return vec2(-s, c); }
        case 2u: { return vec2(-c, -s); }
        default: { return vec2(s, -c); }
    }
}

// Box and Muller: two numbers of two words.
fn normals(a: u32, b: u32) -> vec2<f32> {
    return sqrt(2.0 * minus_log((a >> 8u) + 1u)) * on_circle(b >> 8u);
}

// The word against round(p 2^32); below 2^-9 the fraction decides, above there is none.
fn decided(word: u32, p: f32) -> u32 {
    let scaled = p * 4294967296.0;
    if !(scaled < 4294967296.0) { return bitcast<u32>(1.0); }
    let whole = floor(max(scaled, 0.0));
    let threshold = u32(whole) + select(0u, 1u, scaled - whole >= 0.5);
    return select(0u, bitcast<u32>(1.0), word < threshold);
}

fn category(word: u32) -> u32 {
    var low = 0u;
    var high = params.categories;
    // The first threshold above the word; 2^32 itself is not among them.
    while low < high {
        let middle = (low + high) / 2u;
        if word < given[middle / 4u][middle % 4u] { high = middle; } else { low = middle + 1u; }
    }
    return low;
}

fn drawn(i: u32) -> vec4<u32> {
    let low = params.first.x + i;
    let carry = select(0u, 1u, low < i);
    return philox(vec4(low, params.first.y + carry, params.stream), params.key);
}

fn real(i: u32) -> vec4<bool> {
    return vec4(4u * (i % params.vec4s)) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
}

@compute @workgroup_size(64)
fn plain(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let words = drawn(i);
    var made = words;
    if OP == 1u { made = bitcast<vec4<u32>>(vec4<f32>(words >> vec4(8u)) * SHARE); }
    if OP == 2u { made = bitcast<vec4<u32>>(vec4(normals(words.x, words.y), normals(words.z, words.w))); }
    out[i] = select(vec4<u32>(), made, real(i));
}

@compute @workgroup_size(64)
fn decide(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let words = drawn(i);
    var made = words;
    switch OP {
        case 3u: {
            let p = bitcast<vec4<f32>>(given[i]);
            made = vec4(
                decided(words.x, p.x),
                decided(words.y, p.y),
                decided(words.z, p.z),
                decided(words.w, p.w),
            );
        }
        case 4u: {
            let q = i % params.vec4s;
            let always = given[params.vec4s + q] != vec4<u32>();
            made = select(vec4<u32>(), vec4(bitcast<u32>(1.0)), always | (words < given[q]));
        }
        default: {
            made = vec4(category(words.x), category(words.y), category(words.z), category(words.w));
        }
    }
    out[i] = select(vec4<u32>(), made, real(i));
}
