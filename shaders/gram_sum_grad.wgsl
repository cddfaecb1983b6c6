// gram_sum with derivatives: NGRAD scalar sums, then for each weighted statistic the sums by each feature's weight.
//
// The sum and the scalar slots go four at a time. The slots come straight from `kernel_grad`, which also gives the adjoint of each statistic; a second pass
// over the features of the tile contracts those with each feature's own term.
// Twin: `cpu` in src/ops/gram_sum.rs.

// Slot i, or zero where there is none.
fn slot_of(g: array<f32, G>, i: u32) -> f32 {
    var all = g;
    if i >= NGRAD { return 0.0; }
    return all[min(i, G - 1u)];
}

fn sum_up(
    s: Rows, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>,
    same0: vec4<f32>, same1: vec4<f32>, same2: vec4<f32>, same3: vec4<f32>,
    row0: u32, col0: u32, lane: vec3<u32>, slot: u32, first: u32,
) {
    var g = array<f32, G>();
    // Row by row: what a row's value and its derivatives share need not wait for the other rows.
    var value = dot(w0, kernel_value(s.r0, same0));
    let d0 = kernel_grad(s.r0, same0, w0, &g);
    value += dot(w1, kernel_value(s.r1, same1));
    let d1 = kernel_grad(s.r1, same1, w1, &g);
    value += dot(w2, kernel_value(s.r2, same2));
    let d2 = kernel_grad(s.r2, same2, w2, &g);
    value += dot(w3, kernel_value(s.r3, same3));
    let d3 = kernel_grad(s.r3, same3, w3, &g);
    total(vec4(value, slot_of(g, 0u), slot_of(g, 1u), slot_of(g, 2u)), slot, first);
    for (var i = 3u; i < NGRAD; i += 4u) {
        let four = vec4(slot_of(g, i), slot_of(g, i + 1u), slot_of(g, i + 2u), slot_of(g, i + 3u));
        total(four, slot, first + (i + 1u) / 4u);
    }
    if NWEIGHT == 0u { return; }
    for (var step = 0u; step < params.d4; step += DEPTH) {
        stage(row0, col0, step, slot);
        let upto = min(DEPTH, params.d4 - step);
        for (var q = 0u; q < upto; q++) {
            let xs = q * TILE + (lane.y ^ (2u * q));
            let ys = q * TILE + (lane.x ^ (2u * q));
            let y0 = y_tile[ys];
            let y1 = y_tile[ys + LANES];
            let y2 = y_tile[ys + 2u * LANES];
            let y3 = y_tile[ys + 3u * LANES];
            let p = step + q;
            for (var k = 0u; k < NWEIGHT; k++) {
                let t = weight_term(k, d0, p, x_tile[xs], y0, y1, y2, y3)
                    + weight_term(k, d1, p, x_tile[xs + LANES], y0, y1, y2, y3)
                    + weight_term(k, d2, p, x_tile[xs + 2u * LANES], y0, y1, y2, y3)
                    + weight_term(k, d3, p, x_tile[xs + 3u * LANES], y0, y1, y2, y3);
                total(t, slot, first + NGRAD / 4u + 1u + k * params.d4 + p);
            }
        }
    }
}
