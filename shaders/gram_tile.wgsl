// The tile loop shared by gram, gram_vec, gram_sum and nearest: the statistics of 64 rows of x against 64 rows of y.
//
// Workgroup of 16 x 16; each invocation holds a 4 x 4 block of pairs in registers: rows 4 lane.y + (0..3) against
// columns 4 lane.x + (0..3). Features pass through workgroup memory 16 at a time; vec4 p of row r lies at
// p * 64 + ((r % 4 * 16 + r / 4) ^ 2 p): neighbouring lanes read neighbouring slots and no stores share a bank.
// Padding: rows past the end are copies of the last one, which the caller discards; padded features are zeros.
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

fn no_rows() -> Rows {
    return Rows(stats_zero(), stats_zero(), stats_zero(), stats_zero());
}

// The vec4 that an invocation stages: one of features 4 step .. 4 step + 15 of one row.
fn own_x(row0: u32, step: u32, slot: u32) -> vec4<f32> {
    return load_x(min(row0 + slot / DEPTH, params.n - 1u) * params.d4 + min(step + slot % DEPTH, params.d4 - 1u));
}

fn own_y(col0: u32, step: u32, slot: u32) -> vec4<f32> {
    return load_y(min(col0 + slot / DEPTH, params.m - 1u) * params.d4 + min(step + slot % DEPTH, params.d4 - 1u));
}

fn own_place(slot: u32) -> u32 {
    let r = slot / DEPTH;
    let p = slot % DEPTH;
    return p * TILE + ((r % 4u * LANES + r / 4u) ^ (2u * p));
}

// Stages both tiles. Barriers on both sides.
fn stage(row0: u32, col0: u32, step: u32, slot: u32) {
    let x = own_x(row0, step, slot);
    let y = own_y(col0, step, slot);
    let at = own_place(slot);
    workgroupBarrier();
    x_tile[at] = x;
    y_tile[at] = y;
    workgroupBarrier();
}

// Adds `count` staged vec4s of features to the statistics; the first of them is number `step`.
fn add_staged(old: Rows, step: u32, count: u32, lane: vec3<u32>) -> Rows {
    var s = old;
    for (var q = 0u; q < count; q++) {
        let xs = q * TILE + (lane.y ^ (2u * q));
        let ys = q * TILE + (lane.x ^ (2u * q));
        let y0 = y_tile[ys];
        let y1 = y_tile[ys + LANES];
        let y2 = y_tile[ys + 2u * LANES];
        let y3 = y_tile[ys + 3u * LANES];
        s.r0 = stats_add(s.r0, step + q, x_tile[xs], y0, y1, y2, y3);
        s.r1 = stats_add(s.r1, step + q, x_tile[xs + LANES], y0, y1, y2, y3);
        s.r2 = stats_add(s.r2, step + q, x_tile[xs + 2u * LANES], y0, y1, y2, y3);
        s.r3 = stats_add(s.r3, step + q, x_tile[xs + 3u * LANES], y0, y1, y2, y3);
    }
    return s;
}

fn tile_stats(row0: u32, col0: u32, lane: vec3<u32>, slot: u32) -> Rows {
    var s = no_rows();
    for (var step = 0u; step < params.d4; step += DEPTH) {
        stage(row0, col0, step, slot);
        s = add_staged(s, step, min(DEPTH, params.d4 - step), lane);
    }
    return s;
}

// The statistics of one tile of y after the other against the same rows of x. ONCE: all features fit one stage, so x
// is staged by `walk_from` and stays, and the next tile of y waits in a register.
override ONCE: bool = false;
var<private> waiting: vec4<f32>;

fn walk_from(row0: u32, col0: u32, slot: u32) {
    if !ONCE { return; }
    x_tile[own_place(slot)] = own_x(row0, 0u, slot);
    waiting = own_y(col0, 0u, slot);
}

fn walk(row0: u32, col0: u32, lane: vec3<u32>, slot: u32) -> Rows {
    if !ONCE { return tile_stats(row0, col0, lane, slot); }
    workgroupBarrier();
    y_tile[own_place(slot)] = waiting;
    workgroupBarrier();
    waiting = own_y(col0 + TILE, 0u, slot);
    return add_staged(no_rows(), 0u, params.d4, lane);
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
