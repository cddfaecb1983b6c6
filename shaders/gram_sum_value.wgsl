// gram_sum without derivatives: the sum alone, in a vec4 of its own. Twin: `cpu` in src/ops/gram_sum.rs.

fn sum_up(
    s: Rows, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>,
    same0: vec4<f32>, same1: vec4<f32>, same2: vec4<f32>, same3: vec4<f32>,
    row0: u32, col0: u32, lane: vec3<u32>, slot: u32, first: u32,
) {
    let value = dot(w0, kernel_value(s.r0, same0)) + dot(w1, kernel_value(s.r1, same1))
        + dot(w2, kernel_value(s.r2, same2)) + dot(w3, kernel_value(s.r3, same3));
    total(vec4(value, 0.0, 0.0, 0.0), slot, first);
}
