//! Minimisation in a box: textbook valleys, minima at bounds, objectives that fail, restarts, cancellation.

mod bounds;
mod data;
mod failures;
mod first_order;
mod input;
mod others;
mod penalty;
mod private;
mod searches;
mod start;

use mercer::Result;

/// `(1 - x)² + 100 (y - x²)²`.
#[allow(clippy::unnecessary_wraps, reason = "the shape of an objective")]
fn rosenbrock(p: &[f64]) -> Result<(f64, Vec<f64>)> {
    let (a, b) = (1.0 - p[0], p[1] - p[0] * p[0]);
    Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * p[0] * b, 200.0 * b]))
}

/// `½ Σ w_i (x_i - c_i)²`.
fn bowl(weights: &[f64], centre: &[f64], p: &[f64]) -> (f64, Vec<f64>) {
    let gradient: Vec<f64> = (0..p.len()).map(|i| weights[i] * (p[i] - centre[i])).collect();
    let value = (0..p.len()).map(|i| 0.5 * gradient[i] * (p[i] - centre[i])).sum();
    (value, gradient)
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
