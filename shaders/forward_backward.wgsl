// Forward and backward through hidden states: alpha_t ~ (alpha_{t-1} A) b_t and beta_t ~ A (b beta)_{t+1}, each scaled to one.
//
// A workgroup has a sequence, a lane a state, at most 64; sums over states are trees in workgroup memory. A dispatch makes
// `count` steps of every sequence; `carry` holds beta between dispatches, alpha's last row is read again. backward leaves
// alpha_{t-1} / mass in row t of alpha and (b beta)_t in row t of emit: their product is the expected transitions.
// status: 1 if a sum is too small for f32. Padding: lanes past the last state hold zeros.
//
// Twin: `cpu` in src/ops/forward_backward.rs. Grid: (sequences, 1, 1).

struct Params {
    states: u32,
    width: u32,  // numbers in a row of log_b, alpha, emit and states
    reach: u32,  // half of the power of two that holds all states
    first: u32,  // step of the dispatch's first, from the front or from the end
    count: u32,  // steps
    part: u32,   // place of this dispatch's sums of logarithms
}

@group(0) @binding(0) var<storage, read> matrix: array<f32>; // A row after row, then the first probabilities
@group(0) @binding(1) var<storage, read> sequence: array<vec2<u32>>; // first row, length
@group(0) @binding(2) var<storage, read_write> alpha: array<f32>;
@group(0) @binding(3) var<storage, read_write> emit: array<f32>;
@group(0) @binding(4) var<storage, read_write> carry: array<f32>;
@group(0) @binding(5) var<storage, read_write> status: array<u32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>; // forward: sums of logarithms; backward: posteriors
@group(0) @binding(7) var<storage, read> log_b: array<f32>;
var<immediate> params: Params;
var<workgroup> tree: array<f32, 64>;
var<workgroup> before: array<f32, 64>;

const LEAST: f32 = 1e-25;

fn total(lane: u32, x: f32) -> f32 {
    tree[lane] = x;
    for (var reach = params.reach; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach { tree[lane] += tree[lane + reach]; }
    }
    workgroupBarrier();
    let sum = tree[0];
    workgroupBarrier();
    return sum;
}

fn largest(lane: u32, x: f32) -> f32 {
    tree[lane] = x;
    for (var reach = params.reach; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach { tree[lane] = max(tree[lane], tree[lane + reach]); }
    }
    workgroupBarrier();
    let most = tree[0];
    workgroupBarrier();
    return most;
}

@compute @workgroup_size(64)
fn forward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let k = params.states;
    let own = sequence[group.x];
    let real = lane < k;
    let state = min(lane, k - 1u);
    var logs = 0.0;
    if params.first == 0u && lane == 0u { status[group.x] = 0u; }
    // alpha of the step before the dispatch's first.
    let last = own.x + min(max(params.first, 1u), own.y) - 1u;
    before[lane] = select(0.0, alpha[last * params.width + state], real);
    for (var i = 0u; i < params.count; i++) {
        let step = params.first + i;
        let inside = step < own.y;
        let row = own.x + min(step, own.y - 1u);
        workgroupBarrier();
        var sum = 0.0;
        for (var i0 = 0u; i0 < k; i0++) { sum = fma(before[i0], matrix[i0 * k + state], sum); }
        if step == 0u { sum = matrix[k * k + state]; }
        let log = select(-3e38, log_b[row * params.width + state], real);
        let most = max(largest(lane, log), -3e38);
        let e = select(0.0, exp(log - most), real);
        let v = sum * e;
        let scale = total(lane, v);
        let fits = scale > LEAST && most > -1e37;
        let share = select(0.0, v / max(scale, LEAST), real);
        before[lane] = share;
        if inside && lane < params.width {
            alpha[row * params.width + lane] = share;
            emit[row * params.width + lane] = e;
        }
        if inside {
            logs += select(0.0, log2(max(scale, LEAST)) * 0.69314718 + most, fits);
            if !fits && lane == 0u { status[group.x] = 1u; }
        }
    }
    if lane == 0u { out[params.part + group.x] = logs; }
}

@compute @workgroup_size(64)
fn backward(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let k = params.states;
    let own = sequence[group.x];
    let real = lane < k;
    let state = min(lane, k - 1u);
    var beta = carry[group.x * k + state];
    if params.first == 0u { beta = 1.0 / f32(k); }
    for (var i = 0u; i < params.count; i++) {
        // From the end: step 0 is the last row, whose posterior is alpha.
        let back = params.first + i;
        let inside = back < own.y;
        let row = own.x + own.y - 1u - min(back, own.y - 1u);
        let after = row + 1u;
        var u = 0.0;
        if inside && back > 0u && real { u = emit[after * params.width + state] * beta; }
        workgroupBarrier();
        before[lane] = u;
        workgroupBarrier();
        var sum = 0.0;
        for (var to = 0u; to < k; to++) { sum = fma(matrix[state * k + to], before[to], sum); }
        if back == 0u { sum = 1.0 / f32(k); }
        let ratio = total(lane, select(0.0, sum, real));
        let next = sum / max(ratio, LEAST);
        let a = select(0.0, alpha[row * params.width + state], real);
        let dot = total(lane, select(0.0, a * next, real));
        let mass = dot * ratio;
        let fits = ratio > LEAST && dot > LEAST && mass > LEAST;
        if inside {
            beta = next;
            if lane < params.width {
                out[row * params.width + lane] = a * next / max(dot, LEAST);
                if back > 0u {
                    alpha[after * params.width + lane] = a / max(mass, LEAST);
                    emit[after * params.width + lane] = u;
                }
                // Nothing comes before the first row.
                if back + 1u == own.y { alpha[row * params.width + lane] = 0.0; }
            }
            if !fits && lane == 0u { status[group.x] = 1u; }
        }
    }
    if real { carry[group.x * k + lane] = beta; }
}
