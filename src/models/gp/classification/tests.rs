//! Likelihoods and averages against `tests/oracle/classify_normal.json`, 300 digits rounded to f64.

mod dense;
mod gaussian;

use super::Average;
use super::average::Averager;
use super::likelihood::Link;
use crate::probability::normal::tests::{near, oracle};

#[test]
fn likelihoods_and_their_derivatives_keep_their_digits() {
    for case in oracle()["normal"].as_array().unwrap() {
        let z = case["z"].as_f64().unwrap();
        for (link, name) in [(Link::Logistic, "logistic"), (Link::Probit, "probit")] {
            let want = &case[name];
            // The derivatives of p(-1 | -f) are those of p(1 | f), the odd ones with their signs changed.
            for y in [1.0, -1.0] {
                let got = link.local(y, y * z);
                let what = |part: &str| format!("{name}, {part} at {z}");
                near(got.log, &want[0], 2e-14, &what("ln p"));
                near(y * got.slope, &want[1], 2e-13, &what("g"));
                near(got.curvature, &want[2], 5e-13, &what("D"));
                let drift = want[3].as_f64().unwrap();
                let off = (y * got.drift - drift).abs();
                assert!(off <= 1e-12 * (1.0 + z.abs()), "{name}, d ln D/df at {z}: off by {off:e}");
            }
        }
    }
}

#[test]
fn quadrature_is_the_integral_for_every_variance() {
    let exact = Averager::new(Average::Quadrature, 1).unwrap();
    let formula = Averager::new(Average::ProbitFormula, 1).unwrap();
    let mut worst = 0f64;
    for case in oracle()["average"].as_array().unwrap() {
        let at = |name: &str| case[name].as_f64().unwrap();
        let (m, v) = (at("mean"), at("variance"));
        for (link, name) in [(Link::Logistic, "logistic"), (Link::Probit, "probit")] {
            let off = (exact.probabilities(link, m, v)[1] - at(name)).abs();
            assert!(off <= 1e-13, "{name}, mean {m}, variance {v}: off by {off:e}");
        }
        let off = (formula.probabilities(Link::Logistic, m, v)[1] - at("logistic")).abs();
        worst = worst.max(off);
        assert_eq!(formula.probabilities(Link::Probit, m, v), exact.probabilities(Link::Probit, m, v));
    }
    assert!(0.005 < worst && worst < 0.02, "the formula for the logistic link is off by {worst}");
}

/// However improbable a class is: what a logarithm would see must not be rounding, and not zero.
#[test]
fn small_probabilities_keep_their_digits_on_either_side() {
    let exact = Averager::new(Average::Quadrature, 1).unwrap();
    let all = oracle();
    let rare = all["rare"].as_array().unwrap();
    assert!(rare.iter().any(|c| c["logistic"].as_f64().unwrap() < 1e-100));
    for case in rare {
        let (m, v) = (case["mean"].as_f64().unwrap(), case["variance"].as_f64().unwrap());
        for (link, name) in [(Link::Logistic, "logistic"), (Link::Probit, "probit")] {
            let what = format!("{name}, mean {m}, variance {v}");
            near(exact.probabilities(link, m, v)[1], &case[name], 1e-12, &what);
            near(exact.probabilities(link, -m, v)[0], &case[name], 1e-12, &what);
        }
    }
}
