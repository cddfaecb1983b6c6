// Triangular solve, first stage: the transposed inverses of the lower triangular diagonal blocks of t, 64 x 64 or, for
// the last one, less.
//
// One workgroup a block; invocation c solves for column c of the inverse by forward substitution, in workgroup memory
// that only it touches (exactly the 16 KiB that WebGPU guarantees), so there are no barriers. Entries of t come from
// storage: all invocations read the same one. Row c of `out` is column c of the inverse, a vec4 at a time.
// Padding: columns past the end are zeros, and so are the rows past the end of the last block.
// Twin: `cpu` in src/ops/solve_triangular.rs. Grid: (ceil(rows / 64), 1, 1).

const BLOCK: u32 = 64u;

struct Params {
    rows: u32,   // rows of the window, the last block perhaps not whole
    stride: u32, // vec4s per row of t
    col: u32,    // first vec4 of the first block in its rows
}

@group(0) @binding(0) var<storage, read> t: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
var<immediate> params: Params;

var<workgroup> x: array<f32, BLOCK * BLOCK>; // x[row * BLOCK + column]

@compute @workgroup_size(BLOCK)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) c: u32) {
    let first = group.x * BLOCK;
    let rows = min(BLOCK, params.rows - first);
    let col = params.col + group.x * (BLOCK / 4u);
    for (var i = 0u; i < rows; i++) {
        let row = (first + i) * params.stride + col;
        var rest = select(0.0, 1.0, i == c);
        // Four steps at a time: on a software adapter the loop costs more than the arithmetic.
        let whole = i / 4u;
        // Above its own row a column of the inverse is zero.
        for (var q = c / 4u; q < whole; q++) {
            let v = t[row + q];
            let at = 4u * q * BLOCK + c;
            rest -= dot(v, vec4(x[at], x[at + BLOCK], x[at + 2u * BLOCK], x[at + 3u * BLOCK]));
        }
        for (var k = 4u * whole; k < i; k++) {
            rest -= t[row + whole][k - 4u * whole] * x[k * BLOCK + c];
        }
        x[i * BLOCK + c] = select(0.0, rest / t[row + i / 4u][i % 4u], c <= i);
    }
    for (var i = rows; i < BLOCK; i++) { x[i * BLOCK + c] = 0.0; }
    for (var q = 0u; q < BLOCK / 4u; q++) {
        let at = 4u * q * BLOCK + c;
        out[(first + c) * (BLOCK / 4u) + q] = vec4(x[at], x[at + BLOCK], x[at + 2u * BLOCK], x[at + 3u * BLOCK]);
    }
}
