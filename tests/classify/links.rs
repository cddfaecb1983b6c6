//! The logistic function.

use crate::near;

/// C-01: identities over [-100, 100], derivatives by differences.
#[test]
fn the_logistic_function_and_its_relatives() {
    use mercer::learn::links::{log_sigmoid, logit, sigmoid, sigmoid_slope};
    for k in -1000..=1000 {
        let a = f64::from(k) / 10.0;
        near(sigmoid(-a), 1.0 - sigmoid(a), 1e-15);
        near(sigmoid_slope(a), sigmoid(a) * (1.0 - sigmoid(a)), 1e-15);
        near((sigmoid(a + 1e-5) - sigmoid(a - 1e-5)) / 2e-5, sigmoid_slope(a), 1e-9);
        near(log_sigmoid(a), if a > -700.0 { sigmoid(a).ln() } else { a }, 1e-13);
        // The same number as e^f/(1 + e^f).
        near(sigmoid(a), a.exp() / (1.0 + a.exp()), 1e-14);
        if a < 30.0 {
            near(logit(sigmoid(a)), a, 1e-3);
        }
        assert!(log_sigmoid(a).is_finite() && (0.0..=1.0).contains(&sigmoid(a)));
    }
    assert_eq!((sigmoid(-1e4), sigmoid(1e4), log_sigmoid(-1e4)), (0.0, 1.0, -1e4));
    assert!(logit(1.0).is_infinite() && logit(0.0).is_infinite());
}
