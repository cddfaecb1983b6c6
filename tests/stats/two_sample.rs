use mercer::stats::{Collection, Combine, Estimator, KernelChoice, Null, TwoSampleTest, permutation, signs};
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, concatenate};

use crate::loops::{close, column, gpus, gram, mmd, normal};

fn samples(m: usize, n: usize) -> (Array2<f64>, Array2<f64>) {
    (normal(m, 2, 0.0, 1), normal(n, 2, 0.3, 2))
}

/// 19 of the 35 ways to split the course's seven points are as extreme as theirs.
#[test]
fn enumeration_of_the_course_example() {
    let (x, y) = (column(&[0.0, 1.0, 2.0]), column(&[1.0, 2.0, 4.0, 5.0]));
    let test = TwoSampleTest::with_kernel(Kernel::rbf(1.0)).null(Null::Exhaustive).keep_null(true);
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let outcome = test.run(&device, x.view(), y.view()).unwrap();
        close(outcome.p_value, 19.0 / 35.0, 1e-12, &format!("on {device}"));
        // Over all relabellings the unbiased estimate has mean zero.
        let null = outcome.null.unwrap();
        assert_eq!(null.len(), 34);
        let sum = null.iter().sum::<f64>() + outcome.statistic;
        assert!(sum.abs() < if device.is_gpu() { 1e-5 } else { 1e-13 }, "{sum:e} on {device}");
    }
}

/// Every resample of every estimator, by double loops over the same permutations; sizes over several blocks.
#[test]
fn every_resample_is_the_definition() {
    for (m, n) in [(6, 11), (20, 20), (260, 300)] {
        let (x, y) = samples(m, n);
        let kernel = Kernel::rbf(1.0) + 0.1 * Kernel::linear();
        let pooled = concatenate(Axis(0), &[x.view(), y.view()]).unwrap();
        let k = gram(&kernel, pooled.view(), pooled.view());
        for estimator in [Estimator::Unbiased, Estimator::Biased] {
            let test = TwoSampleTest::with_kernel(kernel.clone()).estimator(estimator).seed(5);
            let test = test.null(Null::Permutations(20)).keep_null(true);
            let want: Vec<f64> = (1..=20)
                .map(|b| {
                    let p = permutation(m + n, m + n, 5, b).unwrap();
                    let (biased, unbiased) = mmd(&k, &p[..m], &p[m..]);
                    if estimator == Estimator::Biased { biased } else { unbiased }
                })
                .collect();
            let scale = want.iter().fold(0f64, |s, v| s.max(v.abs()));
            for device in gpus().iter().cloned().chain([Device::cpu()]) {
                let null = test.run(&device, x.view(), y.view()).unwrap().null.unwrap();
                let tolerance = if device.is_gpu() { 1e-5 } else { 1e-10 };
                for (got, want) in null.iter().zip(&want) {
                    assert!((got - want).abs() <= tolerance * scale, "{got:e} and not {want:e} on {device}");
                }
            }
        }
    }
}

/// The mean of `ε_i ε_j h(z_i, z_j)` over pairs of different rows.
#[test]
fn the_wild_bootstrap_is_its_definition() {
    let n = 25;
    let (x, y) = samples(n, n);
    let kernel = Kernel::laplacian(1.5);
    let (kx, ky, kxy) = (
        gram(&kernel, x.view(), x.view()),
        gram(&kernel, y.view(), y.view()),
        gram(&kernel, x.view(), y.view()),
    );
    let value = |e: &[f64]| {
        let mut sum = 0.0;
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                sum += e[i] * e[j] * (kx[[i, j]] + ky[[i, j]] - kxy[[i, j]] - kxy[[j, i]]);
            }
        }
        sum / (n * (n - 1)) as f64
    };
    let test =
        TwoSampleTest::with_kernel(kernel.clone()).null(Null::WildBootstrap(30)).seed(9).keep_null(true);
    let outcome = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    close(outcome.statistic, value(&vec![1.0; n]), 1e-10, "the data");
    for (b, got) in outcome.null.unwrap().iter().enumerate() {
        close(*got, value(&signs(n, 9, b + 1).unwrap()), 1e-10, "a resample");
    }
}

