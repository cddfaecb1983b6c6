// Random numbers: out[i, 4 q .. 4 q + 3] from the words of block (first + i) vec4s + q of a stream.
//
// OP: 0 words, 1 uniform on [0, 1), 2 normal (entry `plain`); 3 Bernoulli with probabilities `given`, 4 Bernoulli with a
// threshold for each column, 5 categories by cumulative thresholds (entry `decide`). One vec4 an invocation. Padding:
// zeros.
//
// `random_philox.wgsl` and `random_draws.wgsl` are prepended. Twin: `cpu` in src/ops/random.rs.
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
