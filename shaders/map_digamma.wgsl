// The digamma function of a positive number: psi(x) = psi(x + 6) - sum of 1 / (x + i), and the asymptotic series there.
//
// The first term that is left out is below 1e-8. Prepended to what calls it.
// Padding: none. Twin: `digamma` of statrs, as src/ops/map/on_cpu.rs calls it. Grid: none, this text has no entry.

fn digamma(x: f32) -> f32 {
    var below = 0.0;
    for (var i = 0u; i < 6u; i++) { below += 1.0 / (x + f32(i)); }
    let y = x + 6.0;
    let u = 1.0 / y;
    let t = u * u;
    let series = t * fma(t, fma(t, 0.003968254, -0.008333333), 0.083333336);
    return log(y) - 0.5 * u - series - below;
}
