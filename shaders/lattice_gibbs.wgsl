// Gibbs sampling of one colour of a checkerboard: spin[s] = 1 if the word of s is below table[level[s], sum], else -1.
//
// One invocation has four sites one after another, of which two are of this colour: they share the block of their words.
// Sites of one colour are no neighbours, so that none reads what another writes. `means` adds tanh(coupling sum + h) of
// every site. Padding: sites past the end are not visited. `random_philox.wgsl` is prepended.
//
// Twin: `gibbs` in src/ops/lattice/on_cpu.rs. Grid: (across, ceil(count / (64 across)), 1), with stride = 64 across.

struct Params {
    count: u32,    // invocations
    stride: u32,   // along x
    rows: u32,
    cols: u32,
    periodic: u32,
    colour: u32,   // 0 or 1: rows + columns, even or odd
    levels: u32,   // 1: `level` is not read
    coupling: f32,
    sweep: vec2<u32>,
    key: vec2<u32>,
}

@group(0) @binding(0) var<storage, read_write> spin: array<i32>;
@group(0) @binding(1) var<storage, read> level: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>; // nine of each level: low word, whether all are below
@group(0) @binding(3) var<storage, read> field: array<f32>;
@group(0) @binding(4) var<storage, read_write> total: array<f32>;
var<immediate> params: Params;

fn at(row: u32, col: u32) -> i32 { return spin[row * params.cols + col]; }

fn around(row: u32, col: u32) -> i32 {
    let closed = params.periodic != 0u;
    var sum = 0;
    if row > 0u { sum += at(row - 1u, col); } else if closed { sum += at(params.rows - 1u, col); }
    if row + 1u < params.rows { sum += at(row + 1u, col); } else if closed { sum += at(0u, col); }
    if col > 0u { sum += at(row, col - 1u); } else if closed { sum += at(row, params.cols - 1u); }
    if col + 1u < params.cols { sum += at(row, col + 1u); } else if closed { sum += at(row, 0u); }
    return sum;
}

@compute @workgroup_size(64)
fn gibbs(@builtin(global_invocation_id) id: vec3<u32>) {
    let block = id.y * params.stride + id.x;
    if block >= params.count { return; }
    let words = philox(vec4(block, 0u, params.sweep), params.key);
    for (var lane = 0u; lane < 4u; lane++) {
        let site = 4u * block + lane;
        let row = site / params.cols;
        let col = site % params.cols;
        if row < params.rows && ((row + col + params.colour) & 1u) == 0u {
            var own = 0u;
            if params.levels > 1u { own = level[site]; }
            let threshold = table[9u * own + u32(around(row, col) + 4)];
            let up = threshold.y != 0u || words[lane] < threshold.x;
            spin[site] = select(-1, 1, up);
        }
    }
}

@compute @workgroup_size(64)
fn means(@builtin(global_invocation_id) id: vec3<u32>) {
    let site = id.y * params.stride + id.x;
    if site >= params.count { return; }
    let input = params.coupling * f32(around(site / params.cols, site % params.cols)) + field[site];
    total[site] += tanh(clamp(input, -10.0, 10.0));
}
