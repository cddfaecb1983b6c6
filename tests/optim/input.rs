use mercer::Error;
use mercer::optim::{
    CoordinateDescent, EvolutionStrategy, FirstOrder, Minimiser, Newton, Reduction, Schedule, Sgd,
    VarianceReduced,
};
use ndarray::array;

use crate::{FREE, rosenbrock};

#[test]
fn bad_input() {
    let run = |start: &[f64], bounds: &[(f64, f64)]| Minimiser::default().run(start, bounds, rosenbrock);
    assert!(matches!(run(&[], &[]), Err(Error::Shape { .. })));
    assert!(matches!(run(&[0.0, 0.0], &[FREE]), Err(Error::Shape { .. })));
    assert!(matches!(run(&[0.0, f64::NAN], &[FREE; 2]), Err(Error::NotFinite { row: 1, .. })));
    assert!(matches!(run(&[0.0, f64::INFINITY], &[FREE; 2]), Err(Error::NotFinite { .. })));
    for bad in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
        assert!(matches!(run(&[0.0, 0.0], &[FREE, bad]), Err(Error::Parameter { .. })), "{bad:?}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let minimiser = Minimiser::new().tolerance(tolerance);
        assert!(matches!(minimiser.run(&[0.0, 0.0], &[FREE; 2], rosenbrock), Err(Error::Parameter { .. })));
    }
    let short = Minimiser::default().run(&[0.0, 0.0], &[FREE; 2], |_| Ok((0.0, vec![0.0])));
    assert!(matches!(short, Err(Error::Shape { .. })));
}

/// A gradient that is NaN, or none, has no largest entry: no search may take it for zero.
#[test]
fn a_gradient_of_nan_is_no_minimum() {
    let first = FirstOrder::new(Sgd::new(0.1));
    assert!(matches!(first.run(&[1.0], |_| Ok((0.0, vec![f64::NAN]))), Err(Error::NotFinite { .. })));
    assert!(matches!(first.run(&[1.0], |_| Ok((0.0, vec![]))), Err(Error::Shape { .. })));
    for reduction in [Reduction::Svrg, Reduction::Saga] {
        let reduced = VarianceReduced::new(0.1).reduction(reduction);
        let found = reduced.run(&[1.0], 2, |_, _| Ok((0.0, vec![f64::NAN])));
        assert!(matches!(found, Err(Error::NotFinite { .. })), "{found:?}");
        let found = reduced.run(&[1.0], 2, |_, _| Ok((f64::NAN, vec![f64::NAN])));
        assert!(matches!(found, Err(Error::NoConvergence { .. })), "{found:?}");
    }
    assert!(Newton::new().run(&[1.0], |_| Ok((0.0, array![f64::NAN], array![[1.0]]))).is_err());
}

#[test]
fn values_that_are_none_are_refused() {
    let (x, y) = (array![[1.0, 0.5], [0.2, 1.0], [-1.0, 0.3]], array![1.0, 2.0, 0.5]);
    let descent = CoordinateDescent::new();
    let from = |start| descent.run(x.view(), y.view(), (0.1, 0.0), start);
    assert!(matches!(from(array![f64::NAN, 0.0].view()), Err(Error::NotFinite { row: 0, .. })));
    let huge = &y * 1e200;
    let found = descent.run(x.view(), huge.view(), (0.1, 0.0), array![0.0, 0.0].view());
    assert!(matches!(found, Err(Error::Overflow { .. })), "{found:?}");
    // The start is a point like any other.
    let nan_at_zero = |p: &[f64]| Ok(if p[0] == 0.0 { f64::NAN } else { p[0] * p[0] });
    let found = EvolutionStrategy::new(0.1).run(&[0.0], Sgd::new(0.1), nan_at_zero);
    assert!(matches!(found, Err(Error::NotFinite { .. })), "{found:?}");
}

/// Settings that `check` refuses still have a rate, since `at` cannot refuse them.
#[test]
fn rates_of_bad_schedules_are_numbers() {
    let cosine = Schedule::Cosine { rate: 1.0, last: 0.25, warm_up: 10, total: 5 };
    assert!(cosine.check().is_err());
    assert_eq!(cosine.at(20), 0.25);
    let steps = Schedule::Steps { rate: 1.0, factor: 0.5, every: 0 };
    assert!(steps.check().is_err());
    assert_eq!(steps.at(1), 1.0);
}
