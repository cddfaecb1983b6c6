//! Long tests say how far they are, and stop when they are told to.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use mercer::stats::{IndependenceTest, JointHsic, KernelStein, Null, SteinBase, TestOutcome, TwoSampleTest};
use mercer::{Device, Error, Kernel, Progress, Result};
use ndarray::Array2;

use crate::loops::normal;

const STEIN: SteinBase = SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 };

type Watched = fn(&Array2<f64>, &Array2<f64>, Progress) -> Result<TestOutcome>;

/// Every kind of test.
const TESTS: [Watched; 6] = [
    |x, y, progress| {
        // Two passes over every kernel.
        let (null, memory) = (Null::Permutations(99), 8 * 160 * 60);
        let test = TwoSampleTest::new().null(null).memory(memory).progress(progress);
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test = IndependenceTest::new().null(Null::Permutations(300)).progress(progress);
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test = IndependenceTest::new().null(Null::WildBootstrap(30)).progress(progress);
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let null = Null::Permutations(9);
        let test = IndependenceTest::median().null(null).memory(0).progress(progress);
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test = JointHsic::new(vec![Kernel::rbf(1.0); 2]);
        test.null(Null::Permutations(20)).seed(1).progress(progress).run(&Device::cpu(), &[x, y])
    },
    |x, _, progress| {
        let test = KernelStein::new(STEIN).null(Null::WildBootstrap(600)).progress(progress);
        test.run(&Device::cpu(), x.view(), |x| x.iter().map(|v| -v).collect())
    },
];

#[test]
fn every_step_is_reported_and_changes_nothing() {
    let (x, y) = (normal(80, 2, 0.0, 1), normal(80, 2, 0.2, 2));
    for (which, test) in TESTS.into_iter().enumerate() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let own = Arc::clone(&seen);
        let watch = Progress::watch(move |step| own.lock().unwrap().push((step.made, step.share())));
        let found = |watch| test(&x, &y, watch).map(|o| (o.statistic, o.p_value, o.threshold)).unwrap();
        assert_eq!(found(watch), found(Progress::none()), "test {which}");
        let seen = seen.lock().unwrap();
        assert!(seen.len() > 2, "test {which}: {seen:?}");
        for (i, &(steps, share)) in seen.iter().enumerate() {
            assert_eq!((steps, share), (i + 1, (i + 1) as f64 / seen.len() as f64), "test {which}");
        }
    }
}

#[test]
fn every_test_can_be_stopped() {
    let (x, y) = (normal(80, 2, 0.0, 1), normal(80, 2, 0.2, 2));
    for (which, test) in TESTS.into_iter().enumerate() {
        let stop =
            Progress::new(
                |step| {
                    if step.made < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                },
            );
        let found = test(&x, &y, stop);
        assert!(matches!(found, Err(Error::Cancelled { iterations: 2, .. })), "test {which}: {found:?}");
    }
}
