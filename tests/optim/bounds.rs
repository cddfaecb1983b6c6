use mercer::Result;
use mercer::optim::{Minimiser, Stop};

use crate::{FREE, bowl, rosenbrock};

/// The minimum of a separable quadratic over a box is the centre, moved to the nearest bound.
#[test]
fn boxed_quadratics() {
    let weights = [1.0, 30.0, 0.02, 4.0, 1.0, 5.0];
    let centre = [3.0, -4.0, 0.5, 2.0, -7.0, 1.0];
    let bounds =
        [(-1.0, 2.0), (-3.0, 3.0), (0.0, 1.0), FREE, (-5.0, f64::INFINITY), (f64::NEG_INFINITY, 0.25)];
    let want = [2.0, -3.0, 0.5, 2.0, -5.0, 0.25];
    for start in [[0.0; 6], [2.0, 3.0, 0.0, -9.0, 40.0, -30.0], [-1.0, -3.0, 1.0, 2.0, -5.0, 0.25]] {
        let found = Minimiser::default().run(&start, &bounds, |p| Ok(bowl(&weights, &centre, p))).unwrap();
        for (i, (x, w)) in found.point.iter().zip(want).enumerate() {
            // The tolerance on the gradient over the curvature.
            let off = if i == 2 { 1e-2 } else { 1e-5 };
            assert!((x - w).abs() < off, "from {start:?}: x[{i}] = {x}, should be {w}; {found:?}");
        }
        assert!(found.point.iter().zip(bounds).all(|(&x, (a, b))| a <= x && x <= b));
        assert_eq!(found.stop, Stop::Gradient, "{found:?}");
    }
}

/// Rosenbrock's valley cut off at x = 1/2: the minimum is (1/2, 1/4).
#[test]
fn a_minimum_at_a_bound_that_the_valley_runs_into() {
    let found = Minimiser::default().run(&[-1.2, 1.0], &[(-2.0, 0.5), (-2.0, 2.0)], rosenbrock).unwrap();
    assert!((found.point[0] - 0.5).abs() < 1e-9 && (found.point[1] - 0.25).abs() < 1e-4, "{found:?}");
    assert!((found.value - 0.25).abs() < 1e-8);
}

/// Where the derivative of the change of variable vanishes a search must not stay.
#[test]
fn a_start_at_the_wrong_bound_leaves_it() {
    for start in [[-5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]] {
        let found = Minimiser::default()
            .run(&start, &[(-5.0, 5.0); 2], |p| Ok(bowl(&[1.0, 2.0], &[4.999, -4.0], p)))
            .unwrap();
        assert!((found.point[0] - 4.999).abs() < 1e-5 && (found.point[1] + 4.0).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn nothing_is_evaluated_outside() {
    let bounds = [(0.0, 1.0), (2.0, f64::INFINITY)];
    let f = |p: &[f64]| -> Result<(f64, Vec<f64>)> {
        assert!((0.0..=1.0).contains(&p[0]) && p[1] >= 2.0, "evaluated at {p:?}");
        Ok((-1e3 * p[0] + p[1].ln(), vec![-1e3, 1.0 / p[1]]))
    };
    let found = Minimiser::new().restarts(3).run(&[-9.0, 1e3], &bounds, f).unwrap();
    // The tolerance is relative to a value of -1000.
    assert!((found.point[0] - 1.0).abs() < 1e-5 && (found.point[1] - 2.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn an_interval_of_one_point_is_a_constant() {
    let found = Minimiser::default()
        .run(&[0.0, 7.0], &[FREE, (7.0, 7.0)], |p| Ok(bowl(&[1.0, 1.0], &[1.0, 1.0], p)))
        .unwrap();
    assert!((found.point[0] - 1.0).abs() < 1e-6);
    assert_eq!((found.point[1], found.stop), (7.0, Stop::Gradient));
}

/// Bounds so far away that the distance between them is no number are none.
#[test]
fn bounds_at_the_end_of_the_numbers() {
    let (min, max) = (f64::MIN, f64::MAX);
    for bounds in
        [(min, max), (0.0, max), (min, 9.0), (min / 2.0, max / 2.0), (-1e300, 1e300), (-1e299, 1e299)]
    {
        for restarts in [0, 2] {
            let minimiser = Minimiser::new().restarts(restarts);
            let found = minimiser.run(&[2.0], &[bounds], |p| Ok(bowl(&[1.0], &[3.0], p))).unwrap();
            assert!((found.point[0] - 3.0).abs() < 1e-5, "{bounds:?}: {found:?}");
        }
    }
    // Nothing to be found there, but an answer.
    for bounds in [(max / 2.0, max), (min, min / 2.0), (max, max)] {
        let _ = Minimiser::default().run(&[2.0], &[bounds], |p| Ok(bowl(&[1.0], &[3.0], p)));
    }
}

/// A value that is large, as of data that nobody has scaled, makes a slope that is as large no smaller: within bounds that
/// are a few units apart the search must begin all the same.
#[test]
fn a_large_value_is_no_minimum() {
    for size in [1.0, 1e4, 1e8, 1e14] {
        // ½ size (e^(-x) + e^(y)), falling towards one corner, as a misfit does while a variance is too small.
        let misfit = |p: &[f64]| {
            let (a, b) = ((-p[0]).exp(), p[1].exp());
            Ok((0.5 * size * (a + b), vec![-0.5 * size * a, 0.5 * size * b]))
        };
        let found = Minimiser::default().run(&[-3.0, 2.0], &[(-12.0, 12.0); 2], misfit).unwrap();
        assert!(found.iterations > 0, "{size:e}: {found:?}");
        assert!(found.value < 1e-2 * found.trace[0], "{size:e}: {found:?}");
    }
}
