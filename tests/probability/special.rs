//! Special functions against 40 digits, by numbers that `tests/oracle/probability.py` made.

use mercer::probability::special::*;
use serde_json::Value;

use crate::recorded::list;
use crate::{close, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/probability.json")).unwrap()
}

#[test]
fn gamma_and_its_derivatives_have_their_digits() {
    let all = &numbers()["special"];
    for (name, f) in
        [("log_gamma", log_gamma as fn(f64) -> f64), ("digamma", digamma), ("trigamma", trigamma)]
    {
        for (x, want) in list(&all["x"]).into_iter().zip(list(&all[name])) {
            // At its zeros a logarithm has absolute digits only.
            if want == 0.0 {
                near(f(x), 0.0, 1e-14);
            } else {
                close(f(x), want, 1e-11, &format!("{name}({x})"));
            }
        }
    }
}

/// ref:N of the notes.
#[test]
fn digamma_golden_numbers() {
    let want =
        [-10.4237549404, -1.96351002602, -0.577215664902, 0.703156640645, 2.25175258907, 4.60016185274];
    for (x, want) in [0.1, 0.5, 1.0, 2.5, 10.0, 100.0].into_iter().zip(want) {
        near(digamma(x), want, 1e-10);
        near(digamma(x + 1.0), digamma(x) + 1.0 / x, 1e-12);
        let h = 1e-5 * x;
        near((log_gamma(x + h) - log_gamma(x - h)) / (2.0 * h), digamma(x), 1e-6 * digamma(x).abs());
    }
}

#[test]
fn error_functions_and_the_normal_quantile() {
    let all = &numbers()["special"];
    let pairs = |name: &str| list(&all["u"]).into_iter().zip(list(&all[name])).collect::<Vec<_>>();
    for (u, want) in pairs("erf") {
        close(error_function(u), want, 1e-13, &format!("erf({u})"));
    }
    for (u, want) in pairs("erfc") {
        close(error_function_complement(u), want, 1e-12, &format!("erfc({u})"));
    }
    for (p, want) in list(&all["p"]).into_iter().zip(list(&all["normal_quantile"])) {
        if want == 0.0 {
            near(normal_quantile(p).unwrap(), 0.0, 1e-15);
        } else {
            close(normal_quantile(p).unwrap(), want, 1e-12, &format!("quantile({p})"));
        }
    }
    near(normal_cdf(1.96), 0.9750021049, 1e-10);
    assert!(normal_quantile(0.0).is_err() && normal_quantile(f64::NAN).is_err());
}

#[test]
fn sigmoids() {
    for a in [-700.0, -3.0, 0.0, 0.2, 40.0] {
        near(sigmoid(a) + sigmoid(-a), 1.0, 1e-15);
        if a.abs() < 30.0 {
            near(logit(sigmoid(a)), a, 1e-12);
            near((softplus(a + 1e-5) - softplus(a - 1e-5)) / 2e-5, sigmoid(a), 1e-9);
        }
    }
    assert_eq!((logit(0.0), logit(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    let a = [1.0, -2.0, 0.5];
    let shifted: Vec<f64> = a.iter().map(|a| a + 900.0).collect();
    crate::all_near(&softmax(&a), &softmax(&shifted), 1e-13);
    near(softmax(&[0.0, 0.7])[1], sigmoid(0.7), 1e-15);
    assert!(softmax(&a.map(|a| 1000.0 * a))[0] == 1.0);
    assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
}
