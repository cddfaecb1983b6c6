use mercer::stats::Mmd;
use mercer::{Device, Kernel};
use ndarray::{Array2, Axis, concatenate};

use crate::loops::{close, column, gpus, gram, mmd, normal};

/// A kernel whose diagonal is not constant.
fn uneven() -> Kernel {
    Kernel::rbf(0.8) + 0.2 * Kernel::linear()
}

/// The example of the course: X = (0, 1, 2), Y = (1, 2, 4, 5), Gaussian kernel of bandwidth one.
fn course() -> (Array2<f64>, Array2<f64>) {
    (column(&[0.0, 1.0, 2.0]), column(&[1.0, 2.0, 4.0, 5.0]))
}

#[test]
fn reference_values() {
    let (cpu, k) = (Device::cpu(), Mmd::new(Kernel::rbf(1.0)));
    let (x, y) = course();
    close(k.biased(&cpu, x.view(), y.view()).unwrap(), 0.368_819_915, 1e-8, "biased");
    close(k.unbiased(&cpu, x.view(), y.view()).unwrap(), -0.007_568_654_484, 1e-9, "unbiased");
    let (a, b) = (column(&[0.0, 1.0]), column(&[0.2, 0.9]));
    close(k.unbiased(&cpu, a.view(), b.view()).unwrap(), -0.294_933_302_3, 1e-9, "two and two");
    let at = column(&[0.0, 1.0, 3.0, 5.0]);
    let f = k.witness(&cpu, x.view(), y.view(), at.view()).unwrap();
    for (f, want) in f.iter().zip([0.395_070_697_9, 0.333_193_326_8, -0.119_941_325, -0.400_677_717_8]) {
        close(*f, want, 1e-9, "witness");
    }
}

/// Sizes within a block of the engine, at its edge and over several.
#[test]
fn the_definition_to_1e_10_and_1e_5() {
    for (m, n, d) in [(2, 2, 1), (5, 9, 2), (30, 30, 3), (255, 257, 2), (300, 421, 4), (700, 650, 1)] {
        let (x, y) = (normal(m, d, 0.0, 1), normal(n, d, 0.4, 2));
        for kernel in [Kernel::rbf(1.0), uneven(), Kernel::laplacian(2.0)] {
            let pooled = concatenate(Axis(0), &[x.view(), y.view()]).unwrap();
            let k = gram(&kernel, pooled.view(), pooled.view());
            let (first, second): (Vec<_>, Vec<_>) = (0..m + n).partition(|&i| i < m);
            let (biased, unbiased) = mmd(&k, &first, &second);
            let own = Mmd::new(kernel.clone());
            let what = format!("{kernel}, {m} and {n}");
            let cpu = Device::cpu();
            close(own.biased(&cpu, x.view(), y.view()).unwrap(), biased, 1e-10, &what);
            close(own.unbiased(&cpu, x.view(), y.view()).unwrap(), unbiased, 1e-10, &what);
            if m > 500 {
                continue;
            }
            for device in gpus() {
                let what = format!("{what} on {device}");
                close(own.biased(device, x.view(), y.view()).unwrap(), biased, 1e-5, &what);
                close(own.unbiased(device, x.view(), y.view()).unwrap(), unbiased, 1e-5, &what);
            }
        }
    }
}

#[test]
fn a_linear_kernel_compares_means() {
    let (x, y) = (normal(40, 3, 0.0, 1), normal(25, 3, 1.0, 2));
    let gap = x.mean_axis(Axis(0)).unwrap() - y.mean_axis(Axis(0)).unwrap();
    let got = Mmd::new(Kernel::linear()).biased(&Device::cpu(), x.view(), y.view()).unwrap();
    close(got, gap.dot(&gap), 1e-12, "linear");
}

#[test]
fn a_discrepancy_is_symmetric_zero_at_equality_and_obeys_the_triangle() {
    let cpu = Device::cpu();
    let k = Mmd::new(Kernel::rbf(1.0));
    let samples = [normal(30, 2, 0.0, 1), normal(20, 2, 0.5, 2), normal(25, 2, 1.5, 3)];
    let d = |a: usize, b: usize| k.biased(&cpu, samples[a].view(), samples[b].view()).unwrap().sqrt();
    assert!(d(0, 0) < 1e-7, "{}", d(0, 0));
    close(d(0, 1), d(1, 0), 1e-12, "symmetric");
    assert!(d(0, 2) <= d(0, 1) + d(1, 2));
}

