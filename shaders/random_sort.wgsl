// A random order: keys[i] = (two words of block i, i, 0), sorted by the words, the lower i of equals first.
//
// keys: one key an invocation; past `n` keys are the largest. step: one exchange of a bitonic network an invocation.
// places: out[i] = the number in keys[i]. Padding: keys up to a power of two, never read back.
//
// `random_philox.wgsl` is prepended. Twin: `permutation` on the CPU in src/ops/random.rs.
// Grid: (across, ceil(count / (64 across)), 1), with stride = 64 across.

struct Params {
    count: u32,  // invocations
    stride: u32, // along x
    n: u32,
    reach: u32,  // distance of a pair
    run: u32,    // length of the runs that this stage makes
    stream: vec2<u32>,
    key: vec2<u32>,
}

@group(0) @binding(0) var<storage, read_write> keyed: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<immediate> params: Params;

@compute @workgroup_size(64)
fn keys(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let words = philox(vec4(i, 0u, params.stream), params.key);
    let past = i >= params.n;
    keyed[i] = vec4(select(words.xy, vec2(0xffffffffu), past), i, 0u);
}

@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) id: vec3<u32>) {
    let t = id.y * params.stride + id.x;
    if t >= params.count { return; }
    let i = 2u * t - t % params.reach;
    let a = keyed[i];
    let b = keyed[i + params.reach];
    let tied = a.x == b.x;
    let after = a.x > b.x || (tied && (a.y > b.y || (a.y == b.y && a.z > b.z)));
    let upward = (i & params.run) == 0u;
    if after == upward {
        keyed[i] = b;
        keyed[i + params.reach] = a;
    }
}

@compute @workgroup_size(64)
fn places(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    out[i] = keyed[i].z;
}
