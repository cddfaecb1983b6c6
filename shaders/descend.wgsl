// One step of an optimiser, in place, over vec4 rows: parameters p and two numbers m, s kept of each, by the gradient g.
//
// One vec4 an invocation. To g is first added kappa p in the leading columns. RULE picks the optimiser.
// Entry `noted` also adds note * sum p^2 of a workgroup's leading columns to its own place in `losses`, by a tree.
// Padding: p, g, m and s are zero there, and stay so.
//
// Twin: `cpu` in src/ops/descend.rs. Grid: (across, ceil(count / (64 * across)), 1), with stride = 64 * across.

override RULE: u32 = 0u; // as `Descent::code` numbers them

struct Params {
    count: u32,   // vec4s
    stride: u32,  // invocations along x
    vec4s: u32,   // per row
    columns: u32, // that decay
    at: u32,      // place of the first workgroup's sum
    kappa: f32,
    rate: f32,
    decay: f32,
    first: f32,   // memory of m and 1 less it
    one_less_first: f32,
    second: f32,  // memory of s and 1 less it
    one_less_second: f32,
    epsilon: f32,
    m_scale: f32,
    s_scale: f32,
    note: f32,
}

@group(0) @binding(0) var<storage, read_write> p: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> m: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> s: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> losses: array<f32>;
var<immediate> params: Params;
var<workgroup> tree: array<f32, 64>;

// Nothing where there is nothing to divide.
fn quotient(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(a / b, vec4<f32>(), a == vec4<f32>());
}

// The new value of the i-th vec4; `old` has those of its entries that decay.
fn step_of(i: u32, now: vec4<f32>, old: vec4<f32>) -> vec4<f32> {
    let slope = g[i] + params.kappa * old;
    if RULE == 0u {
        let v = params.first * m[i] - params.rate * (slope + params.decay * now);
        m[i] = v;
        return now + v;
    }
    let square = params.second * s[i] + params.one_less_second * slope * slope;
    s[i] = square;
    var pull = slope;
    if RULE == 3u {
        pull = params.first * m[i] + params.one_less_first * slope;
        m[i] = pull;
    }
    let moved = quotient(pull * params.m_scale, sqrt(square * params.s_scale) + params.epsilon);
    return now - params.rate * (moved + params.decay * now);
}

fn decaying(i: u32, now: vec4<f32>) -> vec4<f32> {
    let column = vec4(4u * (i % params.vec4s)) + vec4(0u, 1u, 2u, 3u);
    return select(vec4<f32>(), now, column < vec4(params.columns));
}

@compute @workgroup_size(64)
fn moved(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let now = p[i];
    p[i] = step_of(i, now, decaying(i, now));
}

@compute @workgroup_size(64)
fn noted(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = id.y * params.stride + id.x;
    tree[lane] = 0.0;
    if i < params.count {
        let now = p[i];
        let old = decaying(i, now);
        tree[lane] = dot(old, old);
        p[i] = step_of(i, now, old);
    }
    for (var reach = 32u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach { tree[lane] += tree[lane + reach]; }
    }
    if lane == 0u && i < params.count { losses[params.at + i / 64u] += params.note * tree[0]; }
}
