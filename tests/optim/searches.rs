use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::optim::{Minimiser, Stop};
use mercer::{Error, Progress};

use crate::{FREE, bowl, rosenbrock};

#[test]
fn rosenbrock_with_and_without_bounds() {
    for bounds in [[FREE; 2], [(-2.0, 2.0); 2], [(-2.0, f64::INFINITY), (f64::NEG_INFINITY, 3.0)]] {
        for start in [[-1.2, 1.0], [0.0, 0.0], [1.9, -1.9]] {
            let found = Minimiser::default().run(&start, &bounds, rosenbrock).unwrap();
            assert!(found.value < 1e-10, "{start:?} in {bounds:?}: {found:?}");
            let off = found.point.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4, "{start:?} in {bounds:?}: {found:?}");
            assert!(found.evaluations < 120, "{start:?} in {bounds:?}: {found:?}");
        }
    }
}

#[test]
fn the_trace_falls_and_ends_at_the_value() {
    let found = Minimiser::default().run(&[-1.2, 1.0], &[FREE; 2], rosenbrock).unwrap();
    assert!(found.trace.windows(2).all(|w| w[1] < w[0]), "{:?}", found.trace);
    assert_eq!(*found.trace.last().unwrap(), found.value);
    assert_eq!(found.trace[0], rosenbrock(&[-1.2, 1.0]).unwrap().0);
    assert_eq!(found.iterations, found.trace.len() - 1);
    assert_eq!(found.gradient, rosenbrock(&found.point).unwrap().1);
    assert_eq!(found.stop, Stop::Gradient);
}

/// A badly scaled quadratic in 50 variables: steepest descent would take about 1e4 iterations.
#[test]
fn curvature_is_learned() {
    let n = 50;
    let weights: Vec<f64> = (0..n).map(|i| 10f64.powf(4.0 * i as f64 / (n - 1) as f64)).collect();
    let centre = vec![1.0; n];
    let minimiser = Minimiser::new().max_iterations(1000).tolerance(1e-7);
    let found = minimiser.run(&vec![0.0; n], &vec![FREE; n], |p| Ok(bowl(&weights, &centre, p))).unwrap();
    assert!(found.point.iter().all(|x| (x - 1.0).abs() < 1e-4), "{found:?}");
    assert!(found.iterations < 900, "{} iterations", found.iterations);
}

/// `sin(5x) + x²/10` has a dozen minima in [-10, 10], the best near -0.31.
#[allow(clippy::unnecessary_wraps, reason = "the shape of an objective")]
fn waves(p: &[f64]) -> mercer::Result<(f64, Vec<f64>)> {
    let x = p[0];
    Ok(((5.0 * x).sin() + 0.1 * x * x, vec![5.0 * (5.0 * x).cos() + 0.2 * x]))
}

#[test]
fn restarts_find_the_best_of_many_minima_and_are_seeded() {
    let alone = Minimiser::default().run(&[8.0], &[(-10.0, 10.0)], waves).unwrap();
    let many = Minimiser::new().restarts(30).seed(3);
    let found = many.run(&[8.0], &[(-10.0, 10.0)], waves).unwrap();
    assert!(found.value < alone.value - 1.0, "{} is no better than {}", found.value, alone.value);
    assert!((found.point[0] + 0.3117).abs() < 1e-3, "{found:?}");
    assert_eq!(found, many.run(&[8.0], &[(-10.0, 10.0)], waves).unwrap());
    let other = many.seed(4);
    assert_ne!(found.evaluations, other.run(&[8.0], &[(-10.0, 10.0)], waves).unwrap().evaluations);
}

#[test]
fn a_budget_of_iterations_is_kept() {
    for budget in [0, 1, 5] {
        let minimiser = Minimiser::new().max_iterations(budget);
        let found = minimiser.run(&[-1.2, 1.0], &[FREE; 2], rosenbrock).unwrap();
        assert_eq!((found.iterations, found.stop), (budget, Stop::Iterations));
    }
}

#[test]
fn cancellation() {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = calls.clone();
    let progress = Progress::new(move |step| {
        assert!(step.value.is_finite());
        assert_eq!((step.op, step.total), ("minimise", Some(200)));
        seen.fetch_add(1, Ordering::Relaxed);
        if step.made == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let minimiser = Minimiser::new().progress(progress);
    let error = minimiser.run(&[-1.2, 1.0], &[FREE; 2], rosenbrock).unwrap_err();
    assert_eq!(error, Error::Cancelled { op: "minimise", iterations: 3 });
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}
