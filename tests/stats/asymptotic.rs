//! Null distributions without resamples.

use approx::assert_relative_eq;
use mercer::stats::{Estimator, IndependenceTest, Mmd, Null, TestOutcome, TwoSampleTest};
use mercer::{Device, Error, Kernel};
use ndarray::{Array2, concatenate};
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

use crate::level::keeps_level;
use crate::loops::adapters;
use crate::loops::{gram, normal};
use crate::support::random;

const SPECTRAL: Null = Null::Spectral { draws: 499, eigenvalues: usize::MAX };

fn two(null: Null, estimator: Estimator) -> TwoSampleTest {
    TwoSampleTest::with_kernel(Kernel::rbf(1.0)).null(null).estimator(estimator)
}

fn pair(null: Null, estimator: Estimator) -> IndependenceTest {
    IndependenceTest::with_kernels(Kernel::rbf(1.0), Kernel::rbf(0.8)).null(null).estimator(estimator)
}

/// `H K H` by its definition.
fn centred(k: &Kernel, x: &Array2<f64>) -> Array2<f64> {
    crate::loops::centred(&gram(k, x.view(), x.view()))
}

fn off_diagonal_squares(a: &Array2<f64>) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>() - a.diag().iter().map(|v| v * v).sum::<f64>()
}

/// What the gamma law with these moments says.
fn assert_gamma(found: &TestOutcome, offset: f64, mean: f64, variance: f64) {
    let law = Gamma::new(mean * mean / variance, mean / variance).unwrap();
    assert_relative_eq!(found.p_value, law.sf(found.statistic + offset), epsilon = 1e-10);
    assert_relative_eq!(law.sf(found.threshold + offset), 0.05, epsilon = 1e-8);
}

#[test]
fn mmd_gamma_has_the_moments_of_the_spectrum() {
    let (x, y) = (random(14, 2, 1), random(20, 2, 2));
    let (m, n, all) = (14.0, 20.0, 34.0);
    let k = centred(&Kernel::rbf(1.0), &concatenate![ndarray::Axis(0), x, y]);
    let unit = all / (m * n);
    let mean = unit * k.diag().sum() / (all - 1.0);
    let variance = unit * unit * 2.0 * off_diagonal_squares(&k) / (all * (all - 1.0));
    let cpu = Device::cpu();
    let biased = two(Null::Gamma, Estimator::Biased).run(&cpu, x.view(), y.view()).unwrap();
    let mmd = Mmd::new(Kernel::rbf(1.0));
    assert_relative_eq!(biased.statistic, mmd.biased(&cpu, x.view(), y.view()).unwrap(), epsilon = 1e-12);
    assert_gamma(&biased, 0.0, mean, variance);
    let unbiased = two(Null::Gamma, Estimator::Unbiased).run(&cpu, x.view(), y.view()).unwrap();
    assert_relative_eq!(unbiased.statistic, mmd.unbiased(&cpu, x.view(), y.view()).unwrap(), epsilon = 1e-12);
    assert_gamma(&unbiased, mean, mean, variance);
    // The mean of the law is the mean over all relabellings, exactly.
    let (x, y) = (random(4, 1, 3), random(5, 1, 4));
    let null = two(Null::Exhaustive, Estimator::Biased).keep_null(true);
    let exact = null.run(&cpu, x.view(), y.view()).unwrap().null.unwrap();
    let k = centred(&Kernel::rbf(1.0), &concatenate![ndarray::Axis(0), x, y]);
    // The data's own arrangement may be left out of the null sample; put it in.
    let own = mmd.biased(&cpu, x.view(), y.view()).unwrap();
    let total = exact.iter().sum::<f64>() + if exact.len() == 125 { own } else { 0.0 };
    assert_relative_eq!(total / 126.0, 9.0 / 20.0 * k.diag().sum() / 8.0, epsilon = 1e-12);
}

