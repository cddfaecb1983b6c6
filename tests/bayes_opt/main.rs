//! Bayesian optimisation.

#[path = "../support/mod.rs"]
mod support;

mod acquisition;
mod asking;
mod input;
mod minima;

/// Branin's function on [-5, 10] x [0, 15]: three minima of 0.397887.
fn branin(x: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let (a, b) = (x[0], x[1]);
    (b - 5.1 / (4.0 * PI * PI) * a * a + 5.0 / PI * a - 6.0).powi(2)
        + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * a.cos()
        + 10.0
}

const BRANIN: [(f64, f64); 2] = [(-5.0, 10.0), (0.0, 15.0)];
