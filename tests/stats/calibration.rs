//! The level is what it says: 1000 null repetitions of every test reject within the exact binomial 99 % interval.

use mercer::stats::{
    Collection, Combine, Estimator, IndependenceTest, JointHsic, KernelChoice, Null, PairChoice, TestOutcome,
    TwoSampleTest,
};
use mercer::{Device, Kernel, Result};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::loops::normal;

const REPETITIONS: u64 = 1000;

fn calibrated(what: &str, run: impl Fn(u64) -> Result<TestOutcome>) {
    let rejections = (0..REPETITIONS).filter(|&seed| run(seed).unwrap().rejects()).count() as u64;
    let law = Binomial::new(0.05, REPETITIONS).unwrap();
    let (least, most) = (law.inverse_cdf(0.005), law.inverse_cdf(0.995));
    assert!((least..=most).contains(&rejections), "{what}: {rejections} of 1000, not in {least}..={most}");
}

fn two_sample(what: &str, m: usize, n: usize, test: TwoSampleTest) {
    calibrated(what, |seed| {
        let (x, y) = (normal(m, 2, 0.0, 2 * seed), normal(n, 2, 0.0, 2 * seed + 1));
        TwoSampleTest { seed, ..test.clone() }.run(&Device::cpu(), x.view(), y.view())
    });
}

fn quick() -> TwoSampleTest {
    TwoSampleTest { null: Null::Permutations(199), ..TwoSampleTest::default() }
}

fn few() -> Collection {
    Collection { bandwidths: 4, ..Collection::default() }
}

#[test]
fn one_kernel() {
    let fixed = |kernel| TwoSampleTest { kernel, ..quick() };
    two_sample("unbiased", 15, 22, fixed(KernelChoice::Fixed(Kernel::rbf(1.0))));
    let biased = TwoSampleTest { estimator: Estimator::Biased, ..fixed(KernelChoice::Median) };
    two_sample("median, biased", 20, 13, biased);
}

#[test]
fn wild_bootstrap() {
    let kernel = KernelChoice::Fixed(Kernel::rbf(1.0));
    two_sample("wild bootstrap", 20, 20, TwoSampleTest { kernel, null: Null::WildBootstrap(199), ..quick() });
}

#[test]
fn power_ratio() {
    let kernel = KernelChoice::PowerRatio { collection: few(), share: 0.5 };
    two_sample("power ratio", 24, 24, TwoSampleTest { kernel, ..quick() });
}

#[test]
fn fused() {
    let kernel = KernelChoice::Aggregate { collection: few(), combine: Combine::FUSE };
    two_sample("MMD-FUSE", 20, 20, TwoSampleTest { kernel, ..quick() });
}

#[test]
fn aggregated() {
    let kernel = KernelChoice::Aggregate { collection: few(), combine: Combine::MinP };
    two_sample("MMDAgg", 18, 24, TwoSampleTest { kernel, ..quick() });
}

fn independence(what: &str, n: usize, test: IndependenceTest) {
    calibrated(what, |seed| {
        let (x, y) = (normal(n, 2, 0.0, 2 * seed), normal(n, 1, 0.0, 2 * seed + 1));
        IndependenceTest { seed, ..test.clone() }.run(&Device::cpu(), x.view(), y.view())
    });
}

fn quick_independence() -> IndependenceTest {
    IndependenceTest { null: Null::Permutations(199), ..IndependenceTest::default() }
}

#[test]
fn hsic() {
    let kernels = PairChoice::Fixed(Kernel::rbf(1.0), Kernel::laplacian(1.0));
    independence("HSIC", 20, IndependenceTest { kernels: kernels.clone(), ..quick_independence() });
    let estimator = Estimator::Unbiased;
    independence("HSIC, unbiased", 20, IndependenceTest { kernels, estimator, ..quick_independence() });
    independence(
        "HSIC, median",
        20,
        IndependenceTest { kernels: PairChoice::Median, ..quick_independence() },
    );
}

#[test]
fn hsic_aggregated() {
    independence("HSICAgg", 20, quick_independence());
}

#[test]
fn joint_hsic() {
    let test = JointHsic::new(vec![Kernel::rbf(1.0); 3]);
    calibrated("joint HSIC", |seed| {
        let data: Vec<_> = (0..3).map(|v| normal(12, 1, 0.0, 3 * seed + v)).collect();
        let views: Vec<_> = data.iter().map(|x| x.view()).collect();
        test.test(&Device::cpu(), &views, 59, 0.05, seed)
    });
}