/// h over consecutive rows, blocks and diagonals, and the meeting of the three at full size.
#[test]
fn cheaper_estimators() {
    let (x, y) = (normal(21, 2, 0.0, 1), normal(24, 2, 0.5, 2));
    let kernel = uneven();
    let (kx, ky, kxy) = (
        gram(&kernel, x.view(), x.view()),
        gram(&kernel, y.view(), y.view()),
        gram(&kernel, x.view(), y.view()),
    );
    let h = |i: usize, j: usize| kx[[i, j]] + ky[[i, j]] - kxy[[i, j]] - kxy[[j, i]];
    let k = Mmd::new(kernel);
    let linear = k.linear_time(x.view(), y.view()).unwrap();
    let terms: Vec<f64> = (0..10).map(|i| h(2 * i, 2 * i + 1)).collect();
    let mean = terms.iter().sum::<f64>() / 10.0;
    close(linear.value, mean, 1e-12, "linear time");
    let variance = terms.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / 90.0;
    close(linear.variance, variance, 1e-12, "its variance");
    assert_eq!(linear.terms, 10);

    let block = k.block(x.view(), y.view(), 7).unwrap();
    let mean_of = |from: usize| {
        let pairs = (from..from + 7).flat_map(|i| (i + 1..from + 7).map(move |j| (i, j)));
        pairs.map(|(i, j)| h(i, j)).sum::<f64>() / 21.0
    };
    close(block.value, (mean_of(0) + mean_of(7) + mean_of(14)) / 3.0, 1e-12, "block");

    let some: f64 = (1..=3).flat_map(|r| (0..21 - r).map(move |i| (i, i + r))).map(|(i, j)| h(i, j)).sum();
    close(k.incomplete(x.view(), y.view(), 3).unwrap(), some / 57.0, 1e-12, "incomplete");
    let all: f64 = (0..21).flat_map(|i| (i + 1..21).map(move |j| (i, j))).map(|(i, j)| h(i, j)).sum();
    close(k.incomplete(x.view(), y.view(), 20).unwrap(), all / 210.0, 1e-12, "complete");
}

/// Mean over X less mean over Y is the biased MMD²; the witness of unit norm reaches its square root.
#[test]
fn the_witness_tells_the_samples_apart() {
    let (x, y) = (normal(40, 2, 0.0, 1), normal(30, 2, 0.7, 2));
    let k = Mmd::new(Kernel::rbf(1.0));
    for device in gpus().iter().cloned().chain([Device::cpu()]) {
        let mean = |at: &Array2<f64>| {
            let f = k.witness(&device, x.view(), y.view(), at.view()).unwrap();
            f.iter().sum::<f64>() / f.len() as f64
        };
        let biased = k.biased(&Device::cpu(), x.view(), y.view()).unwrap();
        let tolerance = if device.is_gpu() { 1e-5 } else { 1e-12 };
        close(mean(&x) - mean(&y), biased, tolerance, &format!("on {device}"));
    }
}

/// The estimated variance, averaged, is the variance of the estimates, with and without a difference.
#[test]
fn the_variance_is_that_of_the_estimates() {
    let cpu = Device::cpu();
    let k = Mmd::new(Kernel::rbf(1.0));
    for (m, n, shift) in [(12, 12, 0.0), (24, 30, 1.0)] {
        let repetitions = 3000;
        let (mut values, mut claimed, mut negative) = (Vec::new(), 0.0, 0);
        for r in 0..repetitions {
            let (x, y) = (normal(m, 1, 0.0, 2 * r), normal(n, 1, shift, 2 * r + 1));
            values.push(k.unbiased(&cpu, x.view(), y.view()).unwrap());
            let variance = k.variance(&cpu, x.view(), y.view()).unwrap();
            claimed += variance / repetitions as f64;
            negative += u64::from(variance < 0.0);
        }
        let mean = values.iter().sum::<f64>() / repetitions as f64;
        let seen = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / repetitions as f64;
        // A variance of 3000 values is known to some 3 %.
        let ratio = claimed / seen;
        assert!(
            (0.9..1.1).contains(&ratio),
            "{m} and {n}, shift {shift}: {claimed:e} claimed, {seen:e} seen"
        );
        // An estimate without bias of nearly nothing has either sign.
        assert_eq!(negative > repetitions / 10, shift == 0.0, "{negative} of {repetitions} are negative");
        // N(0, 1) against N(1, 1): 1/√3 (2 - 2 exp(-1/6)).
        let truth = (2.0 - 2.0 * (-shift * shift / 6.0).exp()) / 3f64.sqrt();
        assert!((mean - truth).abs() < 4.0 * (seen / repetitions as f64).sqrt(), "{mean} and not {truth}");
    }
}
