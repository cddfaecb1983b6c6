// Mean field of one colour of a checkerboard: mean[s] = tanh(coupling (sum of the neighbours' means) + field[s]).
//
// One site an invocation; sites of one colour are no neighbours, so that none reads what another writes. Padding: sites
// past the end are not visited.
//
// Twin: `mean_field` in src/ops/lattice/on_cpu.rs. Grid: (across, ceil(count / (64 across)), 1), with stride = 64 across.

struct Params {
    count: u32,    // invocations: half of the columns, rounded up, in each row
    stride: u32,   // along x
    rows: u32,
    cols: u32,
    periodic: u32,
    colour: u32,   // 0 or 1: rows + columns, even or odd
    levels: u32,   // not read
    coupling: f32,
    sweep: vec2<u32>, // not read
    key: vec2<u32>,   // not read
}

@group(0) @binding(0) var<storage, read_write> mean: array<f32>;
@group(0) @binding(1) var<storage, read> field: array<f32>;
var<immediate> params: Params;

fn at(row: u32, col: u32) -> f32 { return mean[row * params.cols + col]; }

@compute @workgroup_size(64)
fn mean_field(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * params.stride + id.x;
    if i >= params.count { return; }
    let half = (params.cols + 1u) / 2u;
    let row = i / half;
    let col = 2u * (i % half) + ((row + params.colour) & 1u);
    if col >= params.cols { return; }
    let closed = params.periodic != 0u;
    var sum = 0.0;
    if row > 0u { sum += at(row - 1u, col); } else if closed { sum += at(params.rows - 1u, col); }
    if row + 1u < params.rows { sum += at(row + 1u, col); } else if closed { sum += at(0u, col); }
    if col > 0u { sum += at(row, col - 1u); } else if closed { sum += at(row, params.cols - 1u); }
    if col + 1u < params.cols { sum += at(row, col + 1u); } else if closed { sum += at(row, 0u); }
    let site = row * params.cols + col;
    // One beyond 9.02 in f32; some drivers go through exp(2 v), which overflows.
    mean[site] = tanh(clamp(params.coupling * sum + field[site], -10.0, 10.0));
}
