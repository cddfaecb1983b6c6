use mercer::stats::{
    Collection, Combine, Estimator, Hsic, IndependenceTest, Null, PairChoice, permutation, signs,
};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, Axis};

use crate::loops::{centred, close, column, gpus, gram, normal};

fn fixed() -> IndependenceTest {
    IndependenceTest::with_kernels(Kernel::rbf(1.0), Kernel::rbf(1.0))
}

/// Of the 120 orders of five points, 2, 106 and 68 are as extreme as these.
#[test]
fn enumeration_of_the_course_examples() {
    let x = column(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let cases =
        [([0.1, 0.8, 2.2, 2.9, 4.1], 2), ([2.0, -1.0, 0.5, 3.0, -2.0], 106), ([4.0, 1.0, 0.0, 1.0, 4.0], 68)];
    for (y, count) in cases {
        let test = fixed().null(Null::Exhaustive);
        for device in gpus().iter().cloned().chain([Device::cpu()]) {
            let outcome = test.run(&device, x.view(), column(&y).view()).unwrap();
            close(outcome.p_value, f64::from(count) / 120.0, 1e-12, &format!("{y:?} on {device}"));
        }
    }
}

fn sample(n: usize) -> (Array2<f64>, Array2<f64>) {
    let x = normal(n, 2, 0.0, 1);
    let noise = normal(n, 1, 0.0, 2);
    let y = Array2::from_shape_fn((n, 1), |(i, _)| 0.5 * x[[i, 0]] + noise[[i, 0]]);
    (x, y)
}

/// Every permutation, by recomputing the statistic of the permuted data; with Gram matrices and without.
#[test]
fn every_resample_is_the_statistic_of_permuted_data() {
    let (x, y) = sample(70);
    let hsic = Hsic::new(Kernel::rbf(1.0), Kernel::rbf(1.0));
    for estimator in [Estimator::Biased, Estimator::Unbiased] {
        for memory in [u64::MAX, 0] {
            let test = fixed()
                .estimator(estimator)
                .memory(memory)
                .null(Null::Permutations(12))
                .seed(4)
                .keep_null(true);
            for device in gpus().iter().cloned().chain([Device::cpu()]) {
                let null = test.run(&device, x.view(), y.view()).unwrap().null.unwrap();
                for (b, got) in null.into_iter().enumerate() {
                    let permuted = y.select(Axis(0), &permutation(70, 70, 4, b + 1).unwrap());
                    let want = match estimator {
                        Estimator::Biased => hsic.biased(&Device::cpu(), x.view(), permuted.view()),
                        Estimator::Unbiased => hsic.unbiased(&Device::cpu(), x.view(), permuted.view()),
                    };
                    let tolerance = match (device.is_gpu(), memory) {
                        (false, _) => 1e-12,
                        // Without matrices every estimate is a difference; f32 errs by the size of its terms.
                        (true, 0) => 1e-6,
                        (true, _) => 1e-8,
                    };
                    assert!((got - want.unwrap()).abs() < tolerance, "{got} on {device}");
                }
            }
        }
    }
}

#[test]
fn the_wild_bootstrap_is_its_definition() {
    let (x, y) = sample(30);
    let test = fixed().null(Null::WildBootstrap(8)).seed(2).keep_null(true);
    let outcome = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    let both = centred(&gram(&Kernel::rbf(1.0), x.view(), x.view()))
        * centred(&gram(&Kernel::rbf(1.0), y.view(), y.view()));
    for (b, got) in outcome.null.unwrap().into_iter().enumerate() {
        let e = column(&signs(30, 2, b + 1).unwrap());
        close(got, e.t().dot(&both).dot(&e)[[0, 0]] / 900.0, 1e-10, "a resample");
    }
}

/// Kernels that are combined must weigh the same with Gram matrices and without; signs need the matrices.
#[test]
fn memory_changes_nothing_but_time() {
    let (x, y) = sample(40);
    let few = || Collection { bandwidths: 2, ..Collection::default() };
    for combine in [Combine::MinP, Combine::Fuse { sharpness: 2.0 }] {
        for estimator in [Estimator::Biased, Estimator::Unbiased] {
            let kernels = PairChoice::Aggregate { x: few(), y: few(), combine };
            let null = Null::Permutations(30);
            let test = fixed().kernels(kernels).estimator(estimator).null(null).keep_null(true);
            let whole = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
            let tight = test.memory(0).run(&Device::cpu(), x.view(), y.view()).unwrap();
            assert!(tight.run.bytes < whole.run.bytes);
            assert_eq!((tight.p_value, tight.strongest_index), (whole.p_value, whole.strongest_index));
            close(tight.statistic, whole.statistic, 1e-9, "the statistic");
            for (a, b) in tight.null.unwrap().into_iter().zip(whole.null.unwrap()) {
                assert!((a - b).abs() < 1e-9 * whole.statistic.abs(), "{a} and {b}");
            }
        }
    }
    let signs = fixed().null(Null::WildBootstrap(9)).memory(0);
    let refused = signs.run(&Device::cpu(), x.view(), y.view());
    assert!(matches!(refused, Err(Error::Unsupported { op: "IndependenceTest", .. })), "{refused:?}");
}

/// The smallest of many ranks is often the same for many resamples: without a rule for ties the threshold would leave
/// fewer of them above than the level allows.
#[test]
fn the_smallest_p_value_uses_the_whole_level() {
    let (x, y) = sample(40);
    let above = |seed| {
        let null = Null::Permutations(199);
        let test = IndependenceTest::new().null(null).seed(seed).keep_null(true);
        let outcome = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
        outcome.null.unwrap().iter().filter(|&&v| v > outcome.threshold).count()
    };
    let above: Vec<usize> = (0..20).map(above).collect();
    // Of 200 arrangements ten may be as extreme as the data, which are one of them.
    assert!(above.iter().all(|&a| a <= 9), "{above:?}");
    assert!(above.iter().sum::<usize>() >= 175, "{above:?}");
}

#[test]
fn every_device_gives_the_same_p_value() {
    let (x, y) = sample(50);
    for test in [IndependenceTest::new(), IndependenceTest::median()] {
        let test = test.null(Null::Permutations(150));
        let cpu = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
        for device in gpus() {
            let gpu = test.run(device, x.view(), y.view()).unwrap();
            assert_eq!((gpu.p_value, gpu.strongest_index), (cpu.p_value, cpu.strongest_index), "on {device}");
        }
    }
}

/// A circle: no correlation in any direction, and found.
#[test]
fn dependence_without_correlation_is_found() {
    let angle = normal(150, 1, 0.0, 3).mapv(|v| 40.0 * v);
    let (x, y) = (angle.mapv(f64::cos), angle.mapv(f64::sin));
    let outcome = IndependenceTest::new().run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(outcome.rejects(), "{outcome}");
    assert_eq!(outcome.kernels.len(), 16);
    assert!(outcome.strongest().unwrap().rejects);
}
