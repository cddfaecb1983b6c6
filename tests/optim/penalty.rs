//! Penalties: values, slopes, and proximal operators as the minima that they are.

use mercer::optim::{Penalty, soft_threshold};

const ALL: [Penalty; 7] = [
    Penalty::None,
    Penalty::L1(0.7),
    Penalty::L2(0.4),
    Penalty::ElasticNet { penalty: 0.9, mix: 0.3 },
    Penalty::Power { penalty: 0.5, power: 1.5 },
    Penalty::Power { penalty: 0.5, power: 3.0 },
    Penalty::Power { penalty: 0.5, power: 0.5 },
];

/// RG-01: Σ|w|^q, its gradient, and q = 1, 2 as the lasso's and ridge's.
#[test]
fn values_and_slopes() {
    let w = [0.3, -1.2, 2.0];
    for q in [0.5, 1.0, 1.5, 2.0, 3.0] {
        let want: f64 = w.iter().map(|w: &f64| 0.8 * w.abs().powf(q)).sum();
        assert!((Penalty::Power { penalty: 0.8, power: q }.value(&w) - want).abs() < 1e-14);
    }
    assert_eq!(Penalty::L2(0.8).value(&w), Penalty::Power { penalty: 0.8, power: 2.0 }.value(&w));
    for p in ALL {
        for (w, g) in w.iter().zip(p.gradient(&w)) {
            let h = 1e-6;
            assert!((g - (p.at(w + h) - p.at(w - h)) / (2.0 * h)).abs() < 1e-7, "{p:?}");
        }
        assert_eq!(p.slope(0.0), 0.0);
    }
    assert!(
        Penalty::L1(-1.0).check().is_err() && Penalty::ElasticNet { penalty: 1.0, mix: 1.1 }.check().is_err()
    );
    assert!(Penalty::Power { penalty: 1.0, power: 0.0 }.check().is_err());
}

/// L.7: `prox` is the minimiser of γp(w) + ½(w - v)², the identity without a penalty, the soft threshold of L1.
#[test]
fn prox_is_a_minimum() {
    for p in ALL {
        for step in [0.3, 1.0, 2.5] {
            for v in [-3.0, -0.8, -0.1, 0.0, 0.4, 1.1, 5.0] {
                let at = |w: f64| step * p.at(w) + 0.5 * (w - v) * (w - v);
                let found = p.prox(v, step);
                let least = (-6000..=6000).map(|i| at(f64::from(i) / 1000.0)).fold(f64::INFINITY, f64::min);
                assert!(at(found) <= least + 1e-9, "{p:?}: prox of {v} with {step} is {found}");
            }
        }
    }
    assert_eq!(Penalty::None.prox(1.7, 3.0), 1.7);
    assert_eq!(
        (soft_threshold(2.0, 0.5), soft_threshold(-2.0, 0.5), soft_threshold(0.4, 0.5)),
        (1.5, -1.5, 0.0)
    );
}
