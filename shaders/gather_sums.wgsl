// Permuted products: out[b, i] = sum_j k[i, j] l[p[b, i], p[b, j]], for permutation b of the chunk in `p`.
//
// One workgroup an entry: its lanes walk the vec4s of row i of k, then a tree in workgroup memory.
// Padding: of k and l ignored; that of out is written as zeros.
//
// Twin: `permuted_sum` in src/ops/gather/sums.rs. Grid: (columns of out with padding, permutations, 1).

struct Params {
    n: u32,
    vec4s: u32, // per row of k, l and out
}

@group(0) @binding(0) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> l: array<f32>;
@group(0) @binding(2) var<storage, read> p: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
var<immediate> params: Params;
var<workgroup> tree: array<f32, 64>;

fn other(row: u32, at: u32, j: u32) -> f32 {
    if j >= params.n { return 0.0; }
    return l[row + p[at + j]];
}

@compute @workgroup_size(64)
fn sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.x;
    let at = group.y * params.n;
    var sum = 0.0;
    if i < params.n {
        let row = 4u * params.vec4s * p[at + i];
        for (var q = lane; q < params.vec4s; q += 64u) {
            let j = 4u * q;
            let there = vec4(other(row, at, j), other(row, at, j + 1u), other(row, at, j + 2u), other(row, at, j + 3u));
            sum += dot(k[i * params.vec4s + q], there);
        }
    }
    tree[lane] = sum;
    for (var reach = 32u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach { tree[lane] += tree[lane + reach]; }
    }
    if lane == 0u { out[group.y * 4u * params.vec4s + i] = tree[0]; }
}