#[test]
fn hsic_gamma_has_the_moments_of_the_paper() {
    let (x, y) = (random(23, 2, 1), random(23, 1, 2));
    let (k, l) = (centred(&Kernel::rbf(1.0), &x), centred(&Kernel::rbf(0.8), &y));
    let n = 23.0;
    let mean = k.diag().sum() * l.diag().sum() / (n * n * (n - 1.0));
    let factor = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0));
    let variance = factor * off_diagonal_squares(&(&k * &l)) / (n * (n - 1.0));
    let found = pair(Null::Gamma, Estimator::Biased).run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert_relative_eq!(found.statistic, (&k * &l).sum() / (n * n), epsilon = 1e-12);
    assert_gamma(&found, 0.0, mean, variance);
    let found = pair(Null::Gamma, Estimator::Unbiased).run(&Device::cpu(), x.view(), y.view()).unwrap();
    assert_gamma(&found, mean, mean, variance);
}

/// `Σ λ ξ²` has mean `Σ λ` and variance `2 Σ λ²`; its sample should too, with all eigenvalues or with a few.
#[test]
fn the_spectral_null_has_the_moments_of_the_spectrum() {
    let (x, y) = (random(40, 2, 1), random(60, 2, 2));
    let k = centred(&Kernel::rbf(1.0), &concatenate![ndarray::Axis(0), x, y]);
    let unit = 100.0 / 2400.0 / 99.0;
    let (mean, variance) = (unit * k.diag().sum(), 2.0 * unit * unit * k.iter().map(|v| v * v).sum::<f64>());
    for eigenvalues in [usize::MAX, 8] {
        let null = Null::Spectral { draws: 20_000, eigenvalues };
        let test = two(null, Estimator::Biased).keep_null(true);
        let sample = test.run(&Device::cpu(), x.view(), y.view()).unwrap().null.unwrap();
        let count = sample.len() as f64;
        let own = sample.iter().sum::<f64>() / count;
        let spread = sample.iter().map(|v| (v - own) * (v - own)).sum::<f64>() / count;
        // Three standard errors of each; the eigenvalues left out take 2 % of the variance with them.
        assert!((own - mean).abs() < 3.0 * (variance / count).sqrt(), "mean {own}, should be {mean}");
        assert_relative_eq!(spread, variance, max_relative = 0.1);
    }
}

#[test]
fn the_normal_law_is_that_of_the_blocks() {
    let (x, y) = (random(60, 2, 1), random(70, 2, 2));
    for block in [2, 5] {
        let found =
            two(Null::Normal { block }, Estimator::Unbiased).run(&Device::cpu(), x.view(), y.view()).unwrap();
        let estimate = Mmd::new(Kernel::rbf(1.0)).block(x.view(), y.view(), block).unwrap();
        assert_eq!(found.statistic, estimate.value);
        let law = Normal::new(0.0, estimate.variance.sqrt()).unwrap();
        assert_relative_eq!(found.p_value, law.sf(estimate.value), epsilon = 1e-12);
        assert_relative_eq!(law.cdf(found.threshold), 0.95, epsilon = 1e-9);
    }
}

#[test]
fn the_levels_of_mmd_are_kept() {
    for (what, null, estimator) in [
        ("MMD, gamma, biased", Null::Gamma, Estimator::Biased),
        ("MMD, gamma, unbiased", Null::Gamma, Estimator::Unbiased),
        ("MMD, spectral, biased", SPECTRAL, Estimator::Biased),
        ("MMD, spectral, unbiased", SPECTRAL, Estimator::Unbiased),
        ("MMD, linear time", Null::Normal { block: 2 }, Estimator::Unbiased),
        ("MMD, blocks", Null::Normal { block: 4 }, Estimator::Unbiased),
    ] {
        keeps_level(what, |seed| {
            let test = two(null, estimator).seed(seed);
            let n = if matches!(null, Null::Normal { .. }) { 200 } else { 50 };
            let (x, y) = (normal(n, 1, 0.0, 2 * seed), normal(n, 1, 0.0, 2 * seed + 1));
            Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
        });
    }
}

#[test]
fn the_level_of_hsic_is_kept() {
    for (what, estimator) in [("biased", Estimator::Biased), ("unbiased", Estimator::Unbiased)] {
        keeps_level(&format!("HSIC, gamma, {what}"), |seed| {
            let (x, y) = (normal(60, 1, 0.0, 2 * seed), normal(60, 1, 0.0, 2 * seed + 1));
            Ok(pair(Null::Gamma, estimator).run(&Device::cpu(), x.view(), y.view())?.p_value)
        });
    }
}

