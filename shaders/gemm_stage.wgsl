// How operands of gemm_tiled.wgsl get from storage into its tile: `next_a` and `next_b` read an invocation's share of the
// next 16 steps of k, `put_along` and `put_across` put it where the products find it.
//
// Tile, order in it and padding: as gemm_tiled.wgsl says, to which this is appended. Twin: `cpu` in src/ops/gemm.rs.

// Where an operand's share of an invocation lies in storage: two vec4s of the large tile, four of the small one.
// Stored along k: vec4 t % 4 of the rows t / 4, and OWN / 4 more each; across: vec4 t % WIDE of the steps t / WIDE, and
// LANES / 2 more each.
fn along(first: u32, end: u32, stride: u32, col: u32, t: u32, k0: u32) -> vec4<u32> {
    let q = col + min(k0 / 4u + t % 4u, (params.k - 1u) / 4u);
    let rows = vec4(first + t / 4u) + vec4(0u, 1u, 2u, 3u) * (OWN / 4u);
    return min(rows, vec4(end - 1u)) * stride + q;
}

fn across(first: u32, end: u32, stride: u32, col: u32, t: u32, k0: u32) -> vec4<u32> {
    let q = col + min(first / 4u + t % WIDE, (end - 1u) / 4u);
    let steps = vec4(k0 + t / WIDE) + vec4(0u, 1u, 2u, 3u) * (LANES / 2u);
    return min(steps, vec4(params.k - 1u)) * stride + q;
}

fn next_a(row0: u32, t: u32, k0: u32) -> Four {
    var at = vec4<u32>();
    if TRANS_A {
        at = across(row0, params.m, params.a_stride, params.a_col, t, k0);
    } else {
        at = along(row0, params.m, params.a_stride, params.a_col, t, k0);
    }
    var f = Four(load_a(at.x), load_a(at.y), vec4<f32>(), vec4<f32>());
    if LANES == 8u {
        f.v2 = load_a(at.z);
        f.v3 = load_a(at.w);
    }
    return f;
}

fn next_b(col0: u32, t: u32, k0: u32) -> Four {
    var at = vec4<u32>();
    if TRANS_B {
        at = along(col0, params.n, params.b_stride, params.b_col, t, k0);
    } else {
        at = across(col0, params.n, params.b_stride, params.b_col, t, k0);
    }
    var f = Four(load_b(at.x), load_b(at.y), vec4<f32>(), vec4<f32>());
    if LANES == 8u {
        f.v2 = load_b(at.z);
        f.v3 = load_b(at.w);
    }
    return f;
}

// One vec4 along k of one row, turned: entry `part` of the vec4s of four steps.
fn turn(at: u32, part: u32, v: vec4<f32>) {
    tile[at][part] = v.x;
    tile[at + WIDE][part] = v.y;
    tile[at + 2u * WIDE][part] = v.z;
    tile[at + 3u * WIDE][part] = v.w;
}

fn put_along(base: u32, t: u32, k0: u32, rows: u32, f: Four) {
    let p = t % 4u;
    let row = t / 4u;
    let live = k0 + 4u * p < params.k;
    let at = base + p * 4u * WIDE;
    let g = (row / 4u) ^ (2u * p);
    turn(at + g, row % 4u, select(vec4<f32>(), f.v0, live && row < rows));
    if LANES == 16u {
        turn(at + g + 16u, row % 4u, select(vec4<f32>(), f.v1, live && row + 64u < rows));
    } else {
        turn(at + (g ^ 4u), row % 4u, select(vec4<f32>(), f.v1, live && row + 16u < rows));
        turn(at + 8u + g, row % 4u, select(vec4<f32>(), f.v2, live && row + 32u < rows));
        turn(at + 8u + (g ^ 4u), row % 4u, select(vec4<f32>(), f.v3, live && row + 48u < rows));
    }
}

fn put_across(base: u32, t: u32, k0: u32, f: Four) {
    let kk = t / WIDE;
    let g = t % WIDE;
    let at = base + kk * WIDE;
    let left = params.k - k0; // steps that there are, at least one
    tile[at + (g ^ (2u * (kk / 4u)))] = select(vec4<f32>(), f.v0, kk < left);
    if LANES == 16u {
        tile[at + 8u * WIDE + (g ^ (2u * (kk / 4u) + 4u))] = select(vec4<f32>(), f.v1, kk + 8u < left);
    } else {
        tile[at + 4u * WIDE + (g ^ 2u)] = select(vec4<f32>(), f.v1, kk + 4u < left);
        tile[at + 8u * WIDE + (g ^ 4u)] = select(vec4<f32>(), f.v2, kk + 8u < left);
        tile[at + 12u * WIDE + (g ^ 6u)] = select(vec4<f32>(), f.v3, kk + 12u < left);
    }
}
