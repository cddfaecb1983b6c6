// Forces of t-SNE on points y of one to three coordinates, a vec4 each: w = 1 / (1 + |y_i - y_j|²).
//
// `push`: parts[c, i] = (sum_j w² (y_i - y_j), sum_j w) over the j of chunk c. A workgroup has 256 rows, four an invocation,
// and walks its chunk in tiles of 64 points in workgroup memory.
// `pull`: out[2 i] is the sum of row i's parts, and out[2 i + 1] = sum_e p_e (w (y_i - y_j), log(1 + |y_i - y_j|²)) over the
// entries e of row i, by eight lanes a row.
// Padding: a point that does not exist lies so far away that its w² is zero.
//
// Twin: `cpu` in src/ops/tsne_forces.rs. Grid: push (ceil(n / 256), chunks, 1), pull (across, ceil(n / (8 across)), 1).

override FLAT: bool = true; // no third coordinate

struct Params {
    n: u32,
    chunk: u32,  // points of a chunk, a multiple of 64
    chunks: u32, // of all
    first: u32,  // chunk of this dispatch's first workgroup; of `pull`, workgroups along x
}

@group(0) @binding(0) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> parts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read> column: array<u32>;
@group(0) @binding(4) var<storage, read> value: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;
var<workgroup> tile: array<vec4<f32>, 64>;
var<workgroup> tree: array<array<vec4<f32>, 64>, 2>;

fn met(sum: vec4<f32>, here: vec4<f32>, there: vec4<f32>) -> vec4<f32> {
    let d = here.xyz - there.xyz;
    var s = fma(d.x, d.x, fma(d.y, d.y, 1.0));
    if !FLAT { s = fma(d.z, d.z, s); }
    let w = 1.0 / s;
    let w2 = w * w;
    var next = vec4(fma(w2, d.x, sum.x), fma(w2, d.y, sum.y), sum.z, sum.w + w);
    if !FLAT { next.z = fma(w2, d.z, sum.z); }
    return next;
}

@compute @workgroup_size(64)
fn push(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = 256u * group.x + lane;
    let last = params.n - 1u;
    let a = y[min(row, last)];
    let b = y[min(row + 64u, last)];
    let c = y[min(row + 128u, last)];
    let d = y[min(row + 192u, last)];
    var sums = mat4x4<f32>();
    let chunk = params.first + group.y;
    let end = min((chunk + 1u) * params.chunk, params.n);
    for (var start = chunk * params.chunk; start < end; start += 64u) {
        let j = start + lane;
        workgroupBarrier();
        tile[lane] = select(vec4(1e18), y[min(j, last)], j < end);
        workgroupBarrier();
        // A tile of the workgroup's own rows has each point once for itself: one of the four does not see it.
        let own = (start - 256u * group.x) / 64u;
        if own < 4u {
            for (var t = 0u; t < 64u; t++) {
                let there = tile[t];
                let away = select(there, vec4(1e18), t == lane);
                sums[0] = met(sums[0], a, select(there, away, own == 0u));
                sums[1] = met(sums[1], b, select(there, away, own == 1u));
                sums[2] = met(sums[2], c, select(there, away, own == 2u));
                sums[3] = met(sums[3], d, select(there, away, own == 3u));
            }
        } else {
            for (var t = 0u; t < 64u; t++) {
                let there = tile[t];
                sums[0] = met(sums[0], a, there);
                sums[1] = met(sums[1], b, there);
                sums[2] = met(sums[2], c, there);
                sums[3] = met(sums[3], d, there);
            }
        }
    }
    let at = chunk * params.n + row;
    if row < params.n { parts[at] = sums[0]; }
    if row + 64u < params.n { parts[at + 64u] = sums[1]; }
    if row + 128u < params.n { parts[at + 128u] = sums[2]; }
    if row + 192u < params.n { parts[at + 192u] = sums[3]; }
}

@compute @workgroup_size(64)
fn pull(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let lane = index % 8u;
    let i = 8u * (group.y * params.first + group.x) + index / 8u;
    var pushed = vec4<f32>();
    var pulled = vec4<f32>();
    if i < params.n {
        for (var c = lane; c < params.chunks; c += 8u) { pushed += parts[c * params.n + i]; }
        let here = y[i];
        let end = offsets[i + 1u];
        for (var e = offsets[i] + lane; e < end; e += 8u) {
            let d = here.xyz - y[column[e]].xyz;
            let s = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, 1.0)));
            pulled += value[e] * vec4(d / s, 0.69314718 * log2(s));
        }
    }
    tree[0][index] = pushed;
    tree[1][index] = pulled;
    for (var reach = 4u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach {
            tree[0][index] += tree[0][index + reach];
            tree[1][index] += tree[1][index + reach];
        }
    }
    if lane == 0u && i < params.n {
        out[2u * i] = tree[0][index];
        out[2u * i + 1u] = tree[1][index];
    }
}