/// The approximations are near the permutation p-values where both hold.
#[test]
fn the_laws_are_near_the_permutations() {
    let (x, y) = (normal(100, 2, 0.0, 1), normal(100, 2, 0.0, 2) + 0.25);
    let p = |null| two(null, Estimator::Unbiased).run(&Device::cpu(), x.view(), y.view()).unwrap().p_value;
    let exact = p(Null::Permutations(2000));
    for null in [Null::Gamma, Null::Spectral { draws: 5000, eigenvalues: 50 }] {
        let own = p(null);
        assert!((own - exact).abs() < 0.02, "{null:?}: {own}, permutations {exact}");
    }
    let z = x.mapv(f64::abs) * 0.35 + normal(100, 2, 0.0, 3);
    let p = |null| pair(null, Estimator::Biased).run(&Device::cpu(), x.view(), z.view()).unwrap().p_value;
    let (own, exact) = (p(Null::Gamma), p(Null::Permutations(2000)));
    assert!((own - exact).abs() < 0.02, "gamma {own}, permutations {exact}");
}

#[test]
fn every_adapter_agrees() {
    let (x, y) = (random(50, 3, 1), random(60, 3, 2) + 0.2);
    let z = x.mapv(|v| v * v);
    for device in adapters() {
        for null in [Null::Gamma, Null::Spectral { draws: 99, eigenvalues: 10 }, Null::Normal { block: 3 }] {
            let run = |d: &Device| two(null, Estimator::Biased).run(d, x.view(), y.view()).unwrap();
            let (got, want) = (run(device), run(&Device::cpu()));
            assert_relative_eq!(got.statistic, want.statistic, max_relative = 1e-5);
            assert_relative_eq!(got.threshold, want.threshold, max_relative = 1e-5);
            assert_relative_eq!(got.p_value, want.p_value, max_relative = 1e-3, epsilon = 1e-7);
        }
        let run = |d: &Device| pair(Null::Gamma, Estimator::Biased).run(d, x.view(), z.view()).unwrap();
        let (got, want) = (run(device), run(&Device::cpu()));
        assert_relative_eq!(got.statistic, want.statistic, max_relative = 1e-5);
        assert_relative_eq!(got.threshold, want.threshold, max_relative = 1e-5);
    }
}

#[test]
fn bad_input_is_refused() {
    let cpu = Device::cpu();
    let (x, y) = (random(20, 2, 1), random(20, 2, 2));
    let run = |null| two(null, Estimator::Biased).run(&cpu, x.view(), y.view());
    for null in [
        Null::Spectral { draws: 0, eigenvalues: 5 },
        Null::Spectral { draws: 9, eigenvalues: 0 },
        Null::Normal { block: 1 },
        Null::Normal { block: 11 },
    ] {
        assert!(matches!(run(null), Err(Error::Parameter { .. })), "{null:?}");
    }
    // Many kernels have no such law together.
    let many = TwoSampleTest::new().null(Null::Gamma);
    assert!(matches!(many.run(&cpu, x.view(), y.view()), Err(Error::Unsupported { .. })));
    assert!(matches!(run(Null::ChiSquared), Err(Error::Unsupported { .. })), "no features to count");
    for null in [SPECTRAL, Null::Normal { block: 2 }, Null::ChiSquared] {
        let found = pair(null, Estimator::Biased).run(&cpu, x.view(), y.view());
        assert!(matches!(found, Err(Error::Unsupported { .. })), "{null:?}");
    }
    let few = random(5, 1, 1);
    let found = pair(Null::Gamma, Estimator::Biased).run(&cpu, few.view(), few.view());
    assert!(matches!(found, Err(Error::Shape { .. })));
    // All points equal: nothing speaks against the hypothesis.
    let equal = Array2::<f64>::ones((20, 2));
    for null in [Null::Gamma, SPECTRAL, Null::Normal { block: 2 }] {
        let found = two(null, Estimator::Biased).run(&cpu, equal.view(), equal.view()).unwrap();
        assert!(found.p_value == 1.0 && !found.rejects(), "{null:?}: {found}");
    }
    let found = pair(Null::Gamma, Estimator::Biased).run(&cpu, equal.view(), y.view()).unwrap();
    assert_eq!(found.p_value, 1.0);
}
