// Triangular solve, first stage: out = the inverse of one lower triangular diagonal block of t, at most 64 x 64.
//
// One workgroup; invocation c solves for column c of the inverse by forward substitution, in workgroup memory that
// only it touches (exactly the 16 KiB that WebGPU guarantees), so there are no barriers. Entries of t come from
// storage: all invocations read the same one.
// TRANSPOSED: each block's inverse is stored transposed. Padding: columns past the end are zeros.
// Twin: `cpu` in src/ops/solve_triangular.rs. Grid: (1, 1, 1).

const BLOCK: u32 = 64u;
override TRANSPOSED: bool = false;

struct Params {
    rows: u32,   // size of the block
    stride: u32, // vec4s per row of t
    col: u32,    // first vec4 of the block in its rows
}

@group(0) @binding(0) var<storage, read> t: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<immediate> params: Params;

var<workgroup> x: array<f32, BLOCK * BLOCK>; // x[row * BLOCK + column]

@compute @workgroup_size(BLOCK)
fn main(@builtin(local_invocation_index) c: u32) {
    // A transposed block of fewer rows leaves columns that nobody else writes.
    if TRANSPOSED && c < params.rows {
        for (var i = params.rows; i < BLOCK; i++) { out[c * BLOCK + i] = 0.0; }
    }
    for (var i = 0u; i < params.rows; i++) {
        let row = i * params.stride + params.col;
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
        let v = select(0.0, rest / t[row + i / 4u][i % 4u], c <= i);
        x[i * BLOCK + c] = v;
        if TRANSPOSED {
            if c < params.rows { out[c * BLOCK + i] = v; }
        } else {
            out[i * BLOCK + c] = v;
        }
    }
}