/// Little memory means more passes over the kernel, and the same answer to the bit.
#[test]
fn memory_changes_nothing_but_time() {
    let (x, y) = samples(40, 50);
    let test = TwoSampleTest::new().keep_null(true).null(Null::Permutations(99));
    let whole = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
    let tight = test.memory(90 * 17).run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert!(tight.run.bytes < whole.run.bytes);
    for (a, b) in whole.null.unwrap().iter().zip(tight.null.unwrap()) {
        close(*a, b, 1e-12, "resample");
    }
    assert_eq!(whole.p_value, tight.p_value);
}

/// The same permutations and the same p-value on every device, for every way to choose kernels.
#[test]
fn every_device_gives_the_same_p_value() {
    let (x, y) = samples(60, 45);
    let share = KernelChoice::PowerRatio { collection: Collection::default(), share: 0.5 };
    let several = KernelChoice::Several {
        kernels: vec![Kernel::rbf(0.5), Kernel::matern32(1.0)],
        combine: Combine::Fuse { sharpness: 1.0 },
    };
    let fuse = KernelChoice::Aggregate { collection: Collection::default(), combine: Combine::FUSE };
    for kernel in [fuse, KernelChoice::Median, share, several] {
        let test = TwoSampleTest::new().kernel(kernel).null(Null::Permutations(200)).seed(3);
        let cpu = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
        for device in gpus() {
            let gpu = test.run(device, x.view(), y.view()).unwrap();
            assert_eq!(gpu.p_value, cpu.p_value, "{test:?} on {device}");
            assert_eq!(gpu.strongest_index, cpu.strongest_index);
            close(gpu.statistic, cpu.statistic, 2e-5, "the statistic");
        }
    }
}

/// What fires is what sees the difference: two clusters far apart, of which one is wider.
#[test]
fn the_kernel_that_fires_has_the_scale_of_the_difference() {
    let cluster = |seed: u64, wide: f64| {
        let mut z = normal(300, 1, 0.0, seed);
        for (i, v) in z.iter_mut().enumerate() {
            *v = if i % 2 == 0 { *v - 50.0 } else { *v * wide + 50.0 };
        }
        z
    };
    let (x, y) = (cluster(1, 1.0), cluster(2, 3.0));
    for combine in [Combine::MinP, Combine::FUSE] {
        let kernel = KernelChoice::Aggregate { collection: Collection::default(), combine };
        let test = TwoSampleTest::new().kernel(kernel).null(Null::Permutations(199));
        let outcome = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
        assert!(outcome.rejects() && outcome.statistic > outcome.threshold, "{outcome}");
        let strongest = outcome.strongest().unwrap();
        assert!(strongest.rejects && strongest.p_value <= 0.05, "{strongest:?}");
        // The bandwidths run from below one to hundreds; only the first of each family resolves a cluster.
        assert!(
            outcome.strongest_index.is_multiple_of(10),
            "{combine:?}: kernel {} fired",
            outcome.strongest_index
        );
        assert_eq!(outcome.kernels.len(), 20);
    }
    let median = TwoSampleTest::median().null(Null::Permutations(199));
    assert!(!median.run(&Device::cpu(), x.view(), y.view()).unwrap().rejects());
}

/// The threshold decides as the p-value does, also where B is too small to reject at all.
#[test]
fn threshold_and_p_value_agree() {
    for seed in 0..40 {
        let (x, y) = (normal(10, 1, 0.0, seed), normal(12, 1, 0.8, seed + 100));
        for resamples in [10, 19, 99] {
            let test =
                TwoSampleTest::with_kernel(Kernel::rbf(1.0)).null(Null::Permutations(resamples)).seed(seed);
            let outcome = test.run(&Device::cpu(), x.view(), y.view()).unwrap();
            assert_eq!(outcome.rejects(), outcome.statistic > outcome.threshold, "{outcome:?}");
            assert!(resamples > 10 || outcome.threshold == f64::INFINITY);
        }
    }
}
