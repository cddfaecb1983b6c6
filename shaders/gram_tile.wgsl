// The tile loop shared by gram, gram_vec and gram_sum: the kernel's statistics of 64 rows of x against 64 rows of y.
//
// Workgroup of 16 x 16; each invocation holds a 4 x 4 block of pairs in registers: rows 4 lane.y + (0..3) against
// columns 4 lane.x + (0..3). Features pass through workgroup memory 16 at a time; row r lies at slot
// (r % 4) * 16 + r / 4, so that neighbouring lanes read neighbouring slots.
// Padding: past the end the last row is staged again, so that a kernel sees points only; the caller discards what
// it makes of them. Padded features are zeros.
//
// Prepended: the kernel (`Stats`, `stats_add`, ...), `load_x` and `load_y`.

const TILE: u32 = 64u;
const LANES: u32 = 16u;
const DEPTH: u32 = 4u; // vec4s of features staged at a time

struct Params {
    n: u32,          // rows of x in the window
    m: u32,          // rows of y in the window
    d4: u32,         // vec4s per row of x and y
    row_first: u32,  // row of x at row 0 of the window
    col_first: u32,  // row of y at row 0 of the window
    stride: u32,     // vec4s per row of the matrix that is written, or of dense weights
    col: u32,        // first vec4 of the window in its rows
    extra: u32,      // see each shader
}

var<immediate> params: Params;

var<workgroup> x_tile: array<vec4<f32>, DEPTH * TILE>;
var<workgroup> y_tile: array<vec4<f32>, DEPTH * TILE>;

struct Rows {
    r0: Stats,
    r1: Stats,
    r2: Stats,
    r3: Stats,
}

// Stages features 4 step .. 4 step + 15 of both tiles, one vec4 of each an invocation. Barriers on both sides.
fn stage(row0: u32, col0: u32, step: u32, slot: u32) {
    let r = slot / DEPTH;
    let p = step + slot % DEPTH;
    var xv = vec4<f32>();
    var yv = vec4<f32>();
    if p < params.d4 {
        xv = load_x(min(row0 + r, params.n - 1u) * params.d4 + p);
        yv = load_y(min(col0 + r, params.m - 1u) * params.d4 + p);
    }
    let at = slot % DEPTH * TILE + r % 4u * LANES + r / 4u;
    workgroupBarrier();
    x_tile[at] = xv;
    y_tile[at] = yv;
    workgroupBarrier();
}

fn tile_stats(row0: u32, col0: u32, lane: vec3<u32>, slot: u32) -> Rows {
    var s = Rows(stats_zero(), stats_zero(), stats_zero(), stats_zero());
    for (var step = 0u; step < params.d4; step += DEPTH) {
        stage(row0, col0, step, slot);
        let upto = min(DEPTH, params.d4 - step);
        for (var q = 0u; q < upto; q++) {
            let xs = q * TILE + lane.y;
            let ys = q * TILE + lane.x;
            let y0 = y_tile[ys];
            let y1 = y_tile[ys + LANES];
            let y2 = y_tile[ys + 2u * LANES];
            let y3 = y_tile[ys + 3u * LANES];
            s.r0 = stats_add(s.r0, step + q, x_tile[xs], y0, y1, y2, y3);
            s.r1 = stats_add(s.r1, step + q, x_tile[xs + LANES], y0, y1, y2, y3);
            s.r2 = stats_add(s.r2, step + q, x_tile[xs + 2u * LANES], y0, y1, y2, y3);
            s.r3 = stats_add(s.r3, step + q, x_tile[xs + 3u * LANES], y0, y1, y2, y3);
        }
    }
    return s;
}

// 1 where a pair is one point with itself; SAME says that x and y are one data set.
override SAME: bool = false;
fn same(row: u32, col: u32) -> vec4<f32> {
    if !SAME { return vec4<f32>(); }
    let c = params.col_first + col;
    return select(vec4(0.0), vec4(1.0), vec4(c, c + 1u, c + 2u, c + 3u) == vec4(params.row_first + row));
}

// `v` with zeros in the columns past the end.
fn inside(col: u32, v: vec4<f32>) -> vec4<f32> {
    return select(vec4<f32>(), v, vec4(col, col + 1u, col + 2u, col + 3u) < vec4(params.m));
}
