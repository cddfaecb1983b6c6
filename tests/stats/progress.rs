//! Long tests say how far they are, and stop when they are told to.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use mercer::stats::{
    IndependenceTest, JointHsic, KernelStein, Null, SteinBase, TestOutcome, TwoSampleTest, Watch,
};
use mercer::{Device, Error, Kernel, Result};
use ndarray::Array2;

use crate::loops::normal;

const STEIN: SteinBase = SteinBase::InverseMultiquadric { scale: 1.0, exponent: -0.5 };

type Watched = fn(&Array2<f64>, &Array2<f64>, Option<Watch>) -> Result<TestOutcome>;

/// Every kind of test.
const TESTS: [Watched; 6] = [
    |x, y, progress| {
        // Two passes over every kernel.
        let (null, memory) = (Null::Permutations(99), 8 * 160 * 60);
        let test = TwoSampleTest { null, memory, progress, ..TwoSampleTest::default() };
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test =
            IndependenceTest { null: Null::Permutations(300), progress, ..IndependenceTest::default() };
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test = IndependenceTest { null: Null::WildBootstrap(30), progress, ..Default::default() };
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let null = Null::Permutations(9);
        let test = IndependenceTest { null, memory: 0, progress, ..IndependenceTest::median() };
        test.run(&Device::cpu(), x.view(), y.view())
    },
    |x, y, progress| {
        let test = JointHsic::new(vec![Kernel::rbf(1.0); 2]);
        let test = progress.map_or(test.clone(), |watch| test.progress(watch));
        test.test(&Device::cpu(), &[x.view(), y.view()], 20, 0.05, 1)
    },
    |x, _, progress| {
        let test = KernelStein { bootstraps: 600, progress, ..KernelStein::new(STEIN) };
        test.run(&Device::cpu(), x.view(), |x| x.iter().map(|v| -v).collect())
    },
];

#[test]
fn every_step_is_reported_and_changes_nothing() {
    let (x, y) = (normal(80, 2, 0.0, 1), normal(80, 2, 0.2, 2));
    for (which, test) in TESTS.into_iter().enumerate() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let own = Arc::clone(&seen);
        let watch = Watch::new(move |steps, share| {
            own.lock().unwrap().push((steps, share));
            ControlFlow::Continue(())
        });
        let found = |watch| test(&x, &y, watch).map(|o| (o.statistic, o.p_value, o.threshold)).unwrap();
        assert_eq!(found(Some(watch)), found(None), "test {which}");
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
            Watch::new(|steps, _| if steps < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
        let found = test(&x, &y, Some(stop));
        assert!(matches!(found, Err(Error::Cancelled { iterations: 2, .. })), "test {which}: {found:?}");
    }
}
