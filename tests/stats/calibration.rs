//! The level is what it says: 1000 null repetitions of every test reject within the exact binomial 99 % interval.
//!
//! Here are the tests that resample. Those by a law are in `asymptotic.rs` and `finite_set.rs`, distances in `distance.rs`,
//! the Stein discrepancy in `stein.rs`; all of them at larger n in the example `calibration`.

use mercer::stats::{
    Collection, Combine, Estimator, IndependenceTest, JointHsic, KernelChoice, Null, PairChoice,
    TwoSampleTest,
};
use mercer::{Device, Kernel};

use crate::level::keeps_level;
use crate::loops::normal;

fn two_sample(what: &str, m: usize, n: usize, test: TwoSampleTest) {
    keeps_level(what, |seed| {
        let (x, y) = (normal(m, 2, 0.0, 2 * seed), normal(n, 2, 0.0, 2 * seed + 1));
        let test = test.clone().seed(seed);
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
    });
}

fn quick(kernel: KernelChoice) -> TwoSampleTest {
    TwoSampleTest::new().kernel(kernel).null(Null::Permutations(199))
}

fn few() -> Collection {
    Collection { bandwidths: 4, ..Collection::default() }
}

fn fixed() -> KernelChoice {
    KernelChoice::Fixed(Kernel::rbf(1.0))
}

#[test]
fn one_kernel() {
    two_sample("unbiased", 15, 22, quick(fixed()));
    let biased = quick(KernelChoice::Median).estimator(Estimator::Biased);
    two_sample("median, biased", 20, 13, biased);
}

#[test]
fn wild_bootstrap() {
    two_sample("wild bootstrap", 20, 20, quick(fixed()).null(Null::WildBootstrap(199)));
}

/// Six of the 126 ways to split nine points.
#[test]
fn all_arrangements() {
    two_sample("all arrangements", 4, 5, quick(fixed()).null(Null::Exhaustive));
}

#[test]
fn power_ratio() {
    two_sample("power ratio", 24, 24, quick(KernelChoice::PowerRatio { collection: few(), share: 0.5 }));
}

#[test]
fn fused() {
    let kernel = KernelChoice::Aggregate { collection: few(), combine: Combine::FUSE };
    two_sample("MMD-FUSE", 20, 20, quick(kernel));
    let kernels = vec![Kernel::rbf(0.5), Kernel::matern32(1.0), Kernel::linear()];
    let soft = KernelChoice::Several { kernels, combine: Combine::Fuse { sharpness: 1.0 } };
    two_sample("several kernels, soft", 18, 24, quick(soft));
}

#[test]
fn aggregated() {
    let kernel = KernelChoice::Aggregate { collection: few(), combine: Combine::MinP };
    two_sample("MMDAgg", 18, 24, quick(kernel.clone()));
    two_sample("MMDAgg, wild", 20, 20, quick(kernel).null(Null::WildBootstrap(199)));
}

fn independence(what: &str, n: usize, test: IndependenceTest) {
    keeps_level(what, |seed| {
        let (x, y) = (normal(n, 2, 0.0, 2 * seed), normal(n, 1, 0.0, 2 * seed + 1));
        let test = test.clone().seed(seed);
        Ok(test.run(&Device::cpu(), x.view(), y.view())?.p_value)
    });
}

fn quick_independence(kernels: PairChoice) -> IndependenceTest {
    IndependenceTest::new().kernels(kernels).null(Null::Permutations(199))
}

fn pair() -> PairChoice {
    PairChoice::Fixed(Kernel::rbf(1.0), Kernel::laplacian(1.0))
}

#[test]
fn hsic() {
    independence("HSIC", 20, quick_independence(pair()));
    let unbiased = quick_independence(pair()).estimator(Estimator::Unbiased);
    independence("HSIC, unbiased", 20, unbiased);
    independence("HSIC, median", 20, quick_independence(PairChoice::Median));
}

/// Signs are right only as n grows, and need more of it than permutations do.
#[test]
fn hsic_wild_bootstrap() {
    let test = quick_independence(pair()).null(Null::WildBootstrap(199));
    independence("HSIC, wild bootstrap", 60, test);
}

/// Six of the 120 orders of five points.
#[test]
fn hsic_all_arrangements() {
    let test = quick_independence(pair()).null(Null::Exhaustive);
    independence("HSIC, all arrangements", 5, test);
}

#[test]
fn hsic_aggregated() {
    let kernels = |combine| PairChoice::Aggregate {
        x: Collection { bandwidths: 2, ..Collection::default() },
        y: Collection { bandwidths: 2, ..Collection::default() },
        combine,
    };
    independence("HSICAgg", 20, IndependenceTest::new().null(Null::Permutations(199)));
    independence("HSIC, fused", 20, quick_independence(kernels(Combine::FUSE)));
}

#[test]
fn joint_hsic() {
    let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]).null(Null::Permutations(59));
    keeps_level("joint HSIC", |seed| {
        let data: Vec<_> = (0..3).map(|v| normal(12, 1, 0.0, 3 * seed + v)).collect();
        let views: Vec<_> = data.iter().map(|x| x.view()).collect();
        Ok(test.clone().seed(seed).run(&Device::cpu(), &views)?.p_value)
    });
}
