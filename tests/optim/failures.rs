use mercer::optim::Minimiser;
use mercer::{Error, Result};

use crate::{FREE, rosenbrock};

const INDEFINITE: Error = Error::NotPositiveDefinite { op: "test", pivot: 0, value: -1.0 };

/// Rosenbrock's function that fails on part of the way: the search goes round.
fn with_holes(p: &[f64]) -> Result<(f64, Vec<f64>)> {
    let hole = p[0] < -1.5 || p[1] < -0.5 || (p[0] > 0.1 && p[1] > p[0] + 0.4);
    if hole { Err(INDEFINITE) } else { rosenbrock(p) }
}

#[test]
fn failures_are_walls_and_not_the_end() {
    let mut failures = 0;
    for start in [[-1.2, 1.0], [-1.4, -0.4], [1.4, 0.0], [0.0, 0.3]] {
        let found = Minimiser::new().restarts(2).run(&start, &[(-2.0, 2.0); 2], with_holes).unwrap();
        failures += found.failures;
        assert!(found.value < 1e-9, "{start:?}: {found:?}");
    }
    assert!(failures > 0, "the test has tested nothing");
}

/// `-log` barriers by hand: beyond x = 1 the objective is NaN, and its gradient is steep before it.
#[test]
fn a_domain_that_ends_where_nobody_said_so() {
    let f = |p: &[f64]| {
        let left = 1.0 - p[0];
        Ok((-p[0] - 0.01 * left.ln(), vec![-1.0 + 0.01 / left]))
    };
    let found = Minimiser::default().run(&[0.0], &[FREE], f).unwrap();
    assert!((found.point[0] - 0.99).abs() < 1e-6, "{found:?}");
    assert!(found.failures > 0);
}

/// A wall right across the way down: L-BFGS does not slide along it, but it neither crosses it nor runs for ever.
#[test]
fn a_wall_across_the_way_ends_the_search() {
    let f = |p: &[f64]| {
        if p[0] < 0.0 { Err(INDEFINITE) } else { Ok((p[0] + p[1] * p[1], vec![1.0, 2.0 * p[1]])) }
    };
    let found = Minimiser::default().run(&[3.0, 1.0], &[FREE; 2], f).unwrap();
    assert!(found.point[0] >= 0.0 && found.value < 1.0 && found.failures > 0, "{found:?}");
    assert!(found.evaluations < 500, "{found:?}");
}

#[test]
fn a_start_that_fails_is_saved_by_restarts_or_reported() {
    let f = |p: &[f64]| {
        if p[0] < 0.0 { Err(INDEFINITE) } else { Ok(((p[0] - 1.0).powi(2), vec![2.0 * (p[0] - 1.0)])) }
    };
    assert_eq!(Minimiser::default().run(&[-1.0], &[(-5.0, 5.0)], f).unwrap_err(), INDEFINITE);
    let found = Minimiser::new().restarts(2).run(&[-1.0], &[(-5.0, 5.0)], f).unwrap();
    assert!((found.point[0] - 1.0).abs() < 1e-6 && found.failures > 0);
    let nowhere = |_: &[f64]| Ok((f64::NAN, vec![0.0]));
    let error = Minimiser::new().restarts(2).run(&[1.0], &[FREE], nowhere).unwrap_err();
    assert!(matches!(error, Error::NotFinite { what: "the objective", .. }), "{error}");
}

#[test]
fn any_other_error_ends_it() {
    let lost = Error::DeviceLost("gone".into());
    let mut left = 4;
    let result = Minimiser::new().restarts(5).run(&[-1.2, 1.0], &[(-2.0, 2.0); 2], |p| {
        left -= 1;
        if left == 0 { Err(lost.clone()) } else { rosenbrock(p) }
    });
    assert_eq!(result.unwrap_err(), lost);
    assert_eq!(left, 0);
}

/// A gradient that lies: no step goes down. The search says so and does not go on for ever.
#[test]
fn a_wrong_gradient_stalls() {
    let found = Minimiser::default().run(&[1.0], &[FREE], |p| Ok((p[0] * p[0], vec![-2.0 * p[0]]))).unwrap();
    assert_eq!((found.point[0], found.stop), (1.0, mercer::optim::Stop::Stalled));
    assert!(found.evaluations < 100);
}
