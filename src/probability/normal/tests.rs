//! Against `tests/oracle/classify_normal.json`, 300 digits rounded to f64.

use serde_json::Value;

use super::{cdf, hazard, log_cdf, log_positive_part, quantile};

pub(crate) fn oracle() -> Value {
    serde_json::from_str(include_str!("../../../tests/oracle/classify_normal.json")).unwrap()
}

#[track_caller]
pub(crate) fn near(got: f64, want: &Value, relative: f64, what: &str) {
    let want = want.as_f64().unwrap();
    let off = (got - want).abs();
    assert!(off <= relative * want.abs() || off < 1e-300, "{what}: {got:e}, not {want:e}");
}

#[test]
fn everything_keeps_its_digits_in_the_tails() {
    for case in oracle()["normal"].as_array().unwrap() {
        let z = case["z"].as_f64().unwrap();
        near(log_cdf(z), &case["log_cdf"], 2e-14, &format!("ln Φ({z})"));
        let (r, gap) = hazard(z);
        near(r, &case["hazard"][0], 2e-13, &format!("r({z})"));
        near(gap, &case["hazard"][1], 2e-13, &format!("z + r at {z}"));
        let (log_h, slope) = log_positive_part(z);
        // ln h passes through zero; above the edge h is a difference that costs two digits.
        let size = &Value::from(case["log_h"][0].as_f64().unwrap().abs().max(1.0));
        near(
            log_h - case["log_h"][0].as_f64().unwrap() + size.as_f64().unwrap(),
            size,
            3e-13,
            &format!("ln h({z})"),
        );
        near(slope, &case["log_h"][1], 3e-12, &format!("(ln h)'({z})"));
    }
}

#[test]
fn the_quantile_inverts_the_distribution() {
    for pair in oracle()["quantile"].as_array().unwrap() {
        let p = pair[0].as_f64().unwrap();
        let want = pair[1].as_f64().unwrap();
        // Near p = 1 the rounding of p itself is all that can be seen.
        let bound = 1e-14 + 4e-16 / (-0.5 * want * want).exp() * p.max(1e-3);
        assert!((quantile(p) - want).abs() <= bound * (1.0 + want.abs()), "{p}: {} not {want}", quantile(p));
        assert!((cdf(quantile(p)) - p).abs() <= 1e-14 * p.max(1e-3));
    }
}
