// Sparse times dense: out[i, :] += sum_e value[e] v[column[e], :] over the stored entries e of row i in this chunk.
//
// A workgroup has 8 rows of 8 lanes and one vec4 of columns: a lane takes every eighth entry of its row, then a tree of
// three steps in workgroup memory. Entries whose row of v lies outside this window of v are left to another dispatch.
// Padding: columns beyond the last are zeros of v, and stay zeros.
//
// Twin: `SparseMatrix::times`, by `cpu` in src/ops/spmm.rs. Grid: (across, ceil(rows / (8 * across)), vec4s).

struct Params {
    rows: u32,      // of this dispatch
    across: u32,    // workgroups along x
    vec4s: u32,     // per row of v and out
    local: u32,     // place of the first row in `offsets`
    out_first: u32, // place of the first row in the window of out
    v_first: u32,   // first row of the window of v
    v_end: u32,     // the row after its last
}

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> column: array<u32>;
@group(0) @binding(2) var<storage, read> value: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;
var<workgroup> tree: array<vec4<f32>, 64>;

@compute @workgroup_size(64)
fn spmm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let lane = index % 8u;
    let i = 8u * (group.y * params.across + group.x) + index / 8u;
    var sum = vec4<f32>();
    if i < params.rows {
        let end = offsets[params.local + i + 1u];
        for (var e = offsets[params.local + i] + lane; e < end; e += 8u) {
            let j = column[e];
            if j >= params.v_first && j < params.v_end {
                sum += value[e] * v[(j - params.v_first) * params.vec4s + group.z];
            }
        }
    }
    tree[index] = sum;
    for (var reach = 4u; reach > 0u; reach /= 2u) {
        workgroupBarrier();
        if lane < reach { tree[index] += tree[index + reach]; }
    }
    if lane == 0u && i < params.rows {
        out[(params.out_first + i) * params.vec4s + group.z] += tree[index];
    }
}
