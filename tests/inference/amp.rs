//! Approximate message passing solves the Lasso of its penalty, for independent normal columns.

use mercer::inference::variational::approximate_message_passing;
use mercer::random::Philox;
use ndarray::{Array1, Array2};

#[test]
fn its_fixed_point_meets_the_conditions_of_the_lasso() {
    let (n, d) = (250, 400);
    let mut rng = Philox::new(5, 0);
    let x = Array2::from_shape_fn((n, d), |_| rng.normal() / (n as f64).sqrt());
    let truth = Array1::from_shape_fn(d, |j| if j % 20 == 0 { 3.0 } else { 0.0 });
    let y = x.dot(&truth) + Array1::from_shape_fn(n, |_| 0.1 * rng.normal());
    let found = approximate_message_passing(&x, y.view(), 1.4, 500).unwrap();
    let w = &found.coefficients;
    // Xᵀ(y - Xw) = λ sign w where w is not zero, and within ±λ elsewhere.
    let g = x.t().dot(&(&y - &x.dot(w)));
    for j in 0..d {
        if w[j] == 0.0 {
            assert!(g[j].abs() <= found.penalty * (1.0 + 1e-6));
        } else {
            assert!((g[j] - found.penalty * w[j].signum()).abs() < 1e-6 * found.penalty.max(1.0));
        }
    }
    let off = (w - &truth).mapv(|v| v * v).sum() / truth.mapv(|v| v * v).sum();
    assert!(off < 0.05, "{off}");
    assert!(approximate_message_passing(&x, y.view(), -1.0, 10).is_err());
}
