//! Digits at large parameters, by numbers that `tests/oracle/large.py` made with 40 digits.

use mercer::probability::distributions::*;
use mercer::probability::special::{beta_lower, gamma_lower, gamma_upper, log_beta, log_choose};
use serde_json::Value;

use crate::distributions::named;
use crate::recorded::list;
use crate::{close, near};

fn numbers() -> Value {
    serde_json::from_str(include_str!("../oracle/large.json")).unwrap()
}

fn each(all: &Value, name: &str, mut check: impl FnMut(&dyn Univariate, &Value, &str)) {
    for case in all[name].as_array().unwrap() {
        let (name, p) = (case["name"].as_str().unwrap(), list(&case["parameters"]));
        check(named(name, &p).as_ref(), case, &format!("{name}{p:?}"));
    }
}

#[test]
fn incomplete_functions_on_a_grid_to_1e8() {
    let all = numbers();
    for row in all["gamma"].as_array().unwrap() {
        let [a, x, low, up] = list(row)[..] else { panic!() };
        close(gamma_lower(a, x), low, 1e-10, &format!("P({a}, {x})"));
        close(gamma_upper(a, x), up, 1e-10, &format!("Q({a}, {x})"));
    }
    for row in all["beta"].as_array().unwrap() {
        let [a, b, x, low, up] = list(row)[..] else { panic!() };
        close(beta_lower(a, b, x), low, 1e-10, &format!("I({a}, {b}, {x})"));
        // 1 - x is rounded: its other side is that of the rounded number.
        if 1.0 - (1.0 - x) == x {
            close(beta_lower(b, a, 1.0 - x), up, 1e-10, &format!("I({b}, {a}, 1 - {x})"));
        }
    }
}

#[test]
fn tails_quantiles_and_log_densities() {
    let all = numbers();
    each(&all, "tails", |d, case, what| {
        let x = case["x"].as_f64().unwrap();
        close(d.cdf(x), case["cdf"].as_f64().unwrap(), 1e-10, what);
        close(d.survival(x), case["survival"].as_f64().unwrap(), 1e-10, what);
    });
    each(&all, "quantiles", |d, case, what| {
        let x = d.quantile(case["p"].as_f64().unwrap()).unwrap();
        close(x, case["x"].as_f64().unwrap(), 1e-10, what);
    });
    each(&all, "densities", |d, case, what| {
        let x = case["x"].as_f64().unwrap();
        near(d.log_density(x), case["log_density"].as_f64().unwrap(), 2e-10);
        assert!(d.log_density(x) < 100.0, "{what}");
    });
    each(&all, "entropies", |d, case, what| {
        close(d.entropy(), case["entropy"].as_f64().unwrap(), 1e-10, what);
    });
}

/// However narrow, a peak has a mass of one, half of it on either side.
#[test]
fn narrow_peaks_on_the_circle() {
    for k in [1e4, 1e8, 1e10, 1e12, 1e16] {
        let v = VonMises::new(0.3, k).unwrap();
        near(v.cdf(1.0), 1.0, 1e-13);
        near(v.cdf(0.3), 0.5, 1e-13);
        let width = k.sqrt().recip();
        near(v.cdf(0.3 - width), 0.158_655_253_931_457, 1.0 / k + 1e-7);
        close(v.variance().unwrap(), 1.0 / k, 2.0 / k + 1e-13, "variance");
        close(v.circular_variance(), 0.5 / k, 1.0 / k + 1e-14, "circular variance");
        let q = v.quantile(1e-3).unwrap();
        close(v.cdf(q), 1e-3, 1e-6, "quantile"); // an ulp of 0.3 is worth that much at 1e16
        let x = v.sample(2000, 5).unwrap().to_vec();
        let distance = mercer::probability::tables::kolmogorov_distance(&x, &v).unwrap();
        assert!(distance * 2000f64.sqrt() < 1.95, "{distance} at {k}");
    }
    // About ±π the peak is cut in two.
    let edge = VonMises::new(3.1, 1e4).unwrap();
    near(edge.cdf(0.0) + edge.between(0.0, 3.0), 1.0 - edge.between(3.0, std::f64::consts::PI), 1e-12);
    near(edge.cdf(std::f64::consts::PI), 1.0, 1e-12);
}

/// ±∞ is off every support; a multinomial of two categories is a binomial to its last digits.
#[test]
fn densities_at_infinity_and_of_many_trials() {
    for (name, p) in [
        ("normal", vec![1.0, 2.0]),
        ("student_t", vec![3.0, 0.0, 1.0]),
        ("laplace", vec![0.0, 1.0]),
        ("exponential", vec![2.0]),
        ("gamma", vec![0.5, 1.0]),
        ("gamma", vec![3.0, 2.0]),
        ("gamma", vec![300.0, 2.0]),
        ("inverse_gamma", vec![3.0, 2.0]),
        ("inverse_gamma", vec![300.0, 2.0]),
        ("beta", vec![2.0, 3.0]),
        ("beta", vec![200.0, 300.0]),
        ("von_mises", vec![0.0, 1.0]),
        ("bernoulli", vec![0.3]),
        ("binomial", vec![10.0, 0.3]),
        ("poisson", vec![3.0]),
    ] {
        let d = named(name, &p);
        for x in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(d.log_density(x), f64::NEG_INFINITY, "{name}{p:?} at {x}");
        }
    }
    let (n, p) = (1_000_000_000u64, 0.375);
    let (one, two) = (Binomial::new(n, p).unwrap(), Multinomial::new(n, &[p, 1.0 - p]).unwrap());
    for k in [0.0, 374_990_000.0, 375_000_000.0, 1e9] {
        close(two.log_density(&[k, n as f64 - k]).unwrap(), one.log_density(k), 1e-12, "two categories");
    }
    assert_eq!(Multinomial::new(0, &[0.5, 0.5]).unwrap().log_density(&[0.0, 0.0]).unwrap(), 0.0);
    near(log_beta(2.0, 3.0), (1f64 / 12.0).ln(), 1e-14);
    near(log_choose(5.0, 2.0), 10f64.ln(), 1e-14);
    assert_eq!(log_beta(0.0, 1.0), f64::INFINITY);
    assert!(log_choose(2.0, 3.0).is_nan() && beta_lower(1.0, 1.0, 2.0).is_nan());
}
