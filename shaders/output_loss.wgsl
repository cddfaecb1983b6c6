// Losses of output units: losses[at + i] = w_i E(a_i, t_i), delta[i, :] = scale w_i dE/da_i, over vec4 rows.
//
// One row an invocation; a row of the targets ends with its weight w. OUTPUT picks E when the pipeline is made.
// Padding: zeros in delta, and in losses up to the next multiple of four rows.
//
// Twin: `cpu` in src/ops/output_loss.rs. Grid: (across, ceil(rows / (64 * across)), 1), with stride = 64 * across.

override OUTPUT: u32 = 0u; // as `Output::code` numbers them
const FAR: f32 = 3.0e38;

struct Params {
    rows: u32,    // in the window
    stride: u32,  // invocations along x
    cols: u32,
    vec4s: u32,   // per row of a and delta
    t_vec4s: u32, // per row of the targets
    at: u32,      // place of the first loss
    scale: f32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> t: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> delta: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> losses: array<f32>;
var<immediate> params: Params;

fn real(q: u32) -> vec4<bool> {
    return vec4(4u * q) + vec4(0u, 1u, 2u, 3u) < vec4(params.cols);
}

fn sum(v: vec4<f32>) -> f32 { return dot(v, vec4(1.0)); }

fn softplus(v: vec4<f32>) -> vec4<f32> {
    let e = exp(-abs(v));
    return max(v, vec4<f32>()) + select(log(1.0 + e), e * (1.0 - 0.5 * e), e < vec4(1e-3));
}

fn sigmoid(v: vec4<f32>) -> vec4<f32> {
    let e = exp(-abs(v));
    return select(e, vec4(1.0), v >= vec4<f32>()) / (1.0 + e);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.rows {
        if i < 4u * ((params.rows + 3u) / 4u) { losses[params.at + i] = 0.0; }
        return;
    }
    let own = i * params.vec4s;
    let target_row = i * params.t_vec4s;
    let weight = t[target_row + params.cols / 4u][params.cols % 4u];
    var top = -FAR;
    var total = 0.0;
    var mass = 0.0;
    if OUTPUT == 2u {
        for (var q = 0u; q < params.vec4s; q++) {
            let v = select(vec4(-FAR), a[own + q], real(q));
            top = max(top, max(max(v.x, v.y), max(v.z, v.w)));
        }
        for (var q = 0u; q < params.vec4s; q++) {
            total += sum(select(vec4<f32>(), exp(a[own + q] - top), real(q)));
            mass += sum(select(vec4<f32>(), t[target_row + q], real(q)));
        }
    }
    var loss = 0.0;
    for (var q = 0u; q < params.vec4s; q++) {
        let v = a[own + q];
        let y = t[target_row + q];
        var d = v - y;
        var e = 0.5 * d * d;
        if OUTPUT == 1u {
            d = sigmoid(v) - y;
            e = softplus(v) - y * v;
        } else if OUTPUT == 2u {
            d = mass * exp(v - top) / total - y;
            e = y * ((top - v) + log(total));
        } else if OUTPUT == 3u {
            d = exp(v) - y;
            e = exp(v) - y * v;
        }
        delta[own + q] = select(vec4<f32>(), params.scale * weight * d, real(q));
        loss += sum(select(vec4<f32>(), e, real(q)));
    }
    losses[params.at + i] = weight * loss;
}
