//! Functions to be minimised, as the literature has them.

use std::f64::consts::PI;

/// Branin's on `[-5, 10] x [0, 15]`: three minima of 0.397887.
pub fn branin(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    let bowl = b - 5.1 / (4.0 * PI * PI) * a * a + 5.0 / PI * a - 6.0;
    bowl * bowl + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * a.cos() + 10.0
}

/// Hartmann's on the unit cube of six dimensions: a minimum of -3.322368, and in another valley one of -3.203.
pub fn hartmann(x: &[f64]) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let bump = |i: usize| ALPHA[i] * (-(0..6).map(|j| A[i][j] * (x[j] - P[i][j]).powi(2)).sum::<f64>()).exp();
    -(0..4).map(bump).sum::<f64>()
}
