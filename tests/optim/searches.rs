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

/// Every search with a progress is ended by it.
#[test]
fn every_search_can_be_cancelled() {
    use mercer::optim::{
        Adam, CoordinateDescent, EvolutionStrategy, Majorise, Majoriser, Newton, Penalty, PiecewiseLinear,
        Proximal, Schedule, Sgd, StepRule, Subgradient, VarianceReduced,
    };
    use ndarray::{Array1, array};
    struct Parabola;
    impl Majoriser for Parabola {
        fn value(&self, t: &[f64]) -> mercer::Result<f64> {
            Ok(t[0] * t[0])
        }
        fn bound(&self, t: &[f64], _: &[f64]) -> mercer::Result<f64> {
            Ok(t[0] * t[0])
        }
        fn minimiser(&self, at: &[f64]) -> mercer::Result<Vec<f64>> {
            Ok(vec![0.5 * at[0]])
        }
    }
    let stop = || Progress::new(|_| ControlFlow::Break(()));
    let (x, y) = crate::data::design();
    let ones = Array1::ones(y.len());
    let bowl = |p: &[f64]| Ok((p[0] * p[0], vec![2.0 * p[0]]));
    let ended = [
        CoordinateDescent::new()
            .progress(stop())
            .run(x.view(), y.view(), (0.1, 0.0), Array1::zeros(3).view())
            .map(|_| ()),
        Newton::new()
            .progress(stop())
            .run(&[3.0], |p| Ok((p[0].powi(4), array![4.0 * p[0].powi(3)], array![[12.0 * p[0] * p[0]]])))
            .map(|_| ()),
        Majorise::new().progress(stop()).run(&[3.0], &Parabola).map(|_| ()),
        PiecewiseLinear::new()
            .progress(stop())
            .run(x.view(), y.view(), ones.view(), ones.view(), Array1::zeros(3).view())
            .map(|_| ()),
        Proximal::new().progress(stop()).run_penalised(&[3.0], &Penalty::L1(0.1), bowl).map(|_| ()),
        Subgradient::new(Schedule::Power { rate: 0.1, exponent: 0.5 })
            .progress(stop())
            .run(&[3.0], bowl)
            .map(|_| ()),
        VarianceReduced::new(0.1).progress(stop()).run(&[3.0], 4, |p, _| bowl(p)).map(|_| ()),
        EvolutionStrategy::new(0.5)
            .progress(stop())
            .run(&[3.0], Sgd::new(0.1), |p| Ok(p[0] * p[0]))
            .map(|_| ()),
    ];
    for (which, end) in ended.into_iter().enumerate() {
        assert!(matches!(end, Err(Error::Cancelled { .. })), "search {which}: {end:?}");
    }
    // The first step of a proximal search is the one given, if it is short enough: w - γ f'(w), then the threshold γλ.
    let first = Proximal::new().accelerated(false).step(0.1).max_iterations(1);
    let found = first.run_penalised(&[3.0], &Penalty::L1(0.5), bowl).unwrap();
    assert!((found.point[0] - (3.0 - 0.1 * 6.0 - 0.05)).abs() < 1e-14, "{found:?}");
    // Adam without a first memory is a step by the size of the gradient alone: γ g/√v.
    let mut theta = vec![0.0];
    let mut rule = Adam::new(0.1).first_memory(0.0).epsilon(0.0);
    rule.step(&mut theta, &[3.0]).unwrap();
    rule.step(&mut theta, &[-4.0]).unwrap();
    // v = (b·9 + 16)(1 - b) over 1 - b² = (9b + 16)/(1 + b), b = 0.999.
    let second = 4.0 / ((9.0 * 0.999 + 16.0) / 1.999f64).sqrt();
    assert!((theta[0] - 0.1 * (second - 1.0)).abs() < 1e-12, "{theta:?}");
    let drawn = |seed| {
        EvolutionStrategy::new(0.5)
            .seed(seed)
            .iterations(5)
            .run(&[3.0], Sgd::new(0.1), |p| Ok(p[0] * p[0]))
            .unwrap()
    };
    assert!(drawn(1) == drawn(1) && drawn(1) != drawn(2));
}
