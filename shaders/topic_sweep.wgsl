// A sweep of coordinate ascent for topics: theta_dk ~ exp psi(gamma_dk), phi_dwk ~ theta_dk beta_wk, gamma = alpha + sum n phi.
//
// beta is that of `topic_sweep_expected.wgsl`. documents: a workgroup has a document, a lane a topic (at most 64) or a word;
// SPAN lanes hold the topics, and the 64 / SPAN groups of them share the words of a chunk. It leaves n / norm of each entry
// and -sum n phi log phi, or -1 where f32 cannot carry a norm. words: lambda[w, k] = eta + beta[w, k] sum of (n / norm) theta
// over the word's documents, in their order: no atomics. Padding: written as zeros. `map_digamma.wgsl` is prepended.
//
// Twin: `cpu` in src/ops/topic_sweep.rs. Grid: (across, ceil(rows / across), 1).

override SPAN: u32 = 64u; // a power of two, at least the topics

struct Params {
    rows: u32,   // documents or words
    across: u32, // workgroups along x
    topics: u32,
    vec4s: u32,  // of a row of topics
    passes: u32,
    last: u32,   // 1: the shares of the last pass are wanted
    first: u32,  // documents: passes made before; words: entry of each word to begin with, of `count`
    count: u32,
    prior: f32,  // alpha or eta
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> entries: array<vec2<u32>>;  // documents: word, count; words: document, entry there
@group(0) @binding(2) var<storage, read> beta: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> gamma: array<f32>;  // words: sums so far
@group(0) @binding(4) var<storage, read_write> theta: array<f32>;
@group(0) @binding(5) var<storage, read_write> shares: array<f32>; // n / norm of each entry
@group(0) @binding(6) var<storage, read_write> out: array<f32>;    // documents: entropies; words: lambda
var<immediate> params: Params;
var<workgroup> tree: array<f32, 64>;
var<workgroup> share: array<f32, 64>; // n / norm of the chunk
var<workgroup> word: array<u32, 64>;
var<workgroup> now: array<f32, 64>;   // theta

const LEAST: f32 = 1e-30;

fn of_topic(word: u32, k: u32) -> f32 { return beta[word * params.vec4s + k / 4u][k % 4u]; }

fn norm(word: u32) -> f32 {
    var sum = 0.0;
    for (var q = 0u; q < params.vec4s; q++) {
        let own = vec4(now[4u * q], now[4u * q + 1u], now[4u * q + 2u], now[4u * q + 3u]);
        sum += dot(own, beta[word * params.vec4s + q]);
    }
    return sum;
}

fn entropy(word: u32, norm: f32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < params.topics; k++) {
        let p = now[k] * of_topic(word, k) / norm;
        sum -= p * log(max(p, 1e-37));
    }
    return sum;
}

@compute @workgroup_size(64)
fn documents(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * params.across + group.x;
    if row >= params.rows { return; }
    let begin = offsets[row];
    let end = offsets[row + 1u];
    let width = 4u * params.vec4s;
    let k = lane % SPAN;
    let topic = min(k, width - 1u);
    let real = lane < params.topics;
    var own = gamma[row * width + min(lane, width - 1u)];
    var spread = 0.0;
    var fits = true;
    for (var pass_ = 0u; pass_ < params.passes; pass_++) {
        let wanted = params.last != 0u && pass_ + 1u == params.passes;
        // Relative to the largest: only ratios matter.
        let logs = select(-3e38, digamma(max(own, 1e-30)), real);
        tree[lane] = logs;
        for (var reach = 32u; reach > 0u; reach /= 2u) {
            workgroupBarrier();
            if lane < reach { tree[lane] = max(tree[lane], tree[lane + reach]); }
        }
        workgroupBarrier();
        now[lane] = select(0.0, exp(max(logs - tree[0], -100.0)), real);
        var sum = 0.0;
        for (var chunk = begin; chunk < end; chunk += 64u) {
            workgroupBarrier();
            let e = chunk + lane;
            if e < end {
                let own_word = entries[e].x;
                let n = bitcast<f32>(entries[e].y);
                let of_word = norm(own_word);
                let holds = of_word > LEAST;
                fits = fits && holds;
                let part = select(0.0, n / max(of_word, LEAST), holds);
                word[lane] = own_word;
                share[lane] = part;
                if wanted {
                    shares[e] = part;
                    spread += select(0.0, n * entropy(own_word, max(of_word, LEAST)), holds);
                }
            }
            workgroupBarrier();
            let many = min(64u, end - chunk);
            for (var i = lane / SPAN; i < many; i += 64u / SPAN) {
                sum = fma(share[i], of_topic(word[i], topic), sum);
            }
        }
        workgroupBarrier();
        tree[lane] = sum;
        workgroupBarrier();
        if real {
            sum = 0.0;
            for (var part = lane; part < 64u; part += SPAN) { sum += tree[part]; }
            own = fma(now[lane], sum, params.prior);
            if wanted { theta[row * width + lane] = now[lane]; }
        } else if wanted && lane < width {
            theta[row * width + lane] = 0.0;
        }
        workgroupBarrier();
    }
    if lane < width { gamma[row * width + lane] = select(0.0, own, real); }
    // Rounding may leave a little less than nothing.
    tree[lane] = select(-3e38, max(spread, 0.0), fits);
    for (var reach = 32u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach {
            let lost = min(tree[lane], tree[lane + reach]) < 0.0;
            tree[lane] = select(tree[lane] + tree[lane + reach], -3e38, lost);
        }
    }
    workgroupBarrier();
    // What an earlier dispatch of this sweep has lost stays lost.
    if lane == 0u { out[row] = select(max(tree[0], -1.0), -1.0, params.first > 0u && out[row] < 0.0); }
    if lane > 0u && row + 1u == params.rows && (row + lane) / 4u == row / 4u { out[row + lane] = 0.0; }
}

@compute @workgroup_size(64)
fn words(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * params.across + group.x;
    if row >= params.rows { return; }
    let begin = offsets[row] + params.first;
    let end = min(offsets[row + 1u], begin + params.count);
    let width = 4u * params.vec4s;
    let topic = min(lane % SPAN, width - 1u);
    var sum = 0.0;
    for (var i = begin + lane / SPAN; i < end; i += 64u / SPAN) {
        let at = entries[i];
        sum = fma(shares[at.y], theta[at.x * width + topic], sum);
    }
    tree[lane] = sum;
    workgroupBarrier();
    if lane < width {
        sum = 0.0;
        for (var part = lane; part < 64u; part += SPAN) { sum += tree[part]; }
        let at = row * width + lane;
        if params.first > 0u { sum += gamma[at]; }
        gamma[at] = sum;
        out[at] = select(0.0, fma(of_topic(row, lane), sum, params.prior), lane < params.topics);
    }
}
